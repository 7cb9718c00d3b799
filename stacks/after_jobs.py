"""Machines that stay, and are paid for, when jobs have ended or failed. Pure.

A RayJob of the stack runs on a RayCluster that it names by `clusterSelector`. KubeRay shuts down no
such cluster, and takes neither DeleteCluster nor DeleteWorkers for it (ray-project/kuberay
ray-operator/controllers/ray/utils/validation.go:815 and 947, feeaf72fa of 2026-08-19). So the pods
of the workers hold their machines, those of a pool that begins with none among them. Workers go by
themselves with Ray's autoscaler alone, down to the fewest of their group.

Pods of scripts and fine-tunings end, and GKE's autoscaler takes away what stands idle, down to the
fewest nodes of a pool that scales. A pool that does not scale, and those fewest, stay.
"""

from stacks.machine_price import price_of, unpriced_of, usd
from stacks.money import nearest, total
from stacks.parts.cluster.config import RayOperator
from stacks.parts.pools.plan import PlannedPool
from stacks.parts.ray.plan import PlannedRay, PlannedWorkers
from stacks.plan import Plan

_OPERATOR = "cluster.ray_operator"


def sentences(plan: Plan, stack: str) -> list[str]:
    """For each RayCluster whose workers stay, and each pool whose nodes do: what stays, what it
    costs, what gives it back. `stack` is what Pulumi calls it."""
    pools = idle_pools(plan).items()
    return [
        *(_sentence(plan, stack, it) for it in staying(plan)),
        *(_of_pool(plan, stack, plan.pools[name], jobs) for name, jobs in pools),
    ]


def idle_pools(plan: Plan) -> dict[str, list[str]]:
    """Pools with accelerators that have nodes without any pod, with the jobs whose end leaves them
    so. A pool that a server or a RayCluster has, too, is theirs."""
    jobs: dict[str, list[str]] = {}
    for script in plan.scripts.values():
        for pool in script.pools:
            jobs.setdefault(pool.name, []).append(script.field)
    for tuning in plan.fine_tunings.values():
        jobs.setdefault(tuning.pool.name, []).append(tuning.field)
    groups = [one for it in plan.ray.values() for one in it.groups.values()]
    others = {pool.name for it in groups for pool in it.pools}
    others |= {it.pool.name for it in plan.servers.values()}
    return {
        name: fields
        for name, fields in jobs.items()
        if name in plan.pools and name not in others and _stays(plan.pools[name])
    }


def _stays(pool: PlannedPool) -> bool:
    return pool.kind != "cpu" and not pool.autopilot and pool.bounds.min > 0


def _of_pool(plan: Plan, stack: str, pool: PlannedPool, jobs: list[str]) -> str:
    count, have = pool.bounds.min, "has" if len(jobs) == 1 else "have"
    without = f"`pulumi up --stack {stack}` without {', '.join([*jobs, pool.field])}"
    near = without if pool.never_pending else f"{pool.field}.autoscaling with min 0"
    return (
        f"{pool.field}: {count} x {pool.machine.name} stay when {', '.join(jobs)} {have} ended or "
        f"failed, for {_price(plan, [(pool, count)])}; nearest: `pulumi destroy --stack {stack}` "
        f"then, or {near}"
    )


def staying(plan: Plan) -> list[PlannedRay]:
    """The RayClusters with jobs whose workers hold accelerators until somebody takes them away."""
    return [it for it in plan.ray.values() if it.jobs and _groups(it)]


def _groups(ray: PlannedRay) -> list[PlannedWorkers]:
    return [it for it in ray.groups.values() if it.first.kind != "cpu" and nodes(ray, it)]


def _sentence(plan: Plan, stack: str, ray: PlannedRay) -> str:
    groups = _groups(ray)
    machines = [(it.first, nodes(ray, it)) for it in groups]
    held = " and ".join(f"{count} x {pool.machine.name}" for pool, count in machines)
    jobs = [f"jobs.{name}" for name, it in plan.ray_jobs.items() if plan.cluster_of(it) == ray.name]
    pools = [one.field for it in groups for one in it.pools]
    # The add-on goes with the last RayCluster, and takes it along (stacks/ray_first.py).
    last = ray.operator is RayOperator.ADDON and len(plan.ray) == 1 and plan.stack.cluster.is_made
    kept = f"with {_OPERATOR}: {RayOperator.ADDON.value} and " if last else ""
    have = "has" if len(jobs) == 1 else "have"
    return (
        f"{ray.field}: {held} stay when {', '.join(jobs)} {have} ended or failed, for "
        f"{_price(plan, machines)}; nearest: `pulumi destroy --stack {stack}` then, or `pulumi up "
        f"--stack {stack}` {kept}without {', '.join([*jobs, ray.field, *pools])}"
    )


def nodes(ray: PlannedRay, group: PlannedWorkers) -> int:
    """The machines that the workers of a group hold without a job: all, or of a cluster that scales
    those of its fewest workers and the fewest nodes of its pools."""
    if ray.config.autoscaling is None:
        return group.count * group.hosts
    fewest = 0 if ray.autopilot else sum(it.bounds.min for it in group.pools)
    return max(group.config.min_workers * group.hosts, fewest)


def _price(plan: Plan, machines: list[tuple[PlannedPool, int]]) -> str:
    """An hour of so many machines of each pool."""
    priced = [(pool, count, price_of(pool, plan.facts)) for pool, count in machines]
    known = [(count, price) for _, count, price in priced if price is not None]
    missing = [
        unpriced_of(pool, (count, count), plan.facts)
        for pool, count, price in priced
        if price is None
    ]
    low = sum(count * price.low for count, price in known)
    high = sum(count * price.high for count, price in known)
    said = total(usd(low, high) if known else "", "USD an hour", missing)
    return "; ".join(filter(None, [said, nearest(missing)]))
