"""A RayCluster's pods fit their nodes, and nothing waits for ever. No Pulumi import."""

from collections.abc import Iterator, Sequence

from catalog import Catalog
from stacks.config_errors import nearest
from stacks.fields import under
from stacks.parts.pools.capacity import Spot
from stacks.parts.ray.image_rules import image_problems
from stacks.parts.ray.nccl_test_rules import nccl_test_problems
from stacks.parts.ray.plan import PlannedRay, PlannedWorkers
from stacks.plan import Plan
from stacks.problems import Problem
from stacks.rules.pod_disk import pod_disk_problems
from stacks.rules.ray_fit import (
    head_problems,
    ray_problems,
    worker_problems,
)
from stacks.stack import LUSTRE, Stack


def references(stack: Stack, facts: Catalog) -> Iterator[Problem]:
    """Pools and mounts that there are."""
    del facts
    pools = list(stack.pools)
    for name, cluster in stack.ray.items():
        field = f"ray.{name}"
        if cluster.head.pool is not None and cluster.head.pool not in stack.pools:
            yield _no_pool(f"{field}.head.pool", cluster.head.pool, pools)
        for group, workers in cluster.workers.items():
            for place, pool in enumerate(workers.pools):
                if pool not in stack.pools:
                    yield _no_pool(f"{field}.workers.{group}.pools[{place}]", pool, pools)
        yield from mount_problems(f"{field}.mounts", cluster.mounts or (), stack)


def mount_problems(field: str, mounts: Sequence[str], stack: Stack) -> Iterator[Problem]:
    """What is to be mounted is there."""
    everything = [*([LUSTRE] if stack.lustre else []), *stack.buckets]
    for place, mount in enumerate(mounts):
        if mount not in everything:
            near = nearest(mount, everything) if everything else "leave it out"
            yield Problem(
                f"{field}[{place}]",
                f'"{mount}" is no bucket of this stack, nor its Lustre; nearest: {near}',
            )


def image_rules(plan: Plan) -> Iterator[Problem]:
    for ray in plan.ray.values():
        locked = plan.facts.image(ray.demands.image).reference
        if "nightly" in ray.image and not ray.config.nightly:
            yield Problem(
                f"{ray.field}.image",
                f"{ray.image} is another one every night; nearest: {locked}, or "
                f"{ray.field}.nightly true",
            )
        yield from image_problems(ray.field, ray.image, ray.version)


def group_problems(plan: Plan) -> Iterator[Problem]:
    """The pools of a group are alike, and no two groups want the same machines."""
    taken: dict[str, str] = {}
    for ray in plan.ray.values():
        for group in ray.groups.values():
            yield from _alike_problems(group)
            yield from _apart_problems(plan, group)
            for pool in group.pools:
                if pool.name in taken:
                    yield Problem(
                        f"{group.field}.pools",
                        f"{pool.name} has a worker of {taken[pool.name]} on each node already; "
                        "nearest: another pool of the same machines",
                    )
                taken.setdefault(pool.name, group.field)
        kinds = {it.first.kind for it in ray.groups.values()}
        if len(kinds) > 1 and "tpu" in kinds:
            yield Problem(
                f"{ray.field}.workers",
                "an image of Ray is for TPUs or for other machines; nearest: a RayCluster for each",
            )


def fit_problems(plan: Plan) -> Iterator[Problem]:
    for ray in plan.ray.values():
        sidecar, of_head = ray.sidecar(head=False), ray.sidecar(head=True)
        for name, as_ray in ray.as_rays().items():
            group = ray.groups[name]
            names = _names(ray, group)
            if group.first.kind == "gpu":
                found = ray_problems(
                    as_ray, group.host, ray.head_host, sidecar=sidecar, head_sidecar=of_head
                )
            else:
                found = (
                    *head_problems(as_ray, ray.head_host, of_head),
                    *worker_problems(as_ray, group.host, sidecar),
                )
            yield from under(names, found)
            if group.first.kind != "gpu" and group.config.gpus is not None:
                yield Problem(
                    f"{group.field}.gpus",
                    f"{group.first.machine.name} has no GPUs; nearest: leave it out",
                )


def head_rules(plan: Plan) -> Iterator[Problem]:
    """The head is on machines that stay, and have no accelerators that would stand idle."""
    for ray in plan.ray.values():
        pool = ray.head_pool
        if plan.autopilot and ray.config.head.pool is not None:
            yield Problem(
                f"{ray.field}.head.pool",
                "Autopilot makes the head's node itself; nearest: leave it out",
            )
        if plan.autopilot or pool is None:
            continue
        if pool.kind != "cpu":
            yield Problem(
                f"{ray.field}.head.pool",
                f"{pool.machine.name} has accelerators that the head does not use; "
                f"nearest: {plan.cpu_pool.name if plan.cpu_pool else 'leave it out'}",
            )
        if isinstance(pool.config.capacity, Spot):
            yield Problem(
                f"{pool.field}.capacity.mode",
                "Ray's head is on these machines, and every job goes with it; nearest: on-demand",
            )


def scaling_rules(plan: Plan) -> Iterator[Problem]:
    for ray in plan.ray.values():
        for group in ray.groups.values():
            if group.first.kind == "tpu" and ray.config.autoscaling is not None:
                yield Problem(
                    f"{ray.field}.autoscaling",
                    "a worker is on each slice for as long as the slice is there; nearest: leave "
                    "it out, and say in the pool's slices which there are",
                )
                break
            if ray.config.autoscaling is not None:
                yield from _scaling_problems(ray, group)
        queued = [it for it in ray.groups.values() if it.queued]
        for group in queued:
            if len(ray.groups) > 1 or len(group.pools) > 1:
                yield Problem(
                    f"{group.first.field}.capacity.mode",
                    "queued machines come for all of a workload at once, so they fill one pool; "
                    "nearest: flex-start",
                )
        if ray.config.autoscaling is None:
            for group in ray.groups.values():
                if group.config.min_workers:
                    yield Problem(
                        f"{group.field}.min_workers",
                        f"without {ray.field}.autoscaling there are all workers at all times; "
                        "nearest: 0",
                    )


def tpu_rules(plan: Plan) -> Iterator[Problem]:
    """GKE's add-on brings KubeRay's webhook for TPUs, and KubeRay's chart does not."""
    for ray in plan.ray.values():
        tpus = any(it.first.kind == "tpu" for it in ray.groups.values())
        if tpus and ray.operator != "addon":
            yield Problem(
                "cluster.ray_operator",
                "KubeRay's chart has no webhook for TPUs, so hosts would not know their slice; "
                "nearest: addon",
            )


def nccl_rules(plan: Plan) -> Iterator[Problem]:
    for ray in plan.ray.values():
        if ray.config.nccl_test is not None:
            group = ray.accelerated
            yield from nccl_test_problems(
                f"{ray.field}.nccl_test", group.first.machine, group.count, queued=group.queued
            )


def disk_problems(plan: Plan) -> Iterator[Problem]:
    for ray in plan.ray.values():
        if not ray.buckets:
            continue
        cache = sum(max(0, it.config.mount.file_cache_mib) for it in ray.buckets.values())
        heads = ((f"{ray.field}.head", ray.config.head, True),)
        pods = (*heads, *((it.field, it.config, False) for it in ray.groups.values()))
        for field, pod, head in pods:
            limits = ray.limits(head=head)
            found = pod_disk_problems(
                field,
                pod,
                sidecar_gib=None if limits is None else limits.ephemeral_storage_gib,
                cache_mib=cache,
                written_gib=ray.demands.written_gib,
                autopilot=plan.autopilot,
            )
            yield from under({"bucket": next(iter(ray.buckets.values())).field}, found)


RULES = (
    image_rules,
    group_problems,
    fit_problems,
    head_rules,
    scaling_rules,
    tpu_rules,
    nccl_rules,
    disk_problems,
)


def _alike_problems(group: PlannedWorkers) -> Iterator[Problem]:
    first = group.first
    for place, pool in enumerate(group.pools):
        same = (pool.machine.name, pool.config.topology) == (
            first.machine.name,
            first.config.topology,
        )
        if not same:
            yield Problem(
                f"{group.field}.pools[{place}]",
                f"{pool.name} has {pool.machine.name}, and workers of one group are cut to a "
                f"{first.machine.name}; nearest: a group of its own",
            )


def _apart_problems(plan: Plan, group: PlannedWorkers) -> Iterator[Problem]:
    """Workers on several pools know them by their GPUs."""
    accelerator, used = group.first.machine.accelerator, [it.name for it in group.pools]
    if plan.autopilot or len(used) < 2 or accelerator is None:
        return
    for pool in plan.gpu_pools.values():
        same = pool.machine.accelerator
        if pool.name not in used and same is not None and same.type == accelerator.type:
            yield Problem(
                f"{group.field}.pools",
                f"workers on {len(used)} pools come onto any nodes with their GPUs, so those of "
                f"{pool.name}, too; nearest: [{', '.join([*used, pool.name])}], or a group for "
                "each pool",
            )


def _scaling_problems(ray: PlannedRay, group: PlannedWorkers) -> Iterator[Problem]:
    """Who decides how many workers there are: the config, or Ray's autoscaler."""
    if group.queued:
        yield Problem(
            f"{ray.field}.autoscaling",
            "queued machines come once, for a fixed number of workers; nearest: leave it out, or "
            "another capacity mode",
        )
    if group.config.min_workers > group.count:
        yield Problem(
            f"{group.field}.min_workers",
            f"{group.config.min_workers} are more workers than the nodes have room for; "
            f"nearest: {group.count}",
        )


def _names(ray: PlannedRay, group: PlannedWorkers) -> dict[str, str]:
    bucket = next(iter(ray.buckets.values()), None)
    return {
        "ray.worker": group.field,
        "ray.head": f"{ray.field}.head",
        "ray": ray.field,
        **({} if bucket is None else {"bucket": bucket.field}),
    }


def _no_pool(field: str, pool: str, pools: list[str]) -> Problem:
    return Problem(field, f'"{pool}" is no pool of this stack; nearest: {nearest(pool, pools)}')
