"""The values that the API server fills in; only those that something here reads or shows."""

import copy
from collections.abc import Callable, Mapping
from contextlib import suppress
from typing import Any

from sandbox.kube.amounts import Amount
from sandbox.kube.claim_rules import requests_in
from sandbox.kube.errors import KubeError
from sandbox.kube.objects import JsonObject, dig, maps, pod_templates
from sandbox.kube.store import DEFAULT_STORAGE_CLASS

MAX_INT32 = 2147483647
_TOP: dict[str, JsonObject] = {
    "Secret": {"type": "Opaque"},
    "StorageClass": {"reclaimPolicy": "Delete", "volumeBindingMode": "Immediate"},
    "PriorityClass": {"preemptionPolicy": "PreemptLowerPriority"},
    "ClusterQueue": {"spec": {}},
    "Cohort": {"spec": {}},
    "ResourceFlavor": {"spec": {}},
}
_SPEC: dict[str, JsonObject] = {
    "Deployment": {
        "replicas": 1,
        "revisionHistoryLimit": 10,
        "progressDeadlineSeconds": 600,
        "strategy": {
            "type": "RollingUpdate",
            "rollingUpdate": {"maxSurge": "25%", "maxUnavailable": "25%"},
        },
    },
    "Job": {
        "backoffLimit": 6,
        "completionMode": "NonIndexed",
        "podReplacementPolicy": "TerminatingOrFailed",
        "suspend": False,
    },
    "ClusterQueue": {"queueingStrategy": "BestEffortFIFO", "stopPolicy": "None"},
    "HorizontalPodAutoscaler": {"minReplicas": 1},
    "LocalQueue": {"stopPolicy": "None"},
    "Service": {"type": "ClusterIP", "sessionAffinity": "None"},
    "PersistentVolume": {
        "persistentVolumeReclaimPolicy": "Retain",
        "volumeMode": "Filesystem",
        "storageClassName": "",
    },
    "PersistentVolumeClaim": {
        "volumeMode": "Filesystem",
        "storageClassName": DEFAULT_STORAGE_CLASS,
    },
    "RayJob": {"submissionMode": "K8sJobMode", "backoffLimit": 0, "ttlSecondsAfterFinished": 0},
}
_POD = {
    "restartPolicy": "Always",
    "serviceAccountName": "default",
    "dnsPolicy": "ClusterFirst",
    "schedulerName": "default-scheduler",
    "terminationGracePeriodSeconds": 30,
}
_WORKERS = {"replicas": 0, "minReplicas": 0, "maxReplicas": MAX_INT32, "numOfHosts": 1}


def with_defaults(manifest: Mapping[str, Any], *, namespaced: bool) -> JsonObject:
    obj = copy.deepcopy(dict(manifest))
    kind, metadata = obj["kind"], obj["metadata"]
    if namespaced:
        metadata["namespace"] = metadata.get("namespace") or "default"
    _fill(obj, _TOP.get(kind, {}))
    if isinstance(spec := obj.get("spec"), dict):
        _fill(spec, _SPEC.get(kind, {}))
        if fill := _FILLERS.get(kind):
            fill(spec)
    if kind in ("Pod", "PodTemplate", "Deployment", "DaemonSet", "Job"):
        for _, template in pod_templates(obj):
            if isinstance(pod := template.get("spec"), dict):
                _fill(pod, _POD)
    return obj


def _fill(target: JsonObject, values: Mapping[str, Any]) -> None:
    for key, value in values.items():
        if target.get(key) is None:
            target[key] = copy.deepcopy(value)


def _job(spec: JsonObject) -> None:
    # With parallelism alone the Job is a work queue and has no completions.
    if spec.get("completions") is None and spec.get("parallelism") is None:
        spec["completions"] = 1
    _fill(spec, {"parallelism": 1})


def _ports(spec: JsonObject) -> None:
    for port in maps(spec.get("ports")):
        _fill(port, {"protocol": "TCP", "targetPort": port.get("port")})


def _quota(spec: JsonObject) -> None:
    for name, amount in (spec.get("hard") or {}).items():
        # An amount that is none is refused later, by its path.
        with suppress(KubeError):
            spec["hard"][name] = str(Amount.read(amount))


def _claims(spec: JsonObject) -> None:
    for request in requests_in(spec):
        if isinstance(exactly := request.get("exactly"), dict):
            _fill(exactly, {"allocationMode": "ExactCount"})
            if exactly["allocationMode"] == "ExactCount":
                _fill(exactly, {"count": 1})


def _job_set(spec: JsonObject) -> None:
    """What JobSet's own webhook and its definition fill in."""
    _fill(spec, {"network": {}, "successPolicy": {"operator": "All"}})
    _fill(spec, {"startupPolicy": {"startupPolicyOrder": "AnyOrder"}})
    if isinstance(network := spec["network"], dict):
        _fill(network, {"enableDNSHostnames": True, "publishNotReadyAddresses": True})
    if isinstance(policy := spec.get("failurePolicy"), dict):
        _fill(policy, {"restartStrategy": "Recreate"})
    jobs = spec.get("replicatedJobs")
    for one in maps(jobs if isinstance(jobs, list) else []):
        _fill(one, {"replicas": 1, "groupName": "default"})
        if isinstance(job := dig(one, "template", "spec"), dict):
            _fill(job, {"completionMode": "Indexed"})
        if isinstance(pod := dig(one, "template", "spec", "template", "spec"), dict):
            _fill(pod, {"restartPolicy": "OnFailure"})


def _workers(spec: JsonObject) -> None:
    groups = dig(spec, "workerGroupSpecs")
    for group in maps(groups if isinstance(groups, list) else []):
        _fill(group, _WORKERS)


_FILLERS: dict[str, Callable[[JsonObject], None]] = {
    "Job": _job,
    "JobSet": _job_set,
    "RayCluster": _workers,
    "RayJob": lambda spec: _workers(spec.get("rayClusterSpec") or {}),
    "ResourceClaimTemplate": _claims,
    "ResourceQuota": _quota,
    "Service": _ports,
}
