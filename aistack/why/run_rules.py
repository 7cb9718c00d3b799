"""What is wrong with a job as a whole: stopped, ended, without a head, on the wrong network. Pure.

kubernetes/kubernetes v1.35.4 staging/src/k8s.io/api/batch/v1/types.go (a Job's failures);
kubernetes-sigs/jobset v0.12.0 pkg/constants; ray-project/kuberay v1.4.2
ray-operator/apis/ray/v1/rayjob_types.go; NVIDIA/nccl src/transport/net.cc ("Using network").
"""

from __future__ import annotations

import re

from aistack.job import State, condition
from aistack.kinds import RAY_CLUSTER, RAY_JOB
from aistack.why.snapshot import Reason, Rule, Snapshot, is_ready
from sandbox.kube.objects import JsonObject, annotations_of, dig

_SOCKET = re.compile(r"NCCL INFO Using network Socket|NCCL INFO NET/Socket : Using")
_INTERFACES = "networking.gke.io/interfaces"


def stopping(it: Snapshot) -> Reason | None:
    if it.job.state is not State.STOPPING:
        return None
    held = ", ".join(dig(it.found.obj, "metadata", "finalizers") or [])
    return Reason(
        "stopping",
        f"It is being deleted{f', which {held} holds up' if held else ''}.",
        "Wait; if it stays, see whether the controller that holds it runs.",
    )


def suspended(it: Snapshot) -> Reason | None:
    if it.job.state is not State.SUSPENDED:
        return None
    return Reason(
        "suspended",
        "It is suspended by hand, and is in no queue.",
        "Set its `spec.suspend` to false, or give it a queue, which does that.",
    )


def too_late(it: Snapshot) -> Reason | None:
    failed = condition(it.found.obj, "Failed") or {}
    reason = failed.get("reason") or dig(it.found.obj, "status", "reason")
    if reason != "DeadlineExceeded":
        return None
    return Reason(
        "deadline",
        "It was stopped because its time was over before it had ended.",
        "Submit it again with more `minutes`, from its last checkpoint.",
    )


def no_ray_cluster(it: Snapshot) -> Reason | None:
    wanted = it.job.runs_on
    if it.found.kind != RAY_JOB or it.job.state.has_ended or not wanted:
        return None
    if any(kind == RAY_CLUSTER for kind, _ in it.members.made):
        return None
    return Reason(
        "ray-cluster-missing",
        f"The Ray cluster {wanted} that it runs on is not there.",
        "Bring the stack up again, or submit the job to a cluster that is there.",
    )


def no_ray_head(it: Snapshot) -> Reason | None:
    """All that Ray knows is the head's: without it jobs on the cluster are lost."""
    if it.job.state.has_ended or not any(kind == RAY_CLUSTER for kind, _ in _objects(it)):
        return None
    heads = [member for member in it.pods if member.role == "head"]
    others = [member for member in it.pods if member.role not in ("head", "launcher")]
    alive = [it for it in heads if dig(it.pod, "status", "phase") in ("Running", "Pending")]
    if alive or not (heads or others):
        return None
    return Reason(
        "ray-head-gone",
        "The head of its Ray cluster is gone, and with it what Ray knew of its jobs.",
        "KubeRay makes another; submit the job again, or give the cluster `redis`, which keeps it.",
    )


def failed_by_ray(it: Snapshot) -> Reason | None:
    if it.found.kind != RAY_JOB or it.job.state is not State.FAILED:
        return None
    said = str(dig(it.found.obj, "status", "message") or "").strip()
    why = dig(it.found.obj, "status", "reason") or "Failed"
    return Reason(
        "ray-job-failed",
        f"Ray says that it failed, {why}{f': {said[-300:]}' if said else ''}.",
        f"See `aistack events {it.job.name}`, and what its pods said.",
    )


def failed(it: Snapshot) -> Reason | None:
    found = condition(it.found.obj, "Failed")
    if found is None:
        return None
    said = str(found.get("message") or found.get("reason") or "").rstrip(".")
    return Reason(
        "failed",
        f"It has failed: {said}.",
        f"See `aistack events {it.job.name}`, and submit it again.",
    )


def asks_for_log(pod: JsonObject) -> bool:
    """Of one that has interfaces for RDMA: others have nothing else than TCP."""
    return _INTERFACES in annotations_of(pod) and is_ready(pod)


def nccl_on_tcp(it: Snapshot) -> Reason | None:
    for member in it.pods:
        if not asks_for_log(member.pod):
            continue
        if any(_SOCKET.search(line) for line in it.logs.get(member.name, ())):
            return Reason(
                "nccl-on-tcp",
                f"NCCL of rank {member.role} uses TCP, though the pod has RDMA interfaces: it "
                "runs many times slower.",
                "See that gIB is installed on the node, and that the image takes its library from "
                "/usr/local/gib, by NCCL_NET=gIB.",
            )
    return None


def not_ready(it: Snapshot) -> Reason | None:
    """A pod that runs and does not become ready, which its own probe says."""
    if it.job.state is not State.STARTING:
        return None
    for member in it.pods:
        for event in it.said_of_pod(member):
            if event.reason == "Unhealthy" and not is_ready(member.pod):
                return Reason(
                    "not-ready",
                    f"{member.name} runs and is not ready: {event.message.rstrip('.')}.",
                    f"See `aistack events {it.job.name}`, and what its pods said.",
                )
    return None


def _objects(it: Snapshot) -> list[tuple[object, object]]:
    return [(it.found.kind, it.found.obj), *it.members.made]


FIRST: tuple[Rule, ...] = (stopping, suspended, too_late)
BEFORE_PODS: tuple[Rule, ...] = (no_ray_cluster,)
LAST: tuple[Rule, ...] = (no_ray_head, failed_by_ray, failed, nccl_on_tcp, not_ready)
