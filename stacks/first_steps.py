"""The first step of the work on a pool: what its accelerators are paid for before it begins. Pure.

It is there when the first job on the pool has been made; where the pool has no job when the first
server of a model answers, and where it has neither when its first RayCluster is up.
"""

from collections.abc import Collection, Iterable

from stacks.parts.pools.plan import PlannedPool
from stacks.plan import Plan
from stacks.planned_jobs import planned_jobs
from stacks.workloads import DEPLOYMENT, RAY_CLUSTER

# Type and logical name of an object.
Work = tuple[str, str]


def first_steps(plan: Plan, pool: PlannedPool) -> Collection[Work]:
    """The objects of which the first is the first step; none for a pool that nothing runs on."""
    jobs = {key for key, it in planned_jobs(plan).items() if _has(pool, it.pools)}
    servers = {
        (DEPLOYMENT, f"{name}-deployment")
        for name, it in plan.servers.items()
        if _has(pool, [it.pool])
    }
    clusters = {
        (RAY_CLUSTER, f"{name}-cluster")
        for name, it in plan.ray.items()
        if any(_has(pool, group.pools) for group in it.groups.values())
    }
    return jobs or servers or clusters


def _has(pool: PlannedPool, pools: Iterable[PlannedPool | None]) -> bool:
    return any(it is not None and it.name == pool.name for it in pools)
