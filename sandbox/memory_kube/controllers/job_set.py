"""JobSet: its Jobs, the Service by which their pods find each other, and its status.

Source: kubernetes-sigs/jobset pkg/controllers/jobset_controller.go, v0.12.0 (read 2026-11-22). No
pod fails in here, so nothing starts again.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from sandbox.kube.helm import job_set_controller_runs
from sandbox.kube.objects import (
    JsonObject,
    Node,
    annotations_of,
    dig,
    labels_of,
    maps,
    name_of,
    namespace_of,
)
from sandbox.kube.pods import FINISHED, is_running, phase
from sandbox.kube.store import Store
from sandbox.memory_kube.defaults import with_defaults

NAME = "jobset.sigs.k8s.io/jobset-name"
REPLICATED_JOB = "jobset.sigs.k8s.io/replicatedjob-name"
_INDEX = "jobset.sigs.k8s.io/job-index"
_DONE = ("Completed", "Failed")


def is_done(job_set: Mapping[str, Any]) -> bool:
    conditions = maps(dig(job_set, "status", "conditions"))
    return any(one["type"] in _DONE and one["status"] == "True" for one in conditions)


def run_job_sets(store: Store, nodes: Sequence[Node]) -> None:
    del nodes
    if not job_set_controller_runs(store):
        return
    for job_set in store.all("JobSet"):
        if not is_done(job_set):
            _keep_service(store, job_set)
            jobs = [_keep_job(store, job_set, each) for each in _wanted(job_set)]
            store.patch(job_set, status=_status(store, job_set, jobs))


def _keep_service(store: Store, job_set: JsonObject) -> None:
    network, name = job_set["spec"]["network"], _subdomain(job_set)
    if not network["enableDNSHostnames"]:
        return
    if store.get("v1", "Service", namespace_of(job_set), name) is not None:
        return
    spec = {
        "clusterIP": "None",
        "selector": {NAME: name_of(job_set)},
        "publishNotReadyAddresses": network["publishNotReadyAddresses"],
    }
    metadata = {"name": name, "namespace": namespace_of(job_set)}
    service = {"apiVersion": "v1", "kind": "Service", "metadata": metadata, "spec": spec}
    store.add(with_defaults(service, namespaced=True), owner=job_set)


def _subdomain(job_set: JsonObject) -> str:
    return job_set["spec"]["network"].get("subdomain") or name_of(job_set)


def _wanted(job_set: JsonObject) -> Iterator[JsonObject]:
    for one in maps(job_set["spec"].get("replicatedJobs")):
        for index in range(one["replicas"]):
            yield _job(job_set, one, index)


def _job(job_set: JsonObject, one: JsonObject, index: int) -> JsonObject:
    own = {NAME: name_of(job_set), REPLICATED_JOB: one["name"], _INDEX: str(index)}
    spec = one["template"]["spec"]
    template = spec["template"]
    pod: dict[str, Any] = dict(template["spec"])
    if job_set["spec"]["network"]["enableDNSHostnames"]:
        pod["subdomain"] = _subdomain(job_set)
    marked = {
        "labels": {**labels_of(template), **own},
        "annotations": {**annotations_of(template), **own},
    }
    metadata = one["template"].get("metadata") or {}
    manifest = {
        "apiVersion": "batch/v1",
        "kind": "Job",
        "metadata": {
            "name": f"{name_of(job_set)}-{one['name']}-{index}",
            "namespace": namespace_of(job_set),
            "labels": {**(metadata.get("labels") or {}), **own},
            "annotations": {**(metadata.get("annotations") or {}), **own},
        },
        "spec": {
            **spec,
            "template": {"metadata": marked, "spec": pod},
            "suspend": bool(job_set["spec"].get("suspend")),
        },
    }
    return with_defaults(manifest, namespaced=True)


def _keep_job(store: Store, job_set: JsonObject, wanted: JsonObject) -> JsonObject:
    """The live Job. Once it is there, only whether it is suspended follows its JobSet."""
    live = store.get("batch/v1", "Job", namespace_of(wanted), name_of(wanted))
    if live is None:
        return store.add(wanted, owner=job_set)
    return store.patch(live, spec={**live["spec"], "suspend": wanted["spec"]["suspend"]})


def _status(store: Store, job_set: JsonObject, jobs: list[JsonObject]) -> JsonObject:
    suspended = bool(job_set["spec"].get("suspend"))
    counts = [_count(store, jobs, one) for one in maps(job_set["spec"].get("replicatedJobs"))]
    done = bool(jobs) and all(_is_complete(job) for job in jobs)
    conditions = [{"type": "Suspended", "status": "True" if suspended else "False"}]
    if done:
        reason = "AllJobsCompleted"
        conditions.append({"type": "Completed", "status": "True", "reason": reason})
    return {
        "conditions": conditions,
        "replicatedJobsStatus": counts,
        "restarts": 0,
        **({"terminalState": "Completed"} if done else {}),
    }


def _count(store: Store, jobs: list[JsonObject], one: JsonObject) -> JsonObject:
    own = [job for job in jobs if labels_of(job)[REPLICATED_JOB] == one["name"]]
    going = [job for job in own if not _is_complete(job)]
    return {
        "name": one["name"],
        "ready": sum(_is_ready(store, job) for job in going),
        "succeeded": len(own) - len(going),
        "failed": 0,
        "active": sum(bool(dig(job, "status", "active")) for job in going),
        "suspended": sum(bool(job["spec"]["suspend"]) for job in going),
    }


def _is_complete(job: JsonObject) -> bool:
    conditions = maps(dig(job, "status", "conditions"))
    return any(one["type"] == "Complete" and one["status"] == "True" for one in conditions)


def _is_ready(store: Store, job: JsonObject) -> bool:
    pods = store.owned_by(job, "Pod")
    up = sum(is_running(pod) or phase(pod) in FINISHED for pod in pods)
    spec = job["spec"]
    return up >= min(spec["parallelism"], spec.get("completions") or spec["parallelism"])
