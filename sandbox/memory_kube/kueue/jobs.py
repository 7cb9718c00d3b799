"""The jobs that Kueue takes care of: pods, Jobs, JobSets, Ray clusters and Ray jobs with a queue's
label, and what each of them asks of its queue."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from sandbox.gke.pod_webhooks import mutated
from sandbox.kube.kueue import queue_of
from sandbox.kube.kueue_configuration import Configuration
from sandbox.kube.objects import JsonObject, annotations_of, dig, labels_of, maps, namespace_of
from sandbox.kube.pods import FINISHED, phase
from sandbox.kube.scheduler import requests_of
from sandbox.kube.store import Store, owner_of
from sandbox.memory_kube.ray_pods import head_template, submitter_template, workers_of

PRIORITY = "kueue.x-k8s.io/priority-class"
MANAGED = "kueue.x-k8s.io/managed"
MAIN = "main"
HEAD = "head"
SUBMITTER = "submitter"
FRAMEWORKS = {
    "Pod": "pod",
    "Job": "batch/job",
    "JobSet": "jobset.x-k8s.io/jobset",
    "RayCluster": "ray.io/raycluster",
    "RayJob": "ray.io/rayjob",
}
# A Job is complete, and a JobSet completed.
_ENDS = ("Complete", "Completed", "Failed")


@dataclass(frozen=True, kw_only=True)
class PodSet:
    """Pods of one template; `requests` are those of all of them."""

    name: str
    count: int
    spec: JsonObject
    requests: Mapping[str, Fraction]


def managed_jobs(store: Store, config: Configuration) -> list[JsonObject]:
    return [each for each in store.all(*FRAMEWORKS) if is_managed(store, config, each)]


def is_managed(store: Store, config: Configuration, obj: JsonObject) -> bool:
    """Whether Kueue decides when an object starts: a queue's label, and no ancestor with one."""
    if FRAMEWORKS.get(obj["kind"]) not in config.frameworks or not queue_of(obj):
        return False
    if obj["kind"] == "Pod":
        return labels_of(obj).get(MANAGED) == "true"
    return not any(is_managed(store, config, each) for each in owners(store, obj))


def owners(store: Store, obj: Mapping[str, Any]) -> Iterator[JsonObject]:
    """What controls an object, then what controls that."""
    above = owner_of(obj)
    while above:
        found = store.get(above["apiVersion"], above["kind"], namespace_of(obj), above["name"])
        if found is None:
            return
        yield found
        above = owner_of(found)


def is_elastic(config: Configuration, obj: Mapping[str, Any]) -> bool:
    return config.elastic and annotations_of(obj).get("kueue.x-k8s.io/elastic-job") == "true"


def is_finished(job: Mapping[str, Any]) -> bool:
    match job["kind"]:
        case "Pod":
            return phase(job) in FINISHED
        case "Job" | "JobSet":
            conditions = maps(dig(job, "status", "conditions"))
            return any(it["type"] in _ENDS and it["status"] == "True" for it in conditions)
        case "RayJob":
            return dig(job, "status", "jobDeploymentStatus") in ("Complete", "Failed")
        case _:
            return False


def priority_of(store: Store, job: JsonObject) -> int | None:
    """What ranks a job; None where there is no such class."""
    if name := labels_of(job).get(PRIORITY):
        classes = store.all("WorkloadPriorityClass")
        return next((it["value"] for it in classes if it["metadata"]["name"] == name), None)
    names = [template["spec"].get("priorityClassName") for _, _, template in _templates(job)]
    return store.priority(next(filter(None, names), ""))


def pod_sets(store: Store, config: Configuration, job: JsonObject) -> list[PodSet]:
    found: list[PodSet] = []
    for name, count, template in _templates(job):
        # A pod has been through GKE's webhooks before Kueue sees it; a template has not.
        spec = mutated(store, job)["spec"] if job["kind"] == "Pod" else template["spec"]
        requests = {
            resource: amount * count
            for resource, amount in requests_of(spec).items()
            if not (config.left_out and resource.startswith(config.left_out))
        }
        found.append(PodSet(name=name, count=count, spec=spec, requests=requests))
    return found


def _templates(job: JsonObject) -> Iterator[tuple[str, int, JsonObject]]:
    spec = job["spec"]
    match job["kind"]:
        case "Pod":
            yield MAIN, 1, job
        case "Job":
            yield MAIN, _at_once(spec), spec["template"]
        case "JobSet":
            for one in maps(spec.get("replicatedJobs")):
                of_one = one["template"]["spec"]
                yield one["name"], one["replicas"] * _at_once(of_one), of_one["template"]
        case "RayCluster":
            yield from _of_cluster(spec)
        case _:
            cluster = spec["rayClusterSpec"]
            yield from _of_cluster(cluster)
            if spec["submissionMode"] == "K8sJobMode":
                yield SUBMITTER, 1, submitter_template(spec, cluster)


def _at_once(job: JsonObject) -> int:
    parallel = job.get("parallelism", 1)
    return min(parallel, job.get("completions") or parallel)


def _of_cluster(spec: JsonObject) -> Iterator[tuple[str, int, JsonObject]]:
    yield HEAD, 1, head_template(spec)
    for group in maps(spec.get("workerGroupSpecs")):
        yield group["groupName"], workers_of(group), group["template"]
