"""A RayCluster's pods fit their nodes, and nothing waits for ever. No Pulumi import."""

from collections.abc import Iterable, Iterator, Sequence

from catalog import Catalog
from stacks.config_errors import nearest
from stacks.parts.cluster.config import RayOperator
from stacks.parts.pools.alike_rules import alike_problems
from stacks.parts.pools.config import Spot
from stacks.parts.pools.pod_rules import (
    interface_problems,
    pod_disk_problems,
    pod_problems,
)
from stacks.parts.ray.nccl_rules import nccl_rules
from stacks.parts.ray.plan import PlannedRay, PlannedWorkers, ray_in_tag
from stacks.plan import Plan
from stacks.problems import Problem, under
from stacks.secret_references import variable_problems
from stacks.stack import LUSTRE, Stack


def references(stack: Stack, facts: Catalog) -> Iterator[Problem]:
    """Pools and mounts that there are."""
    del facts
    for name, cluster in stack.ray.items():
        field = f"ray.{name}"
        pools = {} if cluster.head.pool is None else {f"{field}.head.pool": cluster.head.pool}
        for group, workers in cluster.workers.items():
            for place, pool in enumerate(workers.pools):
                pools[f"{field}.workers.{group}.pools[{place}]"] = pool
        for at, pool in pools.items():
            if pool not in stack.pools:
                near = nearest(pool, list(stack.pools))
                yield Problem(at, f'"{pool}" is no pool of this stack; nearest: {near}')
        yield from mount_problems(f"{field}.mounts", cluster.mounts or (), stack)
        yield from variable_problems(f"{field}.secrets", cluster.secrets, ())


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
        if "nightly" in ray.image and not ray.config.nightly:
            locked = plan.facts.image(ray.demands.image).reference
            yield Problem(
                f"{ray.field}.image",
                f"{ray.image} is another one every night; nearest: {locked}, or "
                f"{ray.field}.nightly true",
            )
        yield from image_problems(ray.field, ray.image, ray.version)


def image_problems(field: str, image: str, version: str) -> Iterator[Problem]:
    """The Ray that an image has is the Ray that KubeRay is told of."""
    tagged = ray_in_tag(image)
    if tagged not in (None, version):
        yield Problem(
            f"{field}.version", f"{version} is not the Ray that {image} has; nearest: {tagged}"
        )


def group_problems(plan: Plan) -> Iterator[Problem]:
    """The pools of a group are alike, and no two groups want the same machines."""
    taken: dict[str, str] = {}
    for ray in plan.ray.values():
        for group in ray.groups.values():
            yield from alike_problems(group.field, "workers of one group", group.pools)
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
    """Each pod fits a node with all that is put beside its container."""
    for ray in plan.ray.values():
        head, sidecar, more = f"{ray.field}.head", ray.sidecar(head=True), ray.helpers(head=True)
        found = [*pod_problems(head, ray.config.head, ray.head_host, sidecar, more)]
        more = ray.helpers(head=False)
        for group in ray.groups.values():
            sidecar = ray.sidecar(head=False)
            found += pod_problems(group.field, group.config, group.host, sidecar, more)
            found += _gpu_problems(group)
        yield from _of_first_bucket(ray, found)


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
            yield from _worker_problems(ray, group)
            if group.queued and (len(ray.groups) > 1 or len(group.pools) > 1):
                yield Problem(
                    f"{group.first.field}.capacity.mode",
                    "queued machines come for all of a workload at once, so they fill one pool; "
                    "nearest: flex-start",
                )


def tpu_rules(plan: Plan) -> Iterator[Problem]:
    """GKE's add-on brings KubeRay's webhook for TPUs, and KubeRay's chart does not
    (ray-project/kuberay helm-chart/kuberay-operator, feeaf72fa)."""
    for ray in plan.ray.values():
        tpus = any(it.first.kind == "tpu" for it in ray.groups.values())
        if tpus and ray.operator is not RayOperator.ADDON:
            yield Problem(
                "cluster.ray_operator",
                "KubeRay's chart has no webhook for TPUs, so hosts would not know their slice; "
                "nearest: addon",
            )


def disk_problems(plan: Plan) -> Iterator[Problem]:
    for ray in plan.ray.values():
        cache = sum(max(0, it.config.mount.file_cache_mib) for it in ray.buckets.values())
        pods = [
            (f"{ray.field}.head", ray.config.head, ray.limits(head=True)),
            *((it.field, it.config, ray.limits(head=False)) for it in ray.groups.values()),
        ]
        for field, pod, limits in pods:
            if limits is not None:
                found = pod_disk_problems(
                    field,
                    pod,
                    sidecar_gib=limits.ephemeral_storage_gib,
                    cache_mib=cache,
                    written_gib=ray.demands.written_gib,
                    autopilot=plan.autopilot,
                )
                yield from _of_first_bucket(ray, found)


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


def _gpu_problems(group: PlannedWorkers) -> Iterator[Problem]:
    field, machine, has = f"{group.field}.gpus", group.first.machine, group.first.accelerators
    if group.first.kind == "gpu":
        if group.gpus > has:
            yield Problem(
                field,
                f"{group.gpus} GPUs are more than a node of {machine.name} has; nearest: {has}",
            )
        yield from interface_problems(field, group.gpus, group.first)
    elif group.config.gpus is not None:
        yield Problem(field, f"{machine.name} has no GPUs; nearest: leave it out")


def _worker_problems(ray: PlannedRay, group: PlannedWorkers) -> Iterator[Problem]:
    """Who decides how many workers there are: the config, or Ray's autoscaler."""
    scaling, least = f"{ray.field}.autoscaling", group.config.min_workers
    if ray.config.autoscaling is None:
        if least:
            yield Problem(
                f"{group.field}.min_workers",
                f"without {scaling} there are all workers at all times; nearest: 0",
            )
        return
    if group.first.kind == "tpu":
        yield Problem(
            scaling,
            "a worker is on each slice for as long as the slice is there; nearest: leave it out, "
            "and say in the pool's slices which there are",
        )
        return
    if group.queued:
        yield Problem(
            scaling,
            "queued machines come once, for a fixed number of workers; nearest: leave it out, or "
            "another capacity mode",
        )
    if least > group.count:
        yield Problem(
            f"{group.field}.min_workers",
            f"{least} are more workers than the nodes have room for; nearest: {group.count}",
        )


def _of_first_bucket(ray: PlannedRay, found: Iterable[Problem]) -> Iterator[Problem]:
    """The same where rules speak of one bucket as `bucket`."""
    return under({"bucket": f"buckets.{next(iter(ray.buckets), 'bucket')}"}, found)
