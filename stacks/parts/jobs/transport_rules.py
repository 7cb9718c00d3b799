"""Work over several machines is on those that NCCL has its fast way between. No Pulumi import."""

from collections.abc import Iterator

from catalog.machines import MachineTable
from catalog.table import load_table
from stacks.parts.jobs.script import Script
from stacks.parts.pools.plan import PlannedPool
from stacks.plan import Plan
from stacks.problems import Problem


def transport_problems(plan: Plan) -> Iterator[Problem]:
    """Each pool once, however many jobs are on it."""
    known = load_table(MachineTable, "machine_types").unbuilt_transports
    for pool, machines in _spanned(plan).values():
        if (facts := known.get(pool.machine.name)) is not None:
            yield Problem(
                f"{pool.field}.machine_type",
                f"work over {machines} of {pool.machine.name} needs {facts.what}: {facts.parts}, "
                f"which are not made here, and without it NCCL is plain TCP; nearest: "
                f"{facts.nearest}, or one machine",
            )


def _spanned(plan: Plan) -> dict[str, tuple[PlannedPool, int]]:
    """Pools, by their names, with GPUs of several machines in one training or script."""
    found: dict[str, tuple[PlannedPool, int]] = {}
    for job in plan.ray_jobs.values():
        workers = plan.ray[plan.cluster_of(job)].accelerated
        if not isinstance(job, Script) and workers.count > 1:
            found |= {it.name: (it, workers.count) for it in workers.pools}
    for script in plan.scripts.values():
        if script.gpus and script.config.nodes > 1:
            found |= {it.name: (it, script.config.nodes) for it in script.pools}
    return found
