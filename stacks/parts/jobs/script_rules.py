"""What a script demands of what it runs on, and that it waits for nothing that never comes: for no
quota, and not for another script. No Pulumi import."""

from collections.abc import Iterator
from typing import NamedTuple

from catalog import Catalog
from components.base.naming import NameKind, check_name
from components.jobs.job_set_manifest import OWN_VARIABLES
from stacks.commands import setting
from stacks.config_errors import nearest
from stacks.parts.jobs.command_words import launcher_problems
from stacks.parts.jobs.plan import JOB_SETS, PlannedScript
from stacks.parts.jobs.script import FILES_VARIABLE, OF_A_JOB_SET, SERVER_VARIABLE, Script
from stacks.parts.pools.alike_rules import alike_problems
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
from stacks.parts.pools.room import Resident, passing_problems
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
from stacks.secret_references import variable_problems
from stacks.secret_words import is_secret_variable, secrets_in_command
from stacks.stack import Stack
from stacks.tokens import SERVER_KEY_VARIABLE, VARIABLES

_SECRET = "looks like a secret, which all could read in the file, in the state and in the job"
OWN_PODS = "image and requests, without ray, for pods of its own"
FEW_REQUESTS = "{cpu: 1, memory_gib: 2}"
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
    own = {*OWN_VARIABLES, FILES_VARIABLE} | (
        {SERVER_VARIABLE, SERVER_KEY_VARIABLE} if script.server else set()
    )
    for variable in sorted(own & script.environment.keys()):
        yield Problem(
            f"{field}.environment.{variable}", "each pod has its own; nearest: leave it out"
        )
    if not script.command[0].strip():
        yield Problem(f"{field}.command[0]", "names no program; nearest: python3")
    yield from secret_problems(field, script)
    yield from variable_problems(f"{field}.secrets", script.secrets, own, script.environment)
    if script.ray is not None:
        for key in OF_A_JOB_SET:
            if key in script.model_fields_set:
                yield Problem(
                    f"{field}.{key}",
                    f"the job has that of the RayCluster {script.ray}; nearest: leave it out",
                )
        yield from _secrets_on_ray(field, script, stack)
        return
    if script.image is None:
        yield Problem(f"{field}.image", f"missing; nearest: {facts.image('ray_gpu').reference}")
    if script.requests is None:
        yield Problem(f"{field}.requests", f"missing; nearest: {FEW_REQUESTS}")
    if script.server is not None and script.server not in stack.servers:
        near = nearest(script.server, list(stack.servers)) if stack.servers else "leave it out"
        yield Problem(
            f"{field}.server", f'"{script.server}" is no server of this stack; nearest: {near}'
        )
    yield from mount_problems(f"{field}.mounts", script.mounts or (), stack)
    yield from _pool_problems(stack, facts, field, script)


def _secrets_on_ray(field: str, script: Script, stack: Stack) -> Iterator[Problem]:
    """What the pods of its RayCluster do not have."""
    cluster = stack.ray.get(script.ray or "")
    if cluster is None:
        return
    for at, secret in enumerate(script.named_secrets):
        if not any(map(secret.is_among, cluster.named_secrets)):
            yield Problem(
                f"{field}.secrets[{at}]",
                f"pods of the RayCluster {script.ray} do not have it, and what Ray gives to a job "
                f"of its own stands there in plain; nearest: {script.secrets[at]} in "
                f"ray.{script.ray}.secrets, which makes another cluster, or {OWN_PODS}",
            )


def secret_problems(field: str, script: Script) -> Iterator[Problem]:
    """No secret stands in the file, from which it would come into the state and the job."""
    for name, value in script.environment.items():
        if is_secret_variable(name, value):
            yield Problem(f"{field}.environment.{name}", f"{_SECRET}; nearest: {_instead(name)}")
    for at, what in secrets_in_command(script.command):
        yield Problem(
            f"{field}.command[{at}]",
            f"{_SECRET} ({what}); nearest: the name of a variable; {_from()}",
        )


def _instead(variable: str) -> str:
    key = next((key for key, it in VARIABLES.items() if it == variable), None)
    if key is not None:
        return f"leave it out, and pods get it from `{setting(key)}`"
    return f"leave it out; {_from()}"


def _from() -> str:
    """Where a command has secrets from."""
    own = " and ".join(f"{it} from `{setting(key)}`" for key, it in VARIABLES.items())
    return f"pods have {own}, and a command can read others from Secret Manager"


def script_rules(plan: Plan, script: PlannedScript) -> Iterator[Problem]:
    """Of one that is a JobSet of its own."""
    for rule in (_pod_problems, _queue_problems, _room_problems, _turn_problems):
        yield from rule(plan, script)


def _pod_problems(plan: Plan, script: PlannedScript) -> Iterator[Problem]:
    field, pool = script.field, script.pool
    command, nodes = script.config.command, script.config.nodes
    variables = script.config.environment
    yield from launcher_problems(f"{field}.command", command, nodes, script.gpus, variables)
    yield from problem_of(field, lambda: check_name(NameKind.JOB_SET, script.name), of_key=True)
    if script.gpus and script.host.machine.accelerator is None:
        yield Problem(f"{field}.gpus", f"{script.host.name} has no GPUs; nearest: leave it out")
    else:
        yield from gpu_problems(f"{field}.gpus", script.gpus, script.host.machine)
    if pool is not None:
        yield from interface_problems(f"{field}.gpus", script.gpus, pool)
    if plan.autopilot and pool is not None:
        yield from whole_machine_problems(f"{field}.gpus", script.gpus, script.host.machine)
    least = min(script.pools, key=lambda it: it.bounds.max, default=None)
    if least is not None and script.config.nodes > least.bounds.max:
        yield Problem(
            f"{field}.nodes",
            f"{script.config.nodes} are more than {least.name} can ever have; "
            f"nearest: {least.bounds.max}",
        )
    if script.config.pools:
        yield from alike_problems(field, "pods of one job", script.pools)
    bucket = next(iter(script.buckets.values()), None)
    names = {} if bucket is None else {"bucket": bucket.field}
    yield from under(names, pod_problems(field, script.as_pod, script.host, script.sidecar))
    yield from under(names, _disk_problems(plan, script))


def _queue_problems(plan: Plan, script: PlannedScript) -> Iterator[Problem]:
    field, config = script.field, script.config
    found = waiting_problems(
        plan, field, JOB_SETS, config.queue, config.priority, config.workload_priority
    )
    yield from found or _admission_problems(plan, script)
    for pool in () if plan.autopilot else script.pools:
        queues = None if config.queue is None else plan.queues
        checked = queues is not None and queues.asks_for(pool.name)
        yield from on_request_problems(pool.field, pool.config.capacity, checked=checked)


def _room_problems(plan: Plan, script: PlannedScript) -> Iterator[Problem]:
    """What stays on nodes of the pool leaves enough of them room, wherever it is."""
    for pool in script.pools:
        if Amounts.of_node(script.host).holds(script.on_node):
            found = [*_beside_problems(plan, script, pool)]
            one = Resident(field=script.field, pod=script.on_node, pods=script.config.nodes)
            yield from found or passing_problems(plan, pool, one)


def _beside_problems(plan: Plan, script: PlannedScript, pool: PlannedPool) -> Iterator[Problem]:
    nodes, node = pool.bounds.max, Amounts.of_node(script.host)
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
    limits = script.limits
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
    sizes = [it.unpacked_gib for it in images if it.is_named_by(script.config.image or "")]
    # Nothing is known of another image.
    image_gib = next((it for it in sizes if it is not None), None)
    for pool in script.pools if image_gib is not None and not plan.autopilot else ():
        yield from boot_disk_problems(
            script.host,
            pool.config.disk.size_gb,
            image_gib=image_gib or 0,
            pods_mib=script.on_node.ephemeral_storage_mib,
            field=pool.field,
        )


def _pool_problems(stack: Stack, facts: Catalog, field: str, script: Script) -> Iterator[Problem]:
    kinds = pool_kinds(stack, facts)
    if not stack.cluster.autopilot and None not in kinds.values():
        # Every Standard cluster has one.
        kinds[CPU_POOL] = None
    known = [name for name, kind in kinds.items() if kind != "tpu"]
    named = {f"{field}.pools[{place}]": it for place, it in enumerate(script.pools)}
    if script.pool is not None:
        named[f"{field}.pool"] = script.pool
    elif script.gpus is not None and not script.pools:
        yield from gpu_pool_problems(field, None, stack, facts)
    for at, pool in named.items():
        if kinds.get(pool) == "tpu":
            yield Problem(
                at,
                f"pods of {pool} are Ray's, who knows its slices; nearest: the job's ray, with a "
                "RayCluster on the pool",
            )
        elif pool not in known:
            near = nearest(pool, known) if known else "leave it out"
            yield Problem(at, f'"{pool}" is no pool of this stack; nearest: {near}')
    yield from _choice_problems(stack, field, script)


def _choice_problems(stack: Stack, field: str, script: Script) -> Iterator[Problem]:
    """Who chooses is the queue."""
    if not script.pools:
        return
    first = script.pools[0]
    if script.pool is not None:
        yield Problem(f"{field}.pool", "there are pools, too; nearest: leave it out")
    if stack.cluster.autopilot:
        yield Problem(
            f"{field}.pools",
            f"Autopilot makes machines for pods that know which; nearest: pool: {first}",
        )
    elif script.queue is None:
        yield Problem(
            f"{field}.pools",
            f"without a queue nobody chooses one; nearest: leave it out, with pool: {first}",
        )
    for place, pool in enumerate(script.pools):
        if pool in script.pools[:place]:
            yield Problem(
                f"{field}.pools[{place}]", f'"{pool}" is there twice; nearest: leave it out'
            )


def _admission_problems(plan: Plan, script: PlannedScript) -> Iterator[Problem]:
    queues, queue = plan.queues, script.config.queue
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
    for pool in script.pools or (None,):
        if pool is not None and name in queues.quotas_on(pool.name):
            yield from quota_problems(plan, wanted, pool.name)
            continue
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
