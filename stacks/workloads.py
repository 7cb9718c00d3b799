"""Kubernetes objects that are work, and how many accelerators their pods ask for. Pure."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Any

RAY_CLUSTER = "kubernetes:ray.io/v1:RayCluster"
RAY_JOB = "kubernetes:ray.io/v1:RayJob"
JOB = "kubernetes:batch/v1:Job"
JOB_SET = "kubernetes:jobset.x-k8s.io/v1alpha2:JobSet"
DEPLOYMENT = "kubernetes:apps/v1:Deployment"
PROVISIONING_REQUEST = "kubernetes:autoscaling.x-k8s.io/v1:ProvisioningRequest"
# What ends by itself.
JOBS = (RAY_JOB, JOB_SET, JOB)
# What runs, and what stops when it goes.
WORKLOADS = (RAY_JOB, RAY_CLUSTER, JOB, JOB_SET, DEPLOYMENT)
_KINDS = {"nvidia.com/gpu": "GPU", "google.com/tpu": "TPU"}

Inputs = Mapping[str, Any]


def devices_of(token: str, inputs: Inputs) -> Counter[str]:
    """Accelerators by kind at the object's size; none for one that brings no pods of its own."""
    spec = _map(inputs, "spec")
    match token:
        case "kubernetes:ray.io/v1:RayCluster":
            return of_ray(spec)
        case "kubernetes:ray.io/v1:RayJob":
            return of_ray(_map(spec, "rayClusterSpec"))
        case "kubernetes:batch/v1:Job":
            return _pods(_map(spec, "template"), _number(spec.get("parallelism"), 1))
        case "kubernetes:jobset.x-k8s.io/v1alpha2:JobSet":
            return of_job_set(spec)
        case "kubernetes:apps/v1:Deployment":
            return _pods(_map(spec, "template"), _number(spec.get("replicas"), 1))
        case _:
            return Counter()


def devices_under(token: str, inputs: Inputs, clusters: Iterable[Inputs]) -> str:
    """In words those of an object, or of that of the RayClusters which it is sent to."""
    found = devices_of(token, inputs)
    if token == RAY_JOB and not found:
        for it in clusters:
            if _map(it, "metadata").get("name") == ray_cluster_of(inputs):
                found = devices_of(RAY_CLUSTER, it)
    return ", ".join(
        f"{count} {kind}{'' if count == 1 else 's'}" for kind, count in sorted(found.items())
    )


def ray_cluster_of(job: Inputs) -> str | None:
    """The RayCluster that a RayJob is sent to."""
    return _map(_map(job, "spec"), "clusterSelector").get("ray.io/cluster")


def of_ray(spec: Inputs) -> Counter[str]:
    """Those of a Ray cluster's head and workers; `numOfHosts` is the pods of one replica."""
    found = _pods(_map(_map(spec, "headGroupSpec"), "template"), 1)
    for group in spec.get("workerGroupSpecs") or []:
        pods = _number(group.get("replicas"), 0) * _number(group.get("numOfHosts"), 1)
        found += _pods(_map(group, "template"), pods)
    return found


def of_job_set(spec: Inputs) -> Counter[str]:
    """Those of all Jobs of a JobSet."""
    found: Counter[str] = Counter()
    for one in spec.get("replicatedJobs") or []:
        job = _map(_map(one, "template"), "spec")
        pods = _number(one.get("replicas"), 1) * _number(job.get("parallelism"), 1)
        found += _pods(_map(job, "template"), pods)
    return found


def _pods(template: Inputs, pods: int) -> Counter[str]:
    found: Counter[str] = Counter()
    for container in _map(template, "spec").get("containers") or []:
        limits = _map(_map(container, "resources"), "limits")
        for resource, kind in _KINDS.items():
            found[kind] += pods * _number(limits.get(resource), 0)
    return +found


def _map(inputs: Inputs, key: str) -> Inputs:
    found = inputs.get(key)
    return found if isinstance(found, Mapping) else {}


def _number(value: Any, without: int) -> int:
    """A value that is not known beforehand, or none, counts as `without`."""
    return int(value) if str(value).isdecimal() else without
