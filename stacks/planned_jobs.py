"""Jobs of a plan by their objects: from where each goes on, and what its machines cost. Pure."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from math import ceil
from typing import Any

from catalog import Catalog
from stacks.machine_price import machine_price, price_of, unpriced_of, usd
from stacks.money import Unpriced, nearest, total, unpriced
from stacks.node_pool_facts import pool_facts
from stacks.parts.buckets.plan import PlannedBucket
from stacks.parts.jobs.checkpoint_layout import Written
from stacks.parts.jobs.config import RayJob
from stacks.parts.jobs.plan import PlannedFineTuning, PlannedScript
from stacks.parts.jobs.script import Script
from stacks.parts.pools.plan import PlannedPool
from stacks.plan import LUSTRE as LUSTRE_MOUNT
from stacks.plan import Plan
from stacks.refusal import BUCKET, LUSTRE
from stacks.workloads import JOB, JOB_SET, RAY_JOB

_ASKED = Unpriced("what its pods ask for on Autopilot")
_Machines = Sequence[tuple[Sequence[PlannedPool | None], int]]
# Inputs or outputs of NodePools by their logical names.
NodePools = Mapping[str, Mapping[str, Any]]
# components/lustre/instance.py
LUSTRE_KEY = (LUSTRE, "lustre-instance")


@dataclass(frozen=True)
class Store:
    """Where a training writes: the mount, the type and logical name of what holds the data, where
    the stack makes that, and what is mounted, as Google calls it."""

    mount_path: str
    key: tuple[str, str] | None
    holder: str


@dataclass(frozen=True)
class PlannedJob:
    """`name` is its key below `jobs`; `resumes` says from where it goes on that is made anew.
    `written` are its checkpoints, which are in the `store`; None of what a script writes."""

    name: str
    resumes: str
    cost: Callable[[NodePools], str] = field(repr=False)
    pools: Sequence[PlannedPool] = ()
    written: Written | None = None
    store: Store | None = None

    def hourly(self, standing: NodePools) -> str:
        """What an hour of its machines costs, of all where their number changes: of those that are
        `standing`, and of what is planned where none is. Prices are read for what is asked
        alone."""
        return self.cost(standing)

    @property
    def place(self) -> str | None:
        """Of its checkpoints, for every stack: what holds them, and the folder in it."""
        if self.written is None or self.store is None:
            return None
        return f"{self.store.holder}{self.written.folder.removeprefix(self.store.mount_path)}"

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
    written = job.resumes(name, plan.mount_path(storage))
    store = Store(plan.mount_path(storage), _key_of(plan, storage), _holder(plan, storage))
    return PlannedJob(name, str(written), hourly, pools, written, store)


def _key_of(plan: Plan, storage: str) -> tuple[str, str] | None:
    if storage == LUSTRE_MOUNT:
        lustre = plan.stack.lustre
        return None if lustre is None or lustre.existing is not None else LUSTRE_KEY
    bucket = plan.buckets[storage]
    return None if bucket.config.existing is not None else bucket_key(storage)


def _holder(plan: Plan, storage: str) -> str:
    lustre = plan.stack.lustre
    if storage == LUSTRE_MOUNT and lustre is not None:
        return f"{plan.stack.zone}/{lustre.instance_name}"
    return _mounted(plan.buckets[storage])


def _mounted(bucket: PlannedBucket) -> str:
    directory = bucket.config.mount.only_dir
    return bucket.name if directory is None else f"{bucket.name}/{directory}"


def bucket_key(name: str) -> tuple[str, str]:
    """Of the bucket at this key of the config (components/buckets/bucket.py)."""
    return BUCKET, f"{name}-bucket"


def stores(plan: Plan) -> set[tuple[str, str]]:
    """Everything with data of jobs that the stack makes."""
    names = [*plan.buckets, *([LUSTRE_MOUNT] if plan.stack.lustre is not None else [])]
    return {key for it in names if (key := _key_of(plan, it)) is not None}


def _tuning(job: PlannedFineTuning) -> PlannedJob:
    nodes = ceil(job.config.pods * job.config.gpus / max(1, job.pool.accelerators))
    mount = job.bucket.config.mount_path
    written = job.config.resumes(mount)
    existing = job.bucket.config.existing is not None
    store = Store(mount, None if existing else bucket_key(job.bucket.key), _mounted(job.bucket))
    hourly = partial(_hourly, [([job.pool], nodes)], job.facts)
    return PlannedJob(job.name, str(written), hourly, [job.pool], written, store)


def _script(job: PlannedScript) -> PlannedJob:
    hourly = partial(_hourly, [(job.pools or [None], job.config.nodes)], job.facts)
    return PlannedJob(job.name, job.config.resumes, hourly, job.pools)


def _hourly(machines: _Machines, catalog: Catalog, standing: NodePools) -> str:
    """Of so many machines each, of one of the pools."""
    low, high, some = 0.0, 0.0, False
    missing: list[Unpriced] = []
    for pools, count in machines:
        price = _price(pools, count, catalog, standing)
        if isinstance(price, Unpriced):
            missing.append(price)
        else:
            low, high, some = low + price[0], high + price[1], True
    said = total(usd(low, high) if some else "", "USD", missing)
    return "; ".join(it for it in (said, nearest(missing)) if it)


def _price(
    pools: Sequence[PlannedPool | None], count: int, catalog: Catalog, standing: NodePools
) -> tuple[float, float] | Unpriced:
    known: list[tuple[float, float]] = []
    for pool in pools:
        price = _ASKED if pool is None else _of_pool(pool, count, catalog, standing)
        if isinstance(price, Unpriced):
            return price
        known.append(price)
    return min(low for low, _ in known), max(high for _, high in known)


def _of_pool(
    pool: PlannedPool, count: int, catalog: Catalog, standing: NodePools
) -> tuple[float, float] | Unpriced:
    """Of so many of its machines; of as many fewer or more as stand, where it changes in size."""
    facts = [pool_facts(it, catalog) for name, it in standing.items() if pool.has(name)]
    if not facts:
        rate = price_of(pool, catalog)
        if rate is None:
            return unpriced_of(pool, (count, count), catalog)
        return rate.low * count, rate.high * count
    one, stood = facts[0], sum(it.high for it in facts)
    if count in (pool.nodes, pool.bounds.max) and stood != pool.bounds.max:
        count = stood
    rate = machine_price(one.machine_type, one.region, one.capacity, catalog)
    if rate is None:
        return unpriced(one.machine, one.machine_type, (count, count), one.region, catalog)
    return rate.low * count, rate.high * count
