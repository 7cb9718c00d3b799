"""Pods that KubeRay makes of a RayCluster and a RayJob: how many, and of which template."""

import copy
from collections.abc import Mapping
from typing import Any

from components.base.pod_manifest import secret_variable
from components.ray.manifest import TOKEN_KEY, token_secret_name
from kube.objects import JsonObject, dig, maps, name_of
from kube.ray import asks_for_token, token_secret

# BuildAutoscalerContainer in ray-operator/controllers/ray/common/pod.go, v1.6.2 (read 2026-11-27).
AUTOSCALER = "autoscaler"
_AUTOSCALER_AMOUNTS = {"cpu": "500m", "memory": "512Mi"}
_AUTOSCALER = {"limits": _AUTOSCALER_AMOUNTS, "requests": _AUTOSCALER_AMOUNTS}


def made_token_secret(cluster: Mapping[str, Any]) -> str | None:
    """The Secret that KubeRay makes for a cluster; None where it makes none
    (raycluster_controller.go, reconcileAuthSecret, v1.6.2)."""
    options = dig(cluster, "spec", "authOptions")
    if options is None or options.get("mode") == "disabled":
        return None
    given = options.get("enableK8sTokenAuth") or options.get("secretName")
    return None if given else token_secret_name(name_of(cluster))


def token_variables(cluster: Mapping[str, Any]) -> list[JsonObject]:
    """Of Ray's containers, the autoscaler's and a submitter's (common/pod.go,
    SetContainerTokenAuthEnvVars, v1.6.2)."""
    if not asks_for_token(cluster["spec"]):
        return []
    mode = {"name": "RAY_AUTH_MODE", "value": "token"}
    secret = token_secret(cluster)
    if secret is None:
        return [mode, {"name": "RAY_ENABLE_K8S_TOKEN_AUTH", "value": "true"}]
    return [mode, secret_variable("RAY_AUTH_TOKEN", secret, TOKEN_KEY)]


def with_token(template: Mapping[str, Any], cluster: Mapping[str, Any]) -> JsonObject:
    """A template whose first container and autoscaler have the token, where the cluster asks for
    one; variables of their own stay."""
    variables, pod = token_variables(cluster), template["spec"]
    found: list[JsonObject] = []
    for place, container in enumerate(maps(pod["containers"])):
        names = {it["name"] for it in maps(container.get("env"))}
        new = [it for it in variables if it["name"] not in names]
        if new and (place == 0 or container["name"] == AUTOSCALER):
            found.append({**container, "env": [*maps(container.get("env")), *new]})
        else:
            found.append(container)
    return {**template, "spec": {**pod, "containers": found}}


def replicas_of(group: Mapping[str, Any]) -> int:
    low, high = group["minReplicas"], group["maxReplicas"]
    return min(max(group["replicas"], low), high)


def workers_of(group: Mapping[str, Any]) -> int:
    """Pods of a worker group: each replica has one on each of its hosts, and a group that is
    suspended has none."""
    if group.get("suspend"):
        return 0
    return replicas_of(group) * group["numOfHosts"]


def head_template(spec: Mapping[str, Any]) -> JsonObject:
    """The head's template, with the autoscaler's container where the cluster scales by itself."""
    template = spec["headGroupSpec"]["template"]
    if not spec.get("enableInTreeAutoscaling"):
        return template
    container = {
        "name": AUTOSCALER,
        "image": dig(spec, "autoscalerOptions", "image")
        or template["spec"]["containers"][0]["image"],
        "resources": dig(spec, "autoscalerOptions", "resources") or _AUTOSCALER,
        "volumeMounts": maps(dig(spec, "autoscalerOptions", "volumeMounts")),
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
