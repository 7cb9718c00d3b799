"""Causes that no control plane has without kubelets, Google or a fault of its own, and the order in
which causes are told."""

from __future__ import annotations

from typing import Any

import pytest

from aistack.events import Event
from aistack.why.look import shape_of
from aistack.why.snapshot import Snapshot
from aistack.why.verdict import verdict
from kube.objects import JsonObject
from tests.unit.why_samples import NOW, condition, job, pod, ray_cluster, snapshot, workload

_FAILED = {
    "containerStatuses": [
        {"name": "main", "image": "a", "state": {"terminated": {"reason": "Error", "exitCode": 1}}}
    ]
}
_KILLED = {
    "containerStatuses": [
        {
            "name": "main",
            "image": "a",
            "state": {"terminated": {"reason": "OOMKilled", "exitCode": 137}},
        }
    ]
}
_RDMA = {"networking.gke.io/interfaces": "[]"}
_WAITS = condition(
    "QuotaReserved",
    "False",
    "couldn't assign flavors to pod set main: "
    "insufficient unused quota for nvidia.com/gpu in flavor l4, 2 more needed",
)


def _on_rdma(line: str) -> Snapshot:
    member = pod()
    member.pod["metadata"]["annotations"] = _RDMA
    return snapshot(job(ready=1), member, logs={member.name: [line]})


def _asked(*conditions: dict[str, str]) -> dict[str, Any]:
    held = workload(condition("QuotaReserved", "True"))
    held["status"]["admissionChecks"] = [{"name": "machines", "state": "Pending"}]
    requests = [{"status": {"conditions": list(conditions)}}] if conditions else []
    return {"workload": held, "requests": requests}


def _unplaced(message: str) -> Snapshot:
    scheduled = {"type": "PodScheduled", "status": "False", "message": message}
    member = pod(phase="Pending", conditions=[scheduled])
    del member.pod["spec"]["nodeName"]
    return snapshot(job(), member)


_QUEUED = job(queue="lq", suspend=True)
CAUSES: dict[str, Snapshot] = {
    "kueue-away": snapshot(_QUEUED),
    "deactivated": snapshot(_QUEUED, workload=workload(active=False)),
    "admission-check": snapshot(_QUEUED, **_asked()),
    "waits-for-machines": snapshot(_QUEUED, **_asked(condition("Provisioned", "False"))),
    "machines-refused": snapshot(_QUEUED, **_asked(condition("Failed", "True", "too many"))),
    "ray-head-gone": snapshot(ray_cluster(), pod("0")),
    "nccl-on-tcp": _on_rdma("node-0:1:7 [0] NCCL INFO Using network Socket"),
    "no-checkpoint": snapshot(
        job(),
        pod("0", phase="Failed", **_FAILED),
        logs={"train-0": ["FileNotFoundError: no such file: /data/checkpoint-400"]},
    ),
    "program-failed": snapshot(
        job(), pod("0", phase="Failed", **_FAILED), logs={"train-0": ["ValueError: no"]}
    ),
    "claim-not-allocated": _unplaced("0/2 nodes are available: 2 cannot allocate all claims."),
    "unschedulable": _unplaced("0/2 nodes are available: 2 node(s) didn't have free ports."),
}


@pytest.mark.parametrize("cause", CAUSES)
def test_a_cause_is_told(cause: str) -> None:
    reason = verdict(CAUSES[cause]).reason
    assert reason is not None
    assert reason.cause == cause


@pytest.mark.parametrize(
    "word",
    [
        'Failed creating service default/lab-head-svc, services "lab-head-svc" already exists',
        "Operation cannot be fulfilled on rayclusters.ray.io: the object has been modified; "
        "please apply your changes to the latest version and try again",
    ],
)
def test_what_a_controller_read_too_early_hides_nothing(word: str) -> None:
    early = Event(
        at=NOW,
        warns=True,
        about="RayCluster/train",
        reason="FailedToCreateService",
        message=word,
    )
    found = verdict(snapshot(ray_cluster(), pod("0"), events=[early])).reason
    assert found is not None
    assert found.cause == "ray-head-gone"


def test_nccl_over_rdma_is_healthy() -> None:
    found = verdict(_on_rdma("node-0:1:7 [0] NCCL INFO Using network gIB"))
    assert found.reason is None
    assert found.sentence == "It runs, with 1 of 1 pods ready."


def test_what_has_failed_is_told_before_what_still_waits() -> None:
    waits = _unplaced("0/1 nodes are available: 1 Insufficient cpu.").pods[0]
    found = verdict(snapshot(job(), pod("1", phase="Failed", **_KILLED), waits)).reason
    assert found is not None
    assert found.cause == "out-of-memory"


def test_who_has_the_quota_is_told_with_how_long_still() -> None:
    holder = workload(
        condition("QuotaReserved", "True", minutes=10), maximumExecutionTimeSeconds=3600
    )
    holder["metadata"]["ownerReferences"] = [{"name": "other"}]
    assigned = {"flavors": {"nvidia.com/gpu": "l4"}, "resourceUsage": {"nvidia.com/gpu": "4"}}
    holder["status"]["admission"] = {"podSetAssignments": [assigned]}
    found = verdict(snapshot(_QUEUED, workload=workload(_WAITS), admitted=[holder]))
    assert found.sentence == (
        "It needs 2 more of nvidia.com/gpu in flavor l4 than is free; others have it: "
        "default/other 4 for 10 min, for 50 min at the most still."
    )


def test_a_job_that_ended_well_has_no_reason_though_a_pod_of_it_failed() -> None:
    done = job(conditions=[condition("Complete", "True")])
    found = verdict(snapshot(done, pod("0", phase="Failed", **_FAILED)))
    assert found.reason is None
    assert found.sentence == "It has ended well."


def test_of_several_flavors_the_one_that_has_what_it_asks_for_is_told() -> None:
    """In the words of Kueue 0.19.2 for a job on L4 GPUs in a queue of three flavors."""
    said = (
        "couldn't assign flavors to pod set node: "
        "flavor h200 doesn't match node affinity, "
        "insufficient unused quota for nvidia.com/gpu in flavor l4, 2 more needed, "
        "flavor cpu doesn't match node affinity"
    )
    waits = workload(condition("QuotaReserved", "False", said))
    found = verdict(snapshot(_QUEUED, workload=waits))
    assert found.reason is not None
    assert found.reason.cause == "quota-full"


def test_a_flavor_that_can_never_hold_it_is_not_waited_for() -> None:
    said = (
        "couldn't assign flavors to pod set node: insufficient quota for cpu in flavor l4, "
        "previously considered podsets requests (0) + current podset request (100) > maximum "
        "capacity (24), insufficient unused quota for nvidia.com/gpu in flavor l4, 2 more needed"
    )
    waits = workload(condition("QuotaReserved", "False", said))
    found = verdict(snapshot(_QUEUED, workload=waits))
    assert found.reason is not None
    assert found.reason.cause == "never-fits"


def asking(name: str, gpus: int, **spec: Any) -> JsonObject:
    requests = {"requests": {"nvidia.com/gpu": str(gpus)}}
    pods = {"containers": [{"name": "main", "image": name, "resources": requests}]}
    found = workload(podSets=[{"name": "node", "count": 2, "template": {"spec": pods}}], **spec)
    found["metadata"]["name"] = name
    return found


def test_workloads_that_ask_for_the_same_are_alike_whatever_they_run() -> None:
    one = shape_of(asking("a", 1, queueName="research", priority=0))
    assert one == shape_of(asking("b", 1, queueName="serving", priority=0))
    assert one != shape_of(asking("a", 2, priority=0))
    assert one != shape_of(asking("a", 1, priority=5))
