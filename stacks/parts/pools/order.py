"""What waits for what where pools come just in time, by components. No Pulumi import."""

from collections.abc import Collection

from stacks.parts.buckets.plan import PlannedBucket
from stacks.parts.cluster.plan import runs_kuberay
from stacks.parts.jobs.plan import PlannedScript
from stacks.parts.pools.plan import PlannedPool
from stacks.parts.ray.plan import PlannedRay
from stacks.plan import Plan

# Class and logical name of a component of ours.
Component = tuple[str, str]
VOLUME: Component = ("LustreVolume", "volume")
REDIS: Component = ("TokenSecret", "redis-password")
KUBERAY: Component = ("KubeRayOperator", "kuberay")
JOB_SETS: Component = ("JobSetController", "jobset")
QUEUES: Component = ("KueueQueues", "queues")
LOCAL_QUEUES: Component = ("LocalQueues", "queues-local-queue")


def late_pools(plan: Plan) -> frozenset[str]:
    """Those that the config has come just in time."""
    return frozenset(name for name, it in plan.pools.items() if it.late)


def choosable(plan: Plan) -> frozenset[str]:
    """Those that could: with accelerators, in a cluster that has pools, and not from zero."""
    if plan.autopilot:
        return frozenset()
    return frozenset(name for name, it in plan.accelerated.items() if not it.from_zero)


def waits(plan: Plan, late: Collection[str]) -> dict[Component, list[Component]]:
    """By component what it waits for, with the pools `late` just in time and all others early."""
    found: dict[Component, list[Component]] = {}
    for name in sorted(late):
        found |= dict.fromkeys(components_of(plan.pools[name]), awaited(plan, plan.pools[name]))
    return found


def components_of(pool: PlannedPool) -> list[Component]:
    """The pool's own, or that of each slice."""
    if pool.kind == "tpu":
        return [("TpuSlicePool", f"{pool.name}-{it}") for it in pool.slices]
    return [("NodePool", pool.name)]


def awaited(plan: Plan, pool: PlannedPool) -> list[Component]:
    """What the work on a pool needs anyway, and what is there before a pool that is just in
    time."""
    rays, scripts = _rays_on(plan, pool), _scripts_on(plan, pool)
    tunings = [it for it in plan.fine_tunings.values() if it.pool.name == pool.name]
    # Names are resolved on the first.
    under_pods = [plan.cpu_pool, *(it.head_pool for it in rays)]
    mounted = [key for it in (*rays, *scripts) for key in it.buckets]
    mounted += [it.bucket.key for it in tunings]
    found = [
        one for it in under_pods if it is not None and it.kind == "cpu" for one in components_of(it)
    ]
    if rays and runs_kuberay(plan.stack):
        found.append(KUBERAY)
    if scripts:
        found.append(JOB_SETS)
    if plan.queues is not None:
        found += [QUEUES, LOCAL_QUEUES]
    if any(it.config.head.redis for it in rays):
        found.append(REDIS)
    found += [of_bucket(plan.buckets[key]) for key in mounted]
    if any(it.lustre for it in (*rays, *scripts)) and not _comes_with_lustre(plan, pool):
        found.append(VOLUME)
    return list(dict.fromkeys(found))


def of_bucket(bucket: PlannedBucket) -> Component:
    """What is there last before pods can mount it."""
    if bucket.claim_gib is None:
        return "BucketGrant", f"{bucket.key}-user"
    return "BucketVolume", f"{bucket.key}-volume"


def _comes_with_lustre(plan: Plan, pool: PlannedPool) -> bool:
    """Whether Lustre is made while the stack makes its cluster, nodes without accelerators and then
    those with them, one after the other, which take as long (catalog/data/durations.yaml): a pool
    that waited for it would be late by all the time that it takes itself. Not of a slow tier, and
    not where the time serves for the first pull of its images."""
    made = None if plan.stack.lustre is None else plan.stack.lustre.made
    if made is None or not plan.stack.cluster.is_made or _pulled_before(plan, pool):
        return False
    return not plan.facts.lustre_tier(made.throughput_mbps_per_tib).slow


def _pulled_before(plan: Plan, pool: PlannedPool) -> bool:
    """Whether nodes without accelerators pull the pool's images first through a mirror of the
    stack's, which is empty: they stream onto nodes that come after that."""
    if pool.name not in plan.images.streamed:
        return False
    new = tuple(f"{it.path}/" for it in plan.images.made)
    return any(
        all(image.startswith(new) for image in it.images)
        and any(one.name == pool.name for one in it.pools)
        and any(one.kind == "cpu" and one.name in plan.images.streamed for one in it.pools)
        for it in plan.images.preloads
    )


def _rays_on(plan: Plan, pool: PlannedPool) -> list[PlannedRay]:
    return [
        it
        for it in plan.ray.values()
        if any(pool.name == one.name for group in it.groups.values() for one in group.pools)
    ]


def _scripts_on(plan: Plan, pool: PlannedPool) -> list[PlannedScript]:
    return [it for it in plan.scripts.values() if any(pool.name == one.name for one in it.pools)]
