"""Jobs of a plan by their objects: from where each goes on, and what its machines cost. Pure."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import partial
from math import ceil

from catalog import Catalog
from stacks.machine_price import price_of, usd
from stacks.parts.jobs.config import RayJob
from stacks.parts.jobs.plan import PlannedFineTuning, PlannedScript
from stacks.parts.jobs.script import Script
from stacks.parts.pools.plan import PlannedPool
from stacks.plan import Plan
from stacks.workloads import JOB, JOB_SET, RAY_JOB

_Machines = Sequence[tuple[Sequence[PlannedPool | None], int]]


@dataclass(frozen=True)
class PlannedJob:
    """`name` is its key below `jobs`; `resumes` says from where it goes on that is made anew."""

    name: str
    resumes: str
    cost: Callable[[], str] = field(repr=False)
    pools: Sequence[PlannedPool] = ()

    @property
    def hourly(self) -> str:
        """What an hour of its machines costs, of all where their number changes. Prices are read
        for what is asked alone."""
        return self.cost()

    def runs_on(self, pool: str) -> bool:
        """`pool` is a NodePool by its logical name."""
        return any(it.has(pool) for it in self.pools)


def planned_jobs(plan: Plan) -> dict[tuple[str, str], PlannedJob]:
    """By type and logical name of the object."""
    return {
        **{(RAY_JOB, f"{it}-job"): _on_ray(plan, it, job) for it, job in plan.ray_jobs.items()},
        **{(JOB, f"{it}-job"): _tuning(job) for it, job in plan.fine_tunings.items()},
        **{(JOB_SET, f"{it}-job-set"): _script(job) for it, job in plan.scripts.items()},
    }


def _on_ray(plan: Plan, name: str, job: RayJob) -> PlannedJob:
    ray = plan.ray[plan.cluster_of(job)]
    workers = {pool.name: pool for group in ray.groups.values() for pool in group.pools}
    hourly = partial(
        _hourly,
        [
            (one, it.count if it.chosen else one[0].nodes)
            for it in ray.groups.values()
            for one in ([it.pools] if it.chosen else [[pool] for pool in it.pools])
        ],
        plan.facts,
    )
    pools = [*workers.values(), *([ray.head_pool] if ray.head_pool else [])]
    if isinstance(job, Script):
        return PlannedJob(name, job.resumes, hourly, pools)
    storage = plan.storage_of(job)
    # The rules refuse a training without any.
    assert storage is not None
    return PlannedJob(name, job.resumes(name, plan.mount_path(storage)), hourly, pools)


def _tuning(job: PlannedFineTuning) -> PlannedJob:
    nodes = ceil(job.config.pods * job.config.gpus / max(1, job.pool.accelerators))
    resumes = job.config.resumes(job.bucket.config.mount_path)
    hourly = partial(_hourly, [([job.pool], nodes)], job.facts)
    return PlannedJob(job.name, resumes, hourly, [job.pool])


def _script(job: PlannedScript) -> PlannedJob:
    hourly = partial(_hourly, [(job.pools or [None], job.config.nodes)], job.facts)
    return PlannedJob(job.name, job.config.resumes, hourly, job.pools)


def _hourly(machines: _Machines, catalog: Catalog) -> str:
    """Of so many machines each, of one of the pools."""
    prices = [_price(pools, count, catalog) for pools, count in machines]
    known = [it for it in prices if it is not None]
    if len(known) < len(prices):
        return "what is not published"
    low, high = (sum(it) for it in zip(*known, strict=True))
    return f"{usd(low, high)} USD"


def _price(
    pools: Sequence[PlannedPool | None], count: int, catalog: Catalog
) -> tuple[float, float] | None:
    found = [None if it is None else price_of(it, catalog) for it in pools]
    known = [it for it in found if it is not None]
    if len(known) < len(found):
        return None
    return min(it.low for it in known) * count, max(it.high for it in known) * count
