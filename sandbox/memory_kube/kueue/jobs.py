"""The jobs that Kueue takes care of: pods, Jobs, JobSets, Ray clusters and Ray jobs with a queue's
label."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from sandbox.gke.pod_webhooks import mutated
from sandbox.kube.kueue_configuration import Configuration
from sandbox.kube.objects import JsonObject, dig, labels_of, maps
from sandbox.kube.pods import FINISHED, phase
from sandbox.kube.scheduler import requests_of
from sandbox.kube.store import Store
from sandbox.memory_kube.kueue.manager import PRIORITY, is_managed
from sandbox.memory_kube.kueue.model import PodSet
from sandbox.memory_kube.ray_pods import head_template, submitter_template

MAIN = "main"
HEAD = "head"
SUBMITTER = "submitter"
# A Job is complete, and a JobSet completed.
_ENDS = ("Complete", "Completed", "Failed")
_KINDS = ("Pod", "Job", "JobSet", "RayCluster", "RayJob")
Template = tuple[str, int, JsonObject]


def managed_jobs(store: Store, config: Configuration) -> list[JsonObject]:
    return [each for each in store.all(*_KINDS) if is_managed(store, config, each)]


def is_finished(job: Mapping[str, Any]) -> bool:
    match job["kind"]:
        case "Pod":
            return phase(job) in FINISHED
        case "Job" | "JobSet":
            conditions = maps(dig(job, "status", "conditions"))
            ended = [each for each in conditions if each["type"] in _ENDS]
            return any(each["status"] == "True" for each in ended)
        case "RayJob":
            return dig(job, "status", "jobDeploymentStatus") in ("Complete", "Failed")
        case _:
            return False


def priority_of(store: Store, job: JsonObject) -> tuple[str, int | None]:
    """The class and value that rank a job; the value is None where there is no such class."""
    if name := labels_of(job).get(PRIORITY):
        classes = store.all("WorkloadPriorityClass")
        return name, next((c["value"] for c in classes if c["metadata"]["name"] == name), None)
    templates = [template for _, _, template in _templates(job)]
    names = [t["spec"].get("priorityClassName") for t in templates]
    name = next((each for each in names if each), "")
    return name, store.priority(name)


def pod_sets(
    store: Store,
    config: Configuration,
    job: JsonObject,
    counts: Mapping[str, int] | None = None,
) -> tuple[PodSet, ...]:
    """What a job claims now, or claimed when its pods were as many as `counts` says."""
    found: list[PodSet] = []
    for name, now, template in _templates(job):
        count = now if counts is None else counts.get(name, 0)
        # A pod has been through GKE's webhooks before Kueue sees it; a template has not.
        spec = mutated(store, job)["spec"] if job["kind"] == "Pod" else template["spec"]
        requests = {
            resource: amount * count
            for resource, amount in requests_of(spec).items()
            if not (config.left_out and resource.startswith(config.left_out))
        }
        found.append(PodSet(name=name, count=count, spec=spec, requests=requests))
    return tuple(found)


def _templates(job: JsonObject) -> Iterator[Template]:
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


def _of_cluster(spec: JsonObject) -> Iterator[Template]:
    """Of a group Kueue counts `replicas` alone, and KubeRay makes no fewer than `minReplicas`."""
    yield HEAD, 1, head_template(spec)
    for group in maps(spec.get("workerGroupSpecs")):
        yield group["groupName"], group["replicas"] * group["numOfHosts"], group["template"]
