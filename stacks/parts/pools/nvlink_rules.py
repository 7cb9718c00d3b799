"""What runs on machines that are of one NVLink domain, and how they are had. No Pulumi import.

Sources: AI Hypercomputer documentation, "Create a custom AI-optimized GKE cluster which uses A4X"
(last updated 2026-04-06, read 2026-11-24): at most 18 machines in a pool, by a workload policy,
pods with all GPUs of a machine; kubernetes-sigs/dra-driver-nvidia-gpu, one release a cluster. That
images are for arm64 is for their user to see to: the catalog knows none of others.
"""

from collections.abc import Iterator

from catalog.families import NvlinkDomain
from stacks.parts.pools.plan import PlannedPool
from stacks.plan import Plan
from stacks.problems import Problem


def nvlink_problems(plan: Plan) -> Iterator[Problem]:
    for pool in plan.gpu_pools.values():
        if pool.domain is not None:
            yield from _pool_problems(plan, pool, pool.domain)
            yield from _plugin_problems(plan, pool)
            yield from _work_problems(plan, pool, pool.domain)


def _pool_problems(plan: Plan, pool: PlannedPool, domain: NvlinkDomain) -> Iterator[Problem]:
    machine = pool.machine.name
    if plan.autopilot:
        yield Problem(
            f"{pool.field}.machine_type",
            f"{machine} is placed by a workload policy, which is made for node pools alone; "
            "nearest: a cluster in mode standard",
        )
    if not plan.stack.cluster.is_made:
        yield Problem(
            f"{pool.field}.machine_type",
            f"NVIDIA's driver of NVLink domains, which {machine} needs, is in a cluster once, and "
            "the stack does not know whether the existing one has it; nearest: a cluster of the "
            "stack's own",
        )
    if pool.bounds.max > domain.machines:
        yield Problem(
            f"{pool.field}.nodes",
            f"{pool.bounds.max} are more than the {domain.machines} of one NVLink domain; "
            f"nearest: {domain.machines}, or a second pool",
        )
    if pool.config.compact_placement:
        yield Problem(
            f"{pool.field}.compact_placement",
            f"a workload policy {domain.topology} places {machine}; nearest: false",
        )
    if pool.gpus_claimed:
        yield Problem(
            f"{pool.field}.gpus_by",
            f"pods have all GPUs of {machine}; nearest: device-plugin",
        )


def _plugin_problems(plan: Plan, pool: PlannedPool) -> Iterator[Problem]:
    """One plug-in of NCCL's is installed, and one release of NVIDIA's driver."""
    for other in plan.gpu_pools.values():
        if other.domain is None and (other.rdma or other.gpus_claimed):
            yield Problem(
                f"{pool.field}.machine_type",
                f"its plug-in of NCCL's is for {pool.machine.name} alone, and {other.name} has "
                f"{other.machine.name}; nearest: a stack for each",
            )


def _work_problems(plan: Plan, pool: PlannedPool, domain: NvlinkDomain) -> Iterator[Problem]:
    why = f"pods of its image would be for {domain.architecture}, as those of {pool.name} are"
    for ray in plan.ray.values():
        for group in ray.groups.values():
            if pool in group.pools:
                yield Problem(
                    group.field,
                    f"{why}, and Ray's head is not; nearest: a job of type script on {pool.name}",
                )
    servers = [it for it in plan.servers.values() if it.pool == pool]
    tunings = [it for it in plan.fine_tunings.values() if it.pool == pool]
    for field in (*(it.field for it in servers), *(it.field for it in tunings)):
        yield Problem(
            f"{field}.pool", f"{why}, and it has one machine; nearest: another pool with GPUs"
        )
    for script in (it for it in plan.scripts.values() if pool in it.pools):
        if len(script.pools) > 1:
            yield Problem(
                f"{script.field}.pools",
                f"machines of one job are in one NVLink domain, which is that of a pool; nearest: "
                f"pool: {pool.name}",
            )
        if script.gpus < pool.accelerators:
            yield Problem(
                f"{script.field}.gpus",
                f"pods have all GPUs of {pool.machine.name}; nearest: {pool.accelerators}",
            )
