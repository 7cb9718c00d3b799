"""A RayCluster as plain data: a head and groups of workers, of the pods that ray_manifest makes,
its autoscaler, which KubeRay puts beside the head, and who reaches its pods. Pure.

Values may be Pulumi inputs that are only known later; nothing here looks into them. Source of the
autoscaler: ray-project/kuberay v1.4.2, read 2026-11-21: controllers/ray/common/pod.go (the
container, its 500m and 512Mi), utils/util.go (a group never runs fewer than minReplicas).
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ..base.pod_access import pod_access_spec
from ..base.pod_manifest import token_volume
from ..queues.labels import ELASTIC_GATE
from .manifest import (
    CLUSTER_LABEL,
    LAUNCHER_DIR,
    RayPod,
    RayPodContext,
    ray_pod_template,
)

AUTOSCALER_MILLICORES = 500
AUTOSCALER_MEMORY_MIB = 512


@dataclass(frozen=True, kw_only=True)
class RayAutoscaling:
    """`idle_seconds` is how long a worker without work stays, beyond the fewest of its group."""

    idle_seconds: int


@dataclass(frozen=True, kw_only=True)
class RayWorkers:
    """`count` workers, at most where the cluster scales and then `least` at least, each of `hosts`
    pods."""

    pod: RayPod
    count: int
    hosts: int = 1
    least: int = 0


def ray_cluster_spec(
    *,
    version: str,
    head: RayPod,
    workers: Mapping[str, RayWorkers],
    context: RayPodContext,
    launcher_config_map: str,
    autoscaling: RayAutoscaling | None = None,
    elastic: bool = False,
    asks_for_token: bool = False,
) -> dict[str, Any]:
    """A RayCluster of one head and groups of `workers` by their names.

    Where it is `elastic` a queue lets its pods start one by one, by a gate that each has. Kueue's
    webhook writes it into a new cluster, and an update that left it out would take it off.

    Raises ValueError for a pod with two volumes of one name or at one path.
    """
    head_template = ray_pod_template("ray-head", head, context)
    _add_launcher(head_template["spec"], launcher_config_map)
    if autoscaling is not None:
        volume, _ = _autoscaler_token()
        head_template["spec"]["volumes"].append(volume)
    templates = {
        name: ray_pod_template("ray-worker", group.pod, context) for name, group in workers.items()
    }
    for template in (head_template, *templates.values()):
        _refuse_clashes(template["spec"])
        if elastic:
            template["spec"]["schedulingGates"] = [dict(ELASTIC_GATE)]
    return {
        "rayVersion": version,
        **token_fields(asks_for_token=asks_for_token),
        **scaling_fields(autoscaling),
        "headGroupSpec": {
            "rayStartParams": {"dashboard-host": "0.0.0.0", **head.start_params},
            "template": head_template,
        },
        "workerGroupSpecs": [
            {
                "groupName": name,
                **replica_fields(
                    group.count, group.least, scaling=autoscaling is not None, elastic=elastic
                ),
                **({} if group.hosts == 1 else {"numOfHosts": group.hosts}),
                "rayStartParams": dict(group.pod.start_params),
                "template": templates[name],
            }
            for name, group in workers.items()
        ],
    }


def token_fields(*, asks_for_token: bool) -> dict[str, Any]:
    """What a RayCluster's spec says about who may ask Ray.

    KubeRay makes a random token in a Secret that goes with the cluster, and gives it to the
    containers of Ray, of the autoscaler and of submitters as a variable from that Secret, and to
    its own requests (ray-project/kuberay v1.6.2 ray-operator/controllers/ray:
    raycluster_controller.go:380, common/pod.go:297, rayjob_controller.go:631, utils/util.go:973).
    So the token is in no manifest, no state and no argument of a process.
    """
    return {"authOptions": {"mode": "token"}} if asks_for_token else {}


def _add_launcher(spec: dict[str, Any], config_map: str) -> None:
    spec["volumes"].append(
        # Optional: a job, and with it the launcher, can come and go without a new cluster.
        {"name": "launcher", "configMap": {"name": config_map, "optional": True}}
    )
    spec["containers"][0]["volumeMounts"].append(
        {"name": "launcher", "mountPath": LAUNCHER_DIR, "readOnly": True}
    )


def _refuse_clashes(spec: Mapping[str, Any]) -> None:
    """Kubernetes has a pod's volumes by their names, and one of them at a path."""
    (container,) = spec["containers"]
    _refuse_twice("name", [it["name"] for it in spec["volumes"]])
    _refuse_twice("mount_path", [it["mountPath"] for it in container["volumeMounts"]])


def _refuse_twice(field: str, values: Sequence[str]) -> None:
    for value in values:
        if values.count(value) > 1:
            raise ValueError(
                f'volumes: {field} "{value}" is of two volumes of one pod, and Kubernetes tells '
                f"them apart by it; nearest: {value}-2"
            )


def scaling_fields(wanted: RayAutoscaling | None) -> dict[str, Any]:
    """What a RayCluster's spec says about it."""
    if wanted is None:
        return {}
    amounts = {"cpu": f"{AUTOSCALER_MILLICORES}m", "memory": f"{AUTOSCALER_MEMORY_MIB}Mi"}
    return {
        "enableInTreeAutoscaling": True,
        "autoscalerOptions": {
            "idleTimeoutSeconds": wanted.idle_seconds,
            "upscalingMode": "Default",
            "resources": {"requests": amounts, "limits": amounts},
            "volumeMounts": [_autoscaler_token()[1]],
        },
    }


def _autoscaler_token() -> tuple[dict[str, Any], dict[str, Any]]:
    """The token by which the autoscaler changes the RayCluster, and its mount.

    Jobs run in the head's other container, and would have the whole pod's token: it changes every
    RayCluster of the namespace, images and commands included (ray-project/kuberay v1.4.2 and v1.6.2
    ray-operator/controllers/ray/common/rbac.go; issue 1416). KubeRay gives the autoscaler's
    container these mounts (common/pod.go, mergeAutoscalerOverrides), and Ray reads the token there
    (ray-project/ray python/ray/autoscaler/_private/kuberay/node_provider.py, load_k8s_secrets).
    """
    return token_volume("autoscaler-token")


def replica_fields(
    count: int, least: int, *, scaling: bool, elastic: bool = False
) -> dict[str, int]:
    """What a group of workers says about their number.

    `replicas` is the autoscaler's to write, so it is left out; it starts from `minReplicas`. Only
    for Kueue, which is to admit the first workers of an `elastic` cluster, it says how many those
    are: it counts `replicas` alone (kubernetes-sigs/kueue v0.19.2
    pkg/controller/jobs/raycluster/common.go, effectiveWorkerCount).
    """
    if not scaling:
        return {"replicas": count, "minReplicas": count, "maxReplicas": count}
    few = {"minReplicas": least, "maxReplicas": count}
    return {"replicas": least, **few} if elastic else few


def ray_access_spec(cluster_name: str, namespace: Any, *, operator_is_pod: bool) -> dict[str, Any]:
    """A NetworkPolicy's spec: pods beside Ray in its namespace, in `default` and of teams do not
    reach it: whoever does runs what he likes.

    The operator submits jobs: GKE's from where nobody has published, that of the chart from its
    own namespace.
    """
    pods = {CLUSTER_LABEL: cluster_name}
    return pod_access_spec(pods, namespace=namespace, beside=pods, from_outside=not operator_is_pod)
