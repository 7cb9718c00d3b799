"""RayJob: its own RayCluster or a chosen one, the submitter Job, and the two statuses.

As in KubeRay 1.6.2 a changed spec starts nothing again: cluster, job id and submitter are made
once.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from kube.names import CLUSTER_SELECTOR_KEY
from kube.objects import (
    JsonObject,
    Node,
    annotations_of,
    dig,
    labels_of,
    name_of,
    namespace_of,
)
from sandbox.kube.helm import ray_operator_runs
from sandbox.kube.pods import is_running, suffix
from sandbox.kube.store import Store
from sandbox.memory_kube.defaults import with_defaults
from sandbox.memory_kube.ray_pods import submitter_template, with_token

_DONE = ("Complete", "Failed")


def advance_ray_jobs(store: Store) -> None:
    """HTTPMode has no submitter pod that could finish: its job ends in the next reconcile.

    Not while pods of its cluster are away. With the head the job itself is gone, and KubeRay
    submits it again to the next one (v1.6.2 rayjob_controller.go: a job that is not found). Whether
    a job outlives its workers is its own affair; here every job waits for them.
    """
    for job in store.all("RayJob"):
        status = job.get("status") or {}
        over_http = job["spec"]["submissionMode"] == "HTTPMode"
        running = status.get("jobDeploymentStatus") == "Running"
        if over_http and running and _has_its_pods(store, job):
            store.patch(job, status={**status, "jobStatus": "SUCCEEDED"})


def _has_its_pods(store: Store, job: JsonObject) -> bool:
    cluster = store.get("ray.io/v1", "RayCluster", namespace_of(job), _cluster_name(job))
    return cluster is not None and dig(cluster, "status", "state") == "ready"


def run_ray_jobs(store: Store, nodes: Sequence[Node]) -> None:
    del nodes
    if not ray_operator_runs(store):
        return
    for job in store.all("RayJob"):
        if dig(job, "status", "jobDeploymentStatus") in _DONE:
            continue
        if job["spec"].get("suspend"):
            for child in store.owned_by(job):
                store.remove(child)
            status: JsonObject = {"jobDeploymentStatus": "Suspended"}
        else:
            status = _step(store, job)
        finished = store.patch(job, status=status)
        if status["jobDeploymentStatus"] == "Complete":
            _shut_down(store, finished)


def _step(store: Store, job: JsonObject) -> JsonObject:
    cluster_name = _cluster_name(job)
    status: JsonObject = {
        "rayClusterName": cluster_name,
        "jobDeploymentStatus": "Initializing",
    }
    cluster = store.get("ray.io/v1", "RayCluster", namespace_of(job), cluster_name)
    if cluster is None:
        if not job["spec"].get("clusterSelector"):
            _make_cluster(store, job, cluster_name)
        return status
    # Once submitted, a job does not go back to waiting for its cluster.
    submitted = dig(job, "status", "jobDeploymentStatus") == "Running"
    if not submitted and dig(cluster, "status", "state") != "ready":
        return status
    match job["spec"]["submissionMode"]:
        case "InteractiveMode" if not job["spec"].get("jobId"):
            return status | {"jobDeploymentStatus": "Waiting"}
        case "K8sJobMode":
            return status | _submission(store, job, cluster)
        case _:
            done = dig(job, "status", "jobStatus") == "SUCCEEDED"
            return status | (_COMPLETE if done else _RUNNING)


_RUNNING = {"jobDeploymentStatus": "Running", "jobStatus": "RUNNING"}
_COMPLETE = {"jobDeploymentStatus": "Complete", "jobStatus": "SUCCEEDED"}


def _submission(store: Store, job: JsonObject, cluster: JsonObject) -> JsonObject:
    submitter = store.get("batch/v1", "Job", namespace_of(job), name_of(job))
    if submitter is None:
        submitter = store.add(_submitter(job, cluster), owner=job)
    conditions = dig(submitter, "status", "conditions") or []
    if any(c["type"] == "Complete" and c["status"] == "True" for c in conditions):
        return _COMPLETE
    if any(is_running(pod) for pod in store.owned_by(submitter, "Pod")):
        return _RUNNING
    return {"jobDeploymentStatus": "Running"}


def _cluster_name(job: Mapping[str, Any]) -> str:
    chosen = dig(job, "spec", "clusterSelector") or {}
    own = f"{name_of(job)}-{suffix(job['metadata']['uid'], 'cluster')}"
    return chosen.get(CLUSTER_SELECTOR_KEY) or own


def _make_cluster(store: Store, job: JsonObject, name: str) -> None:
    cluster = {
        "apiVersion": "ray.io/v1",
        "kind": "RayCluster",
        "metadata": {
            "name": name,
            "namespace": namespace_of(job),
            "labels": labels_of(job),
            "annotations": annotations_of(job),
        },
        "spec": job["spec"]["rayClusterSpec"],
    }
    store.add(cluster, owner=job)


def _submitter(job: JsonObject, cluster: JsonObject) -> JsonObject:
    """The Job that runs `ray job submit`."""
    template = submitter_template(job["spec"], cluster["spec"])
    manifest = {
        "apiVersion": "batch/v1",
        "kind": "Job",
        "metadata": {"name": name_of(job), "namespace": namespace_of(job)},
        "spec": {"template": with_token(template, cluster)},
    }
    return with_defaults(manifest, namespaced=True)


def _shut_down(store: Store, job: JsonObject) -> None:
    if job["spec"].get("shutdownAfterJobFinishes") and not job["spec"].get("clusterSelector"):
        for cluster in store.owned_by(job, "RayCluster"):
            store.remove(cluster)
