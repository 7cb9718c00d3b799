"""What a script demands of what it runs on, and that it waits for nothing that never comes: for no
quota, and not for another script. No Pulumi import."""

from collections.abc import Iterator
from typing import NamedTuple

from catalog import Catalog
from components.job_set_manifest import OWN_VARIABLES
from components.naming import NameKind, check_name
from stacks.config_errors import nearest
from stacks.parts.jobs.plan import JOB_SETS, PlannedScript
from stacks.parts.jobs.script import FILES_VARIABLE, OF_A_JOB_SET, SERVER_VARIABLE, Script
from stacks.parts.pools.config import CPU_POOL
from stacks.parts.pools.nodes import Amounts
from stacks.parts.pools.plan import PlannedPool
from stacks.parts.pools.pod_rules import (
    boot_disk_problems,
    interface_problems,
    on_request_problems,
    pod_disk_problems,
    pod_problems,
    whole_machine_problems,
)
from stacks.parts.queues.workload_rules import Queued
from stacks.parts.ray.rules import mount_problems
from stacks.parts.servers.rules import (
    gpu_pool_problems,
    gpu_problems,
    pool_kinds,
    quota_problems,
    waiting_problems,
)
from stacks.plan import Plan
from stacks.problems import Problem, problem_of, under
from stacks.stack import Stack

# What the kubelet keeps of a container's log, rounded up.
_LOGS_GIB = 1


class Guest(NamedTuple):
    """Pods that stay on nodes of a pool, at most so many, and whether a queue lets them start."""

    field: str
    pod: Amounts
    pods: int
    queued: bool


def script_references(stack: Stack, facts: Catalog, name: str, script: Script) -> Iterator[Problem]:
    """Keys that go together, and a pool that there is."""
    field = f"jobs.{name}"
    if script.file is not None and script.folder is not None:
        yield Problem(f"{field}.folder", "there is a file, too; nearest: leave one of them out")
    own = {*OWN_VARIABLES, FILES_VARIABLE} | ({SERVER_VARIABLE} if script.server else set())
    for variable in sorted(own & script.environment.keys()):
        yield Problem(
            f"{field}.environment.{variable}", "each pod has its own; nearest: leave it out"
        )
    if script.ray is not None:
        for key in OF_A_JOB_SET:
            if key in script.model_fields_set:
                yield Problem(
                    f"{field}.{key}",
                    f"the job has that of the RayCluster {script.ray}; nearest: leave it out",
                )
        return
    if script.image is None:
        yield Problem(f"{field}.image", f"missing; nearest: {facts.image('ray_gpu').reference}")
    if script.requests is None:
        yield Problem(f"{field}.requests", "missing; nearest: {cpu: 1, memory_gib: 2}")
    if script.server is not None and script.server not in stack.servers:
        near = nearest(script.server, list(stack.servers)) if stack.servers else "leave it out"
        yield Problem(
            f"{field}.server", f'"{script.server}" is no server of this stack; nearest: {near}'
        )
    yield from mount_problems(f"{field}.mounts", script.mounts or (), stack)
    yield from _pool_problems(stack, facts, field, script)


def script_rules(plan: Plan, script: PlannedScript) -> Iterator[Problem]:
    """Of one that is a JobSet of its own."""
    for rule in (_pod_problems, _queue_problems, _room_problems, _turn_problems):
        yield from rule(plan, script)


def _pod_problems(plan: Plan, script: PlannedScript) -> Iterator[Problem]:
    field, pool = script.field, script.pool
    yield from problem_of(field, lambda: check_name(NameKind.JOB_SET, script.name))
    if script.gpus and script.host.machine.accelerator is None:
        yield Problem(f"{field}.gpus", f"{script.host.name} has no GPUs; nearest: leave it out")
    else:
        yield from gpu_problems(f"{field}.gpus", script.gpus, script.host.machine)
    if pool is not None:
        yield from interface_problems(f"{field}.gpus", script.gpus, pool)
    if plan.autopilot and pool is not None:
        yield from whole_machine_problems(f"{field}.gpus", script.gpus, script.host.machine)
    if pool is not None and script.config.nodes > pool.bounds.max:
        yield Problem(
            f"{field}.nodes",
            f"{script.config.nodes} are more than {pool.name} can ever have; "
            f"nearest: {pool.bounds.max}",
        )
    bucket = next(iter(script.buckets.values()), None)
    names = {} if bucket is None else {"bucket": bucket.field}
    yield from under(names, pod_problems(field, script.as_pod, script.host, script.sidecar))
    yield from under(names, _disk_problems(plan, script))


def _queue_problems(plan: Plan, script: PlannedScript) -> Iterator[Problem]:
    field, config, pool = script.field, script.config, script.pool
    found = waiting_problems(
        plan, field, JOB_SETS, config.queue, config.priority, config.workload_priority
    )
    yield from found or _admission_problems(plan, script)
    if pool is not None and not plan.autopilot:
        queues = None if config.queue is None else plan.queues
        checked = queues is not None and queues.asks_for(pool.name)
        yield from on_request_problems(pool.field, pool.config.capacity, checked=checked)


def _room_problems(plan: Plan, script: PlannedScript) -> Iterator[Problem]:
    """What stays on nodes of the pool leaves enough of them room, wherever it is."""
    pool, node = script.pool, Amounts.of_node(script.host)
    if pool is None or not node.holds(script.on_node):
        return
    nodes = pool.bounds.max
    for guest in _guests(plan, pool):
        # A queue has the more important of them start first.
        if guest.queued and script.config.queue is not None:
            continue
        free = nodes - _closed(node, guest, script.on_node)
        if free < min(script.config.nodes, nodes):
            fewer = f"{free}, or " if free > 0 else ""
            yield Problem(
                f"{script.field}.nodes",
                f"{script.config.nodes} of {pool.name} may never have room beside {guest.field}; "
                f"nearest: {fewer}a pool of its own",
            )


def _turn_problems(plan: Plan, script: PlannedScript) -> Iterator[Problem]:
    """Of two jobs without a queue each may have some of the nodes that the other waits for."""
    pool, nodes = script.pool, script.config.nodes
    if pool is None or script.config.queue is not None or nodes == 1:
        return
    node = Amounts.of_node(script.host)
    for other in plan.scripts.values():
        if other.name == script.name:
            return
        both = other.config.nodes + nodes
        apart = (node - other.on_node).holds(script.on_node) == 0
        alike = other.pool == pool and other.config.queue is None and other.config.nodes > 1
        if alike and apart and both > pool.bounds.max:
            yield Problem(
                f"{script.field}.queue",
                f"missing, and {other.field} is on {pool.name}, too, which has {pool.bounds.max} "
                f"nodes for the {both} of both: each may have some that the other waits for; "
                "nearest: a queue for both",
            )


def _disk_problems(plan: Plan, script: PlannedScript) -> Iterator[Problem]:
    limits, pool = script.limits, script.pool
    if limits is not None:
        yield from pod_disk_problems(
            script.field,
            script.as_pod,
            sidecar_gib=limits.ephemeral_storage_gib,
            cache_mib=sum(max(0, it.config.mount.file_cache_mib) for it in script.buckets.values()),
            written_gib=_LOGS_GIB,
            autopilot=plan.autopilot,
        )
    images = plan.facts.versions.images.values()
    sizes = [it.unpacked_gib for it in images if it.reference == script.config.image]
    # Nothing is known of another image.
    image_gib = next((it for it in sizes if it is not None), None)
    if image_gib is not None and pool is not None and not plan.autopilot:
        yield from boot_disk_problems(
            script.host,
            pool.config.disk.size_gb,
            image_gib=image_gib,
            pods_mib=script.on_node.ephemeral_storage_mib,
            field=pool.field,
        )


def _pool_problems(stack: Stack, facts: Catalog, field: str, script: Script) -> Iterator[Problem]:
    kinds = pool_kinds(stack, facts)
    if not stack.cluster.autopilot and None not in kinds.values():
        # Every Standard cluster has one.
        kinds[CPU_POOL] = None
    known = [name for name, kind in kinds.items() if kind != "tpu"]
    if script.pool is None:
        if script.gpus is not None:
            yield from gpu_pool_problems(field, None, stack, facts)
    elif kinds.get(script.pool) == "tpu":
        yield Problem(
            f"{field}.pool",
            f"pods of {script.pool} are Ray's, who knows its slices; nearest: the job's ray, with "
            "a RayCluster on the pool",
        )
    elif script.pool not in known:
        near = nearest(script.pool, known) if known else "leave it out"
        yield Problem(f"{field}.pool", f'"{script.pool}" is no pool of this stack; nearest: {near}')


def _admission_problems(plan: Plan, script: PlannedScript) -> Iterator[Problem]:
    queues, queue, pool = plan.queues, script.config.queue, script.pool
    if queues is None or queue is None or not queues.sound:
        return
    wanted = Queued(
        field=script.field,
        queue=queue,
        where=plan.stack.namespace,
        pod=script.counted,
        pods=script.config.nodes,
    )
    name = wanted.cluster_queue(queues.config)
    if pool is not None and name in queues.quotas_on(pool.name):
        yield from quota_problems(plan, wanted, pool.name)
        return
    near = "leave it out" if pool is None else f"one of {pool.name} in queues.flavors"
    missing = "those that Autopilot makes for single pods" if pool is None else pool.name
    yield Problem(
        f"{script.field}.queue",
        f"{name} has no flavor of {missing}, where the job runs; nearest: {near}",
    )


def _guests(plan: Plan, pool: PlannedPool) -> Iterator[Guest]:
    for ray in plan.ray.values():
        queued = ray.config.queue is not None
        if ray.head_pool == pool:
            head = Amounts.of_pod(ray.config.head.requests, 0, ray.sidecar(head=True))
            yield Guest(f"{ray.field}.head", head, 1, queued)
        for group in ray.groups.values():
            # Where the cluster scales, workers come as there is room, and go.
            if pool in group.pools and ray.config.autoscaling is None:
                sidecar = ray.sidecar(head=False)
                worker = Amounts.of_pod(group.config.requests, group.gpus, sidecar)
                yield Guest(group.field, worker, pool.nodes, queued)
    for server in plan.servers.values():
        if server.pool == pool:
            config = server.config
            yield Guest(server.field, server.pod, config.most, config.queue is not None)


def _closed(node: Amounts, guest: Guest, pod: Amounts) -> int:
    """How many nodes the guests can leave without room for the pod, at worst."""
    rest, on_one = node, 0
    while rest.holds(pod):
        rest -= guest.pod
        on_one += 1
        if node.holds(guest.pod) < on_one:
            return 0
    return guest.pods // on_one
