"""What the stack itself runs on a pool without a queue, which no queue can give out. No Pulumi
import.

Kueue expects that quotas are of what its workloads can have: where something else is on the nodes,
pods of GKE and of Kueue itself too, it admits workloads whose pods find no room, and stops nobody
for them (kubernetes-sigs/kueue v0.19.2 pkg/cache and pkg/scheduler; issue #4782 of 2025-03-25).
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field

from components.base.pod_manifest import GPU, TPU
from stacks.parts.pools.nodes import Amounts
from stacks.parts.pools.plan import PlannedPool
from stacks.parts.ray.plan import PlannedRay, PlannedWorkers
from stacks.parts.servers.plan import PlannedServer

Quota = dict[str, int]


@dataclass(frozen=True)
class Unqueued:
    """`fields` are the workloads of the config, `amounts` the most that all of them request."""

    fields: tuple[str, ...] = ()
    amounts: Quota = field(default_factory=dict[str, int])


NOTHING = Unqueued()


def asked_of(pod: Amounts) -> Quota:
    """What Kueue counts of a pod."""
    return {
        "cpu": pod.cpu_millicores,
        "memory": pod.memory_mib,
        GPU: pod.gpus,
        TPU: pod.chips,
        "ephemeral-storage": pod.ephemeral_storage_mib,
    }


def unqueued(
    pools: Iterable[PlannedPool], ray: Iterable[PlannedRay], servers: Iterable[PlannedServer]
) -> Mapping[str, Unqueued]:
    """By pool. Autopilot makes nodes for whatever pods request. Jobs without a queue are left out,
    for they end."""
    clusters = [it for it in ray if it.config.queue is None]
    always = [it for it in servers if it.config.queue is None]
    return {
        pool.name: _sum([*_of_servers(always, pool), *_of_ray(clusters, pool)])
        for pool in pools
        if not pool.autopilot
    }


def _of_servers(servers: Iterable[PlannedServer], pool: PlannedPool) -> Iterator[tuple[str, Quota]]:
    for it in servers:
        if it.pool.name == pool.name:
            yield it.field, asked_by(it.pod, it.config.most)


def _of_ray(clusters: Iterable[PlannedRay], pool: PlannedPool) -> Iterator[tuple[str, Quota]]:
    for ray in clusters:
        if ray.head_pool is not None and ray.head_pool.name == pool.name:
            head = Amounts.of_pod(ray.config.head.requests, 0, ray.sidecar(head=True))
            yield ray.field, asked_by(head, 1)
        for group in ray.groups.values():
            if any(it.name == pool.name for it in group.pools):
                sidecar = ray.sidecar(head=False)
                pod = Amounts.of_pod(group.config.requests, group.gpus, sidecar, chips=group.chips)
                yield ray.field, asked_by(pod, _pods(ray, group, pool))


def _pods(ray: PlannedRay, group: PlannedWorkers, pool: PlannedPool) -> int:
    """Of a cluster that scales, those that it has without work. What comes with work of its users
    competes with the queues, as they chose."""
    if ray.config.autoscaling is not None and not ray.jobs:
        return group.config.min_workers if len(group.pools) == 1 else 0
    return len(pool.slices) * group.hosts if pool.kind == "tpu" else pool.nodes


def asked_by(pod: Amounts, pods: int) -> Quota:
    """What that many of the pod ask for together."""
    return {name: amount * pods for name, amount in asked_of(pod).items()}


def _sum(workloads: Iterable[tuple[str, Quota]]) -> Unqueued:
    total, fields = Counter[str](), list[str]()
    for name, amounts in workloads:
        total.update(amounts)
        fields.append(name)
    return Unqueued(tuple(dict.fromkeys(fields)), dict(total))
