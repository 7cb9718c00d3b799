"""Why a RayCluster whose head keeps its state in Redis stays when it is deleted.

ray-project/kuberay ray-operator v1.6.2, controllers/ray/raycluster_controller.go:208. The Job that
clears Redis is not made here: it takes a few seconds where it can run, and where it cannot the
cluster goes without it after five minutes. Where nobody makes it, or nobody lets it run, the
cluster stays for ever.
"""

from collections.abc import Mapping
from typing import Any

from kube.objects import JsonObject, annotations_of
from sandbox.kube.helm import ray_operator_runs
from sandbox.kube.kueue import queue_of, running
from sandbox.kube.store import Store

ENABLED = "ray.io/ft-enabled"
STORAGE = "ray.io/external-storage-namespace"
FINALIZER = "ray.io/gcs-ft-redis-cleanup-finalizer"


def keeps_state(spec: Mapping[str, Any], annotations: Mapping[str, str]) -> bool:
    options = spec.get("gcsFaultToleranceOptions") is not None
    return options or annotations.get(ENABLED, "").lower() == "true"


def why_it_stays(store: Store, cluster: JsonObject) -> str | None:
    """Why a cluster would never go; None where it does."""
    if not keeps_state(cluster["spec"], annotations_of(cluster)):
        return None
    if not ray_operator_runs(store):
        return "no KubeRay is there to clear Redis"
    if queue_of(cluster) and running(store) is not None:
        return (
            "Kueue keeps the Job that clears Redis suspended once the cluster's workload is gone; "
            "nearest: a cluster without a queue"
        )
    return None
