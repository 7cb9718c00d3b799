"""The end of Jobs' pods: kwok ends a pod that says after how long.

A queued Job is a training, which goes on for as long as its queue leaves it the quota; who wants it
to end sets the annotation. The submitter of a queued RayJob is part of such a training, and so are
the Jobs of a queued JobSet.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from kube.objects import JsonObject, Ref, annotations_of, namespace_of
from sandbox.gke.agent.live import Live
from sandbox.kube.kueue import queue_of
from sandbox.kube.pods import is_running
from sandbox.kube.store import Store, owner_of
from sandbox.live_kube.api import Api

JOB = ("batch/v1", "Job")
ENDS_AFTER = "pod-complete.stage.kwok.x-k8s.io/delay"
_SECOND = "1s"


def end_job_pods(api: Api, live: Live, store: Store) -> None:
    for pod, job in pods_of_jobs(store):
        if not queue_of(job) and not _is_training(api, job):
            change = {"metadata": {"annotations": {ENDS_AFTER: _SECOND}}}
            live.put(api.patch(pod, change))


def pods_of_jobs(store: Store) -> Iterator[tuple[JsonObject, JsonObject]]:
    """Each running pod that does not know its end yet, with its Job."""
    for pod in store.all("Pod"):
        owner = owner_of(pod)
        if owner.get("kind") != "Job" or not is_running(pod) or ENDS_AFTER in annotations_of(pod):
            continue
        job = store.get(*JOB, namespace_of(pod), owner["name"])
        if job is not None and not pod["metadata"].get("deletionTimestamp"):
            yield pod, job


def _is_training(api: Api, job: Mapping[str, Any]) -> bool:
    """Whether the Job submits a queued RayJob, or is one of a queued JobSet."""
    owner = owner_of(job)
    if owner.get("kind") not in ("RayJob", "JobSet"):
        return False
    ref = Ref(
        api_version=owner["apiVersion"],
        kind=owner["kind"],
        namespace=namespace_of(job),
        name=owner["name"],
    )
    found = api.get(ref)
    return found is not None and bool(queue_of(found))
