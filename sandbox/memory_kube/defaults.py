"""The values that the API server fills in; only those that something here reads or shows."""

import copy
from collections.abc import Callable, Mapping
from contextlib import suppress
from typing import Any

from kube.errors import KubeError
from kube.objects import JsonObject, dig, maps, pod_templates
from sandbox.kube.amounts import Amount
from sandbox.kube.claim_rules import requests_in
from sandbox.kube.custom_resources import fill_defaults, schema_of
from sandbox.kube.store import DEFAULT_STORAGE_CLASS

_TOP: dict[str, JsonObject] = {
    "Secret": {"type": "Opaque"},
    "StorageClass": {"reclaimPolicy": "Delete", "volumeBindingMode": "Immediate"},
    "PriorityClass": {"preemptionPolicy": "PreemptLowerPriority"},
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
    "HorizontalPodAutoscaler": {"minReplicas": 1},
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
}
_POD = {
    "restartPolicy": "Always",
    "serviceAccountName": "default",
    "dnsPolicy": "ClusterFirst",
    "schedulerName": "default-scheduler",
    "terminationGracePeriodSeconds": 30,
}


def with_defaults(manifest: Mapping[str, Any], *, namespaced: bool) -> JsonObject:
    obj = copy.deepcopy(dict(manifest))
    kind, metadata = obj["kind"], obj["metadata"]
    if namespaced:
        metadata["namespace"] = metadata.get("namespace") or "default"
    if schema := schema_of(obj["apiVersion"], kind):
        _fill(obj, {"spec": {}} if "spec" in schema["properties"] else {})
        fill_defaults(schema, obj)
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
    """What JobSet's own webhook fills in."""
    _fill(spec, {"network": {}, "successPolicy": {"operator": "All"}})
    _fill(spec, {"startupPolicy": {"startupPolicyOrder": "AnyOrder"}})
    _fill(spec["network"], {"enableDNSHostnames": True, "publishNotReadyAddresses": True})
    for one in maps(spec.get("replicatedJobs")):
        if isinstance(job := dig(one, "template", "spec"), dict):
            _fill(job, {"completionMode": "Indexed"})
        if isinstance(pod := dig(one, "template", "spec", "template", "spec"), dict):
            _fill(pod, {"restartPolicy": "OnFailure"})


_FILLERS: dict[str, Callable[[JsonObject], None]] = {
    "Job": _job,
    "JobSet": _job_set,
    "ResourceClaimTemplate": _claims,
    "ResourceQuota": _quota,
    "Service": _ports,
}
