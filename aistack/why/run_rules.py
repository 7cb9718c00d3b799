"""What is wrong with a job as a whole: stopped, ended, on the wrong network. Pure.

kubernetes/kubernetes v1.35.4 staging/src/k8s.io/api/batch/v1/types.go (a Job's failures);
kubernetes-sigs/jobset v0.12.0 pkg/constants; NVIDIA/nccl src/transport/net.cc ("Using network").
"""

from __future__ import annotations

import re

from aistack.offered import offered
from aistack.why.saying import spoken
from aistack.why.snapshot import Reason, Rule, Snapshot, is_ready
from kube.jobs import State, condition
from kube.objects import JsonObject, annotations_of, dig
from kube.pod_networks import INTERFACES
from kube.reading import moment

_SOCKET = re.compile(r"NCCL INFO Using network Socket|NCCL INFO NET/Socket : Using")


def stopping(it: Snapshot) -> Reason | None:
    if it.job.state is not State.STOPPING:
        return None
    held = ", ".join(dig(it.found.obj, "metadata", "finalizers") or [])
    since = moment(it.found.obj["metadata"]["deletionTimestamp"])
    age = spoken((it.now - since).total_seconds())
    return Reason(
        "stopping",
        f"It is being deleted for {age}{f', which {held} holds up' if held else ''}.",
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


def failed(it: Snapshot) -> Reason | None:
    found = condition(it.found.obj, "Failed")
    if found is None:
        return None
    said = str(found.get("message") or found.get("reason") or "").rstrip(".")
    return Reason(
        "failed",
        f"It has failed: {said}.",
        f"See `{offered('events', it.job.name)}`, and submit it again.",
    )


def asks_for_log(pod: JsonObject) -> bool:
    """Of one that has interfaces for RDMA: others have nothing else than TCP."""
    return INTERFACES in annotations_of(pod) and is_ready(pod)


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
    """A pod that runs and does not become ready, which its own probe says. A startup probe fails
    until the program has started: that it takes too long the kubelet says by stopping it
    (kubeai-project/kubeai issue 499 of 2025-04-09)."""
    if it.job.state is not State.STARTING:
        return None
    for member in it.pods:
        for event in it.said_of_pod(member):
            starts = event.message.startswith("Startup probe failed")
            if event.reason == "Unhealthy" and not starts and not is_ready(member.pod):
                return Reason(
                    "not-ready",
                    f"{member.name} runs and is not ready: {event.message.rstrip('.')}.",
                    f"See `{offered('events', it.job.name)}`, and what its pods said.",
                )
    return None


FIRST: tuple[Rule, ...] = (stopping, suspended, too_late)
LAST: tuple[Rule, ...] = (failed, nccl_on_tcp, not_ready)
