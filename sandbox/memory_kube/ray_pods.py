"""Pods that KubeRay makes of a RayCluster and a RayJob: how many, and of which template."""

import copy
from collections.abc import Mapping
from typing import Any

from sandbox.kube.objects import JsonObject, dig, maps

# BuildAutoscalerContainer in ray-operator/controllers/ray/common/pod.go, v1.4.2 (read 2026-11-21).
_AUTOSCALER_AMOUNTS = {"cpu": "500m", "memory": "512Mi"}
_AUTOSCALER = {"limits": _AUTOSCALER_AMOUNTS, "requests": _AUTOSCALER_AMOUNTS}


def replicas_of(group: Mapping[str, Any]) -> int:
    low, high = group["minReplicas"], group["maxReplicas"]
    return min(max(group["replicas"], low), high)


def workers_of(group: Mapping[str, Any]) -> int:
    """Pods of a worker group: each replica has one on each of its hosts."""
    return replicas_of(group) * group["numOfHosts"]


def head_template(spec: Mapping[str, Any]) -> JsonObject:
    """The head's template, with the autoscaler's container where the cluster scales by itself."""
    template = spec["headGroupSpec"]["template"]
    if not spec.get("enableInTreeAutoscaling"):
        return template
    container = {
        "name": "autoscaler",
        "image": dig(spec, "autoscalerOptions", "image")
        or template["spec"]["containers"][0]["image"],
        "resources": dig(spec, "autoscalerOptions", "resources") or _AUTOSCALER,
    }
    pod = template["spec"]
    return {**template, "spec": {**pod, "containers": [*maps(pod["containers"]), container]}}


def submitter_template(job: Mapping[str, Any], cluster: Mapping[str, Any]) -> JsonObject:
    """The template of the pod that submits a RayJob (specs in); its image is the head's unless the
    job's own template says more."""
    if given := job.get("submitterPodTemplate"):
        return copy.deepcopy(given)
    head = cluster["headGroupSpec"]["template"]["spec"]["containers"][0]
    container = {
        "name": "ray-job-submitter",
        "image": head["image"],
        "resources": {
            "limits": {"cpu": "1", "memory": "1Gi"},
            "requests": {"cpu": "500m", "memory": "200Mi"},
        },
    }
    return {"spec": {"containers": [container], "restartPolicy": "Never"}}
