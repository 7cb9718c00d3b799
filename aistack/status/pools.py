"""Node pools as they are to be and as they are. Pure."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from aistack.status.snapshot import Record, Snapshot
from catalog import Catalog
from kube.jobs import ACCELERATORS, condition
from kube.kinds import NODE, RESOURCE_SLICE
from kube.objects import JsonObject, dig, labels_of, maps, name_of
from kube.reading import amount
from stacks.node_pool_facts import PoolFacts, pool_facts
from stacks.refusal import NODE_POOL

POOL_LABEL = "cloud.google.com/gke-nodepool"
MACHINE_LABEL = "node.kubernetes.io/instance-type"
# GKE documentation, "Run GPUs in GKE Standard node pools" and "About TPUs in GKE".
# NVIDIA's, whose GPUs pods claim (components/nccl/gpu_claim_driver.py).
GPU_DRIVER = "gpu.nvidia.com"
ACCELERATOR_LABELS = ("cloud.google.com/gke-accelerator", "cloud.google.com/gke-tpu-accelerator")


@dataclass(frozen=True, kw_only=True)
class Pool:
    """`least` and `most` are None of nodes that are made as pods ask for them, and what is there
    where the user may not see nodes."""

    name: str
    machine: str
    least: int | None
    most: int | None
    there: int | None
    healthy: int | None
    accelerators: int
    in_use: int


def pools(it: Snapshot, catalog: Catalog) -> Sequence[Pool]:
    """The stack's own first, then those of others' nodes."""
    used = Counter[str]()
    for holding in it.holdings:
        used[holding.node] += holding.accelerators
    known = {pool_name(record): record for record in it.made(NODE_POOL)}
    others = {pool_of(node) for node in it.seen(NODE)} - known.keys()
    own = [_pool(it, name, used, facts(record, catalog)) for name, record in known.items()]
    return [*own, *(_pool(it, name, used, None) for name in sorted(others))]


def facts(record: Record, catalog: Catalog) -> PoolFacts:
    return pool_facts(record.inputs, catalog)


def pool_name(record: Record) -> str:
    return str(record.inputs.get("name") or record.name)


def pool_of(node: JsonObject) -> str:
    return labels_of(node).get(POOL_LABEL, "")


def nodes_in(it: Snapshot, pool: str) -> Sequence[JsonObject]:
    return [node for node in it.seen(NODE) if pool_of(node) == pool]


def is_healthy(node: JsonObject) -> bool:
    """It takes pods."""
    return condition(node, "Ready") is not None and not dig(node, "spec", "unschedulable")


def offered(it: Snapshot, node: JsonObject) -> int:
    """Accelerators that pods can ask for, or claim."""
    amounts = dig(node, "status", "allocatable") or {}
    asked = sum(int(amount(amounts.get(name, 0))) for name in ACCELERATORS)
    return asked + published(it, node, GPU_DRIVER)


def published(it: Snapshot, node: JsonObject, driver: str) -> int:
    """Devices of a driver that pods can claim of the node."""
    own = (
        maps(dig(one, "spec", "devices"))
        for one in it.seen(RESOURCE_SLICE)
        if dig(one, "spec", "driver") == driver and dig(one, "spec", "nodeName") == name_of(node)
    )
    return sum(map(len, own))


def accelerated(nodes: Sequence[JsonObject]) -> Iterator[JsonObject]:
    return (node for node in nodes if any(it in labels_of(node) for it in ACCELERATOR_LABELS))


def _pool(it: Snapshot, name: str, used: Counter[str], known: PoolFacts | None) -> Pool:
    nodes = nodes_in(it, name)
    machines = sorted({labels_of(node).get(MACHINE_LABEL, "") for node in nodes})
    sees = it.sees(NODE)
    return Pool(
        name=name,
        machine=known.machine_type if known else ", ".join(machines),
        least=known.low if known else None,
        most=known.high if known else None,
        there=len(nodes) if sees else None,
        healthy=sum(map(is_healthy, nodes)) if sees else None,
        accelerators=sum(offered(it, node) for node in nodes),
        in_use=sum(used[name_of(node)] for node in nodes),
    )
