"""JobSet: its Jobs, and its end.

Source: kubernetes-sigs/jobset pkg/controllers/jobset_controller.go, v0.12.0 (read 2026-11-22). No
pod fails in here, so nothing starts again.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from kube.objects import (
    JsonObject,
    Node,
    annotations_of,
    dig,
    labels_of,
    maps,
    name_of,
    namespace_of,
)
from sandbox.kube.helm import job_set_controller_runs
from sandbox.kube.pods import is_running
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
            jobs = [_keep_job(store, job_set, each) for each in _wanted(job_set)]
            store.patch(job_set, status=_status(store, job_set, jobs))


def _wanted(job_set: JsonObject) -> Iterator[JsonObject]:
    for one in maps(job_set["spec"].get("replicatedJobs")):
        for index in range(one["replicas"]):
            yield _job(job_set, one, index)


def _job(job_set: JsonObject, one: JsonObject, index: int) -> JsonObject:
    own = {NAME: name_of(job_set), REPLICATED_JOB: one["name"], _INDEX: str(index)}
    spec = one["template"]["spec"]
    template = spec["template"]
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
            "template": {"metadata": marked, "spec": template["spec"]},
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
    conditions = [{"type": "Suspended", "status": "True" if suspended else "False"}]
    if jobs and all(map(_is_complete, jobs)):
        conditions.append({"type": "Completed", "status": "True", "reason": "AllJobsCompleted"})
        return {"conditions": conditions, "terminalState": "Completed"}
    replicated = [
        _replicated_status(
            store, name, [it for it in jobs if labels_of(it)[REPLICATED_JOB] == name]
        )
        for name in dict.fromkeys(labels_of(it)[REPLICATED_JOB] for it in jobs)
    ]
    return {"conditions": conditions, "replicatedJobsStatus": replicated}


def _replicated_status(store: Store, name: str, jobs: list[JsonObject]) -> JsonObject:
    """A job is ready as a whole, and active with one pod, also one that waits for a node."""
    running = [sum(map(is_running, store.owned_by(job, "Pod"))) for job in jobs]
    counts = {
        "ready": [it >= job["spec"]["parallelism"] for it, job in zip(running, jobs, strict=True)],
        "succeeded": [_is_complete(job) for job in jobs],
        "failed": [],
        "active": [bool(dig(job, "status", "active")) for job in jobs],
        "suspended": [bool(job["spec"]["suspend"]) for job in jobs],
    }
    return {"name": name, **{key: sum(each) for key, each in counts.items()}}


def _is_complete(job: JsonObject) -> bool:
    conditions = maps(dig(job, "status", "conditions"))
    return any(one["type"] == "Complete" and one["status"] == "True" for one in conditions)
