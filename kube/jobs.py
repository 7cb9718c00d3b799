"""Kinds of jobs, read alike: what state each is in, and which pods it asks for. Pure."""

from __future__ import annotations

from collections.abc import Iterator
from enum import StrEnum
from typing import Any

from components.queue_labels import QUEUE_LABEL
from kube import quantity
from kube.kinds import DEPLOYMENT, JOB, JOB_SET, RAY_CLUSTER, RAY_JOB, Kind
from kube.objects import JsonObject, dig, labels_of, maps

# components/inference_manifest.py, and GKE's own quickstarts of model servers.
SERVER_LABEL = "ai.gke.io/inference-server"
ACCELERATORS = ("nvidia.com/gpu", "google.com/tpu")
_UP = "status", "conditions"


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


def is_work(kind: Kind, obj: JsonObject) -> bool:
    """Whether an object is what a user calls a job or a server, and nobody's part."""
    return is_own(obj) and (kind != DEPLOYMENT or is_server(obj))


def is_own(obj: JsonObject) -> bool:
    """Whether it is nobody's part: the JobSet is the job, and not the Jobs that it makes."""
    return not any(it.get("controller") for it in maps(dig(obj, "metadata", "ownerReferences")))


def is_server(obj: JsonObject) -> bool:
    """Whether a Deployment serves a model, by the label that GKE has for such pods."""
    return dig(obj, "spec", "template", "metadata", "labels", SERVER_LABEL) is not None


def pod_groups(kind: Kind, obj: JsonObject) -> Iterator[tuple[int, JsonObject]]:
    """How many pods it asks for of each template's spec."""
    spec = obj["spec"]
    if kind == JOB:
        yield _least(spec), spec["template"]["spec"]
    elif kind == DEPLOYMENT:
        yield _replicas(spec), spec["template"]["spec"]
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


def state_of(kind: Kind, obj: JsonObject) -> State:
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


def _replicas(spec: JsonObject) -> int:
    """One where nobody says how many."""
    wanted = spec.get("replicas")
    return 1 if wanted is None else int(wanted)


def _server_state(obj: JsonObject) -> State:
    """Running where all that are wanted can be used, and are of the present config: a pod of the
    config before is among those that are ready until it goes (kubernetes/kubernetes v1.35.4
    pkg/apis/apps/types.go, DeploymentStatus; kubernetes/kubectl v0.35.4
    pkg/polymorphichelpers/rollout_status.go, "old replicas are pending termination")."""
    status: Any = obj.get("status") or {}
    wanted = _replicas(obj["spec"])
    seen = int(status.get("observedGeneration") or 0)
    is_current = seen >= int(dig(obj, "metadata", "generation") or 0)
    there, updated, ready = (
        int(status.get(it) or 0) for it in ("replicas", "updatedReplicas", "readyReplicas")
    )
    is_current = is_current and there <= updated
    return State.RUNNING if is_current and min(updated, ready) >= wanted else State.STARTING


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
    DEPLOYMENT: _server_state,
}
