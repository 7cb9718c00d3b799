"""What a script demands of what it runs on. No Pulumi import."""

from collections.abc import Iterator

from catalog import Catalog
from components.job_set_manifest import OWN_VARIABLES
from components.naming import NameKind, check_name
from stacks.config_errors import nearest
from stacks.fields import under
from stacks.parts.jobs.script.config import FILES_VARIABLE, OF_A_JOB_SET, Script
from stacks.parts.jobs.script.plan import PlannedScript
from stacks.parts.pools.config import CPU_POOL
from stacks.parts.ray.rules import mount_problems
from stacks.parts.servers.rules import gpu_pool_problems
from stacks.parts.servers.server_rules import gpu_problems
from stacks.plan import Plan
from stacks.problems import Problem, problem_of
from stacks.rules.boot_disk import boot_disk_problems
from stacks.rules.pod_disk import pod_disk_problems
from stacks.rules.ray_fit import interface_problems, pod_problems
from stacks.rules.sharing import whole_machine_problems
from stacks.stack import Stack

# What the kubelet keeps of a container's log, rounded up.
_LOGS_GIB = 1


def references(stack: Stack, facts: Catalog, name: str, script: Script) -> Iterator[Problem]:
    """Keys that go together, and a pool that there is."""
    field = f"jobs.{name}"
    if script.file is not None and script.folder is not None:
        yield Problem(f"{field}.folder", "there is a file, too; nearest: leave one of them out")
    for variable in sorted({*OWN_VARIABLES, FILES_VARIABLE} & script.environment.keys()):
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
    yield from mount_problems(f"{field}.mounts", script.mounts or (), stack)
    yield from _pool_problems(stack, facts, field, script)


def script_rules(plan: Plan, script: PlannedScript) -> Iterator[Problem]:
    """Of one that is a JobSet of its own."""
    field, pool = script.field, script.pool
    yield from problem_of(field, lambda: check_name(NameKind.JOB_SET, script.name))
    if script.gpus and script.host.machine.accelerator is None:
        yield Problem(f"{field}.gpus", f"{script.host.name} has no GPUs; nearest: leave it out")
    else:
        yield from gpu_problems(f"{field}.gpus", script.gpus, script.host.machine)
    yield from interface_problems(f"{field}.gpus", script.gpus, script.host.machine)
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
    machines = {name: facts.machines.get(it.machine_type) for name, it in stack.pools.items()}
    kinds = {
        name: None if it is None or it.accelerator is None else it.accelerator.kind
        for name, it in machines.items()
    }
    if not stack.cluster.autopilot and None not in kinds.values():
        # Every Standard cluster has one.
        kinds[CPU_POOL] = None
    known = [name for name, kind in kinds.items() if kind != "tpu"]
    if script.pool is None:
        if script.gpus is not None:
            with_gpus = [name for name, kind in kinds.items() if kind == "gpu"]
            yield from gpu_pool_problems(field, None, with_gpus)
    elif kinds.get(script.pool) == "tpu":
        yield Problem(
            f"{field}.pool",
            f"pods of {script.pool} are Ray's, who knows its slices; nearest: the job's ray, with "
            "a RayCluster on the pool",
        )
    elif script.pool not in known:
        near = nearest(script.pool, known) if known else "leave it out"
        yield Problem(f"{field}.pool", f'"{script.pool}" is no pool of this stack; nearest: {near}')
