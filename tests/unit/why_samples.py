"""Jobs, pods and what is said of them, as an API server would show them."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

from aistack.find import Found
from aistack.members import Member, Members
from aistack.why.snapshot import Snapshot
from components.queues.labels import QUEUE_LABEL
from kube.kinds import JOB, RAY_CLUSTER, Kind

NOW = datetime(2026, 11, 23, 12, tzinfo=UTC)
_LONG_AGO = "2026-11-23T11:00:00Z"


def job(*, queue: str = "", suspend: bool = False, **status: Any) -> Found:
    labels = {QUEUE_LABEL: queue} if queue else {}
    pod = {"containers": [{"name": "main"}]}
    return _found(JOB, {"suspend": suspend, "template": {"spec": pod}}, labels, status)


def ray_cluster() -> Found:
    pod = {"template": {"spec": {"containers": [{"name": "main"}]}}}
    spec = {"headGroupSpec": pod, "workerGroupSpecs": [{"replicas": 1, **pod}]}
    return _found(RAY_CLUSTER, spec, {}, {})


def _found(kind: Kind, spec: Any, labels: Any, status: Any) -> Found:
    metadata = {
        "name": "train",
        "namespace": "default",
        "uid": "1",
        "creationTimestamp": _LONG_AGO,
        "labels": labels,
    }
    return Found(kind, {"metadata": metadata, "spec": spec, "status": status})


def pod(role: str = "0", *, phase: str = "Running", **status: Any) -> Member:
    metadata = {"name": f"train-{role}", "namespace": "default", "annotations": {}}
    ready = {"type": "Ready", "status": "True" if phase == "Running" else "False"}
    return Member(
        {
            "metadata": metadata,
            "spec": {"nodeName": "a", "containers": [{"name": "main"}]},
            "status": {"phase": phase, "conditions": [ready], **status},
        },
        role,
    )


def snapshot(found: Found, *pods: Member, **more: Any) -> Snapshot:
    return Snapshot(found=found, members=Members(pods), now=NOW, **more)


def workload(*conditions: dict[str, str], **spec: Any) -> dict[str, Any]:
    metadata = {"name": "job-train", "namespace": "default", "creationTimestamp": _LONG_AGO}
    return {"metadata": metadata, "spec": spec, "status": {"conditions": list(conditions)}}


def condition(kind: str, status: str, message: str = "", minutes: int = 0) -> dict[str, str]:
    since = (NOW - timedelta(minutes=minutes)).isoformat()
    return {"type": kind, "status": status, "message": message, "lastTransitionTime": since}
