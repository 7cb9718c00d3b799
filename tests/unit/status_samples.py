"""A stack of one pool and what its cluster shows, as the engine and an API server would."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime, timedelta
from typing import Any

from aistack.status.pools import MACHINE_LABEL, POOL_LABEL
from aistack.status.snapshot import Record, Snapshot
from kube.kinds import (
    CLUSTER_QUEUE,
    CSI_DRIVER,
    DAEMON_SET,
    DEPLOYMENT,
    NETWORK,
    NODE,
    RAY_CLUSTER,
    RESOURCE_SLICE,
    Kind,
)

NOW = datetime(2026, 11, 23, 12, tzinfo=UTC)
POOL, MACHINE = "l4-pool", "g2-standard-24"
_WHOLE = (
    NODE,
    CLUSTER_QUEUE,
    DEPLOYMENT,
    DAEMON_SET,
    CSI_DRIVER,
    NETWORK,
    RESOURCE_SLICE,
    RAY_CLUSTER,
)


def record(token: str, inputs: Any, name: str = "it", hours: float = 10) -> Record:
    urn = f"urn:pulumi:s::gke-ai-stacks::{token}::{name}"
    return Record(urn, inputs, NOW - timedelta(hours=hours))


def pool(
    nodes: int = 1,
    *,
    most: int | None = None,
    networks: int = 0,
    labels: Any = None,
    **config: Any,
) -> Record:
    disk = {"diskType": "pd-balanced", "diskSizeGb": 100}
    inputs = {
        "name": POOL,
        "location": "us-central1",
        "autoscaling": {"totalMinNodeCount": nodes, "totalMaxNodeCount": most or nodes},
        "nodeConfig": {"machineType": MACHINE, **disk, "labels": labels or {}, **config},
        "networkConfig": {"additionalNodeNetworkConfigs": [{"network": "n"}] * networks},
    }
    return record("gcp:container/nodePool:NodePool", inputs, POOL)


def made(kind: str, name: str, namespace: str = "default", **spec: Any) -> Record:
    """A Kubernetes object of the stack."""
    metadata = {"name": name, "namespace": namespace}
    return record(f"kubernetes:{kind}", {"metadata": metadata, "spec": spec})


def obj(name: str, namespace: str = "default", **more: Any) -> dict[str, Any]:
    return {"metadata": {"name": name, "namespace": namespace}, **more}


def conditions(**states: tuple[str, str]) -> dict[str, Any]:
    found = [{"type": it, "status": said[0], "message": said[1]} for it, said in states.items()]
    return {"conditions": found}


def node(
    name: str = "a", amounts: Any = None, *, hours: float = 10, ready: str = "True", **spec: Any
) -> dict[str, Any]:
    """With two GPUs, and `amounts` of other things."""
    labels = {POOL_LABEL: POOL, MACHINE_LABEL: MACHINE, "cloud.google.com/gke-accelerator": "l4"}
    since = (NOW - timedelta(hours=hours)).isoformat()
    metadata = {"name": name, "labels": labels, "creationTimestamp": since}
    offered = {"nvidia.com/gpu": "2", **(amounts or {})}
    told = conditions(Ready=(ready, "the runtime is down"))
    return {"metadata": metadata, "spec": spec, "status": {"allocatable": offered, **told}}


def snapshot(
    *records: Record, seen: Mapping[Kind, Sequence[Any] | None] | None = None, **more: Any
) -> Snapshot:
    return Snapshot(
        now=NOW,
        records=records,
        outputs=more.pop("outputs", {}),
        kubernetes="v1.35.4",
        namespaces=["default"],
        objects={**dict.fromkeys(_WHOLE, ()), **(seen or {})},
        **more,
    )
