"""Ray's own autoscaler, which KubeRay puts beside the head: workers come and go with what jobs ask
for. Pure.

Source: ray-project/kuberay v1.4.2, read 2026-11-21: controllers/ray/common/pod.go (the container,
its 500m and 512Mi), utils/util.go (a group never runs fewer than minReplicas).
"""

from dataclasses import dataclass
from typing import Any

AUTOSCALER_MILLICORES = 500
AUTOSCALER_MEMORY_MIB = 512


@dataclass(frozen=True, kw_only=True)
class RayAutoscaling:
    """`idle_seconds` is how long a worker without work stays, beyond the fewest of its group."""

    idle_seconds: int


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
        },
    }


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
