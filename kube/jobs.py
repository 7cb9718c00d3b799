"""Kinds of jobs, read alike: what state each is in, and which pods it asks for. Pure."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from enum import StrEnum
from typing import Any

from components.queues.labels import QUEUE_LABEL
from kube.kinds import DEPLOYMENT, JOB, JOB_SET, RAY_CLUSTER, RAY_JOB, Kind
from kube.objects import JsonObject, dig, labels_of, maps
from kube.reading import amount, whole

# components/servers/manifest.py, and GKE's own quickstarts of model servers.
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
    spec = obj.get("spec") or {}
    if kind == JOB:
        yield _least(spec), _pod(spec)
    elif kind == DEPLOYMENT:
        yield _replicas(spec), _pod(spec)
    elif kind == JOB_SET:
        for each in maps(spec.get("replicatedJobs")):
            inner = dig(each, "template", "spec") or {}
            yield whole(each.get("replicas"), 1) * _least(inner), _pod(inner)
    else:
        ray = spec.get("rayClusterSpec") if kind == RAY_JOB else spec
        if ray:
            yield 1, _pod(ray.get("headGroupSpec"))
            for group in maps(ray.get("workerGroupSpecs")):
                hosts = whole(group.get("numOfHosts")) or 1
                yield whole(group.get("replicas")) * hosts, _pod(group)


def _pod(obj: Any) -> JsonObject:
    """The definitions of JobSet and KubeRay ask for a template and not for its spec
    (kubernetes-sigs/jobset config/components/crd/bases, ray-project/kuberay v1.6.2
    ray-operator/config/crd/bases)."""
    return dig(obj, "template", "spec") or {}


def condition(obj: JsonObject, name: str) -> JsonObject | None:
    """A condition that holds."""
    for each in maps(dig(obj, *_UP)):
        if each.get("type") == name and each.get("status") == "True":
            return each
    return None


def _least(spec: JsonObject) -> int:
    parallel = whole(spec.get("parallelism"), 1)
    return min(parallel, whole(spec.get("completions"), parallel))


def accelerators(pod: JsonObject) -> int:
    amounts = (dig(it, "resources", "limits") or {} for it in maps(pod.get("containers")))
    return sum(int(amount(it.get(name, 0))) for it in amounts for name in ACCELERATORS)


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
    ready = whole(dig(obj, "status", "ready")) + whole(dig(obj, "status", "succeeded"))
    return State.RUNNING if ready >= _least(obj.get("spec") or {}) else State.STARTING


def _job_set_state(obj: JsonObject) -> State:
    """kubernetes-sigs/jobset v0.12.0 api/jobset/v1alpha2/jobset_types.go."""
    if condition(obj, "Completed"):
        return State.SUCCEEDED
    if condition(obj, "Failed"):
        return State.FAILED
    if dig(obj, "spec", "suspend"):
        return State.SUSPENDED
    jobs = maps(dig(obj, "spec", "replicatedJobs"))
    wanted = Counter({it["name"]: whole(it.get("replicas"), 1) for it in jobs})
    for each in maps(dig(obj, "status", "replicatedJobsStatus")):
        wanted[each["name"]] -= whole(each.get("ready")) + whole(each.get("succeeded"))
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
    return whole(spec.get("replicas"), 1)


def _server_state(obj: JsonObject) -> State:
    """Running where all that are wanted can be used, and are of the present config: a pod of the
    config before is among those that are ready until it goes (kubernetes/kubernetes v1.35.4
    pkg/apis/apps/types.go, DeploymentStatus; kubernetes/kubectl v0.35.4
    pkg/polymorphichelpers/rollout_status.go, "old replicas are pending termination")."""
    status: Any = obj.get("status") or {}
    wanted = _replicas(obj.get("spec") or {})
    seen = whole(status.get("observedGeneration"))
    is_current = seen >= whole(dig(obj, "metadata", "generation"))
    there, updated, ready = (
        whole(status.get(it)) for it in ("replicas", "updatedReplicas", "readyReplicas")
    )
    is_current = is_current and there <= updated
    return State.RUNNING if is_current and min(updated, ready) >= wanted else State.STARTING


def _ray_cluster_state(obj: JsonObject) -> State:
    """ray-project/kuberay v1.4.2 ray-operator/apis/ray/v1/raycluster_types.go."""
    if dig(obj, "spec", "suspend"):
        return State.SUSPENDED
    status: Any = obj.get("status") or {}
    ready = whole(status.get("readyWorkerReplicas"))
    if condition(obj, "HeadPodReady") and ready >= whole(status.get("desiredWorkerReplicas")):
        return State.RUNNING
    return State.STARTING


_STATES = {
    JOB: _job_state,
    JOB_SET: _job_set_state,
    RAY_JOB: _ray_job_state,
    RAY_CLUSTER: _ray_cluster_state,
    DEPLOYMENT: _server_state,
}
