"""A job as its user sees it, whatever kind of object it is. Pure."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Any

from aistack.kinds import JOB, JOB_SET, RAY_CLUSTER, RAY_JOB, Kind
from components.labels import MANAGED_BY, STACK
from components.queue_labels import QUEUE_LABEL
from sandbox.kube import quantity
from sandbox.kube.objects import JsonObject, dig, labels_of, maps, name_of, namespace_of

ACCELERATORS = ("nvidia.com/gpu", "google.com/tpu")
_UP = "status", "conditions"


# What manages a job that `submit` made: nobody else keeps it.
MANAGER = "aistack"


class State(StrEnum):
    """`suspended` is by hand, `queued` by Kueue; `starting` has its quota and not all its pods."""

    QUEUED = "queued"
    SUSPENDED = "suspended"
    STARTING = "starting"
    RUNNING = "running"
    SUCCEEDED = "succeeded"
    FAILED = "failed"
    STOPPING = "stopping"

    @property
    def has_ended(self) -> bool:
        return self in (State.SUCCEEDED, State.FAILED)


@dataclass(frozen=True, kw_only=True)
class Job:
    """`pods` and `accelerators` are what it asks for itself: a job on a Ray cluster that others
    may use, `runs_on`, asks for none."""

    kind: str
    namespace: str
    name: str
    uid: str
    state: State
    queue: str
    pods: int
    accelerators: int
    runs_on: str
    owner: str
    created: datetime


def job_of(kind: Kind, obj: JsonObject) -> Job:
    groups = list(pod_groups(kind, obj))
    return Job(
        kind=kind.name,
        namespace=namespace_of(obj),
        name=name_of(obj),
        uid=obj["metadata"]["uid"],
        state=_state(kind, obj),
        queue=labels_of(obj).get(QUEUE_LABEL, ""),
        pods=sum(count for count, _ in groups),
        accelerators=sum(count * accelerators(pod) for count, pod in groups),
        runs_on=dig(obj, "spec", "clusterSelector", "ray.io/cluster") or "",
        owner=_owner(obj),
        created=datetime.fromisoformat(obj["metadata"]["creationTimestamp"]),
    )


def is_own(obj: JsonObject) -> bool:
    """Whether it is nobody's part: the JobSet is the job, and not the Jobs that it makes."""
    return not any(it.get("controller") for it in maps(dig(obj, "metadata", "ownerReferences")))


def pod_groups(kind: Kind, obj: JsonObject) -> Iterator[tuple[int, JsonObject]]:
    """How many pods it asks for of each template's spec."""
    spec = obj["spec"]
    if kind == JOB:
        yield _least(spec), spec["template"]["spec"]
    elif kind == JOB_SET:
        for each in maps(spec.get("replicatedJobs")):
            inner = each["template"]["spec"]
            yield int(each.get("replicas", 1)) * _least(inner), inner["template"]["spec"]
    else:
        ray = spec.get("rayClusterSpec") if kind == RAY_JOB else spec
        if ray:
            yield 1, ray["headGroupSpec"]["template"]["spec"]
            for group in maps(ray.get("workerGroupSpecs")):
                hosts = int(group.get("numOfHosts") or 1)
                yield int(group.get("replicas") or 0) * hosts, group["template"]["spec"]


def condition(obj: JsonObject, name: str) -> JsonObject | None:
    """A condition that holds."""
    for each in maps(dig(obj, *_UP)):
        if each["type"] == name and each["status"] == "True":
            return each
    return None


def _least(spec: JsonObject) -> int:
    parallel = int(spec.get("parallelism", 1))
    return min(parallel, int(spec.get("completions", parallel)))


def accelerators(pod: JsonObject) -> int:
    amounts = (dig(it, "resources", "limits") or {} for it in maps(pod.get("containers")))
    return sum(int(quantity.parse(it.get(name, 0))) for it in amounts for name in ACCELERATORS)


def _owner(obj: JsonObject) -> str:
    labels = labels_of(obj)
    stack, manager = labels.get(STACK, ""), labels.get(MANAGED_BY, "")
    return f"{manager}:{stack}" if stack else manager


def _state(kind: Kind, obj: JsonObject) -> State:
    if dig(obj, "metadata", "deletionTimestamp"):
        return State.STOPPING
    found = _STATES[kind](obj)
    if found is State.SUSPENDED and labels_of(obj).get(QUEUE_LABEL):
        return State.QUEUED
    return found


def _job_state(obj: JsonObject) -> State:
    if condition(obj, "Complete") or condition(obj, "SuccessCriteriaMet"):
        return State.SUCCEEDED
    if condition(obj, "Failed") or condition(obj, "FailureTarget"):
        return State.FAILED
    if dig(obj, "spec", "suspend"):
        return State.SUSPENDED
    ready = int(dig(obj, "status", "ready") or 0) + int(dig(obj, "status", "succeeded") or 0)
    return State.RUNNING if ready >= _least(obj["spec"]) else State.STARTING


def _job_set_state(obj: JsonObject) -> State:
    """kubernetes-sigs/jobset v0.12.0 api/jobset/v1alpha2/jobset_types.go."""
    if condition(obj, "Completed"):
        return State.SUCCEEDED
    if condition(obj, "Failed"):
        return State.FAILED
    if dig(obj, "spec", "suspend"):
        return State.SUSPENDED
    wanted = {it["name"]: int(it.get("replicas", 1)) for it in obj["spec"]["replicatedJobs"]}
    for each in maps(dig(obj, "status", "replicatedJobsStatus")):
        wanted[each["name"]] -= int(each.get("ready") or 0) + int(each.get("succeeded") or 0)
    return State.STARTING if any(it > 0 for it in wanted.values()) else State.RUNNING


def _ray_job_state(obj: JsonObject) -> State:
    """ray-project/kuberay v1.4.2 ray-operator/apis/ray/v1/rayjob_types.go."""
    status: Any = obj.get("status") or {}
    match status.get("jobDeploymentStatus"), status.get("jobStatus"):
        # Stopped by hand: KubeRay calls every end complete but a failure (v1.4.2
        # ray-operator/controllers/ray/rayjob_controller.go:299).
        case "Complete", "STOPPED":
            return State.FAILED
        case "Complete", _:
            return State.SUCCEEDED
        case "Failed", _:
            return State.FAILED
        case (("Suspended" | "Suspending"), _):
            return State.SUSPENDED
        case _, "RUNNING":
            return State.RUNNING
        case _ if dig(obj, "spec", "suspend"):
            return State.SUSPENDED
        case _:
            return State.STARTING


def _ray_cluster_state(obj: JsonObject) -> State:
    """ray-project/kuberay v1.4.2 ray-operator/apis/ray/v1/raycluster_types.go."""
    if dig(obj, "spec", "suspend"):
        return State.SUSPENDED
    status: Any = obj.get("status") or {}
    ready = int(status.get("readyWorkerReplicas") or 0)
    if condition(obj, "HeadPodReady") and ready >= int(status.get("desiredWorkerReplicas") or 0):
        return State.RUNNING
    return State.STARTING


_STATES = {
    JOB: _job_state,
    JOB_SET: _job_set_state,
    RAY_JOB: _ray_job_state,
    RAY_CLUSTER: _ray_cluster_state,
}
