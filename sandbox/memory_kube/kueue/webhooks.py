"""Kueue's webhooks for what they refuse: its own objects while its manager does not run, and jobs
that it could not queue.

Source: kubernetes-sigs/kueue pkg/controller/jobs and jobframework, v0.19.0 (read 2026-11-21).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from kube.objects import JsonObject, annotations_of
from sandbox.kube.kueue import QUEUE, installed, queue_of, running
from sandbox.kube.kueue_configuration import Configuration
from sandbox.kube.store import Store
from sandbox.memory_kube.kueue.queues import FRAMEWORKS

_GROUP = "kueue.x-k8s.io"
_SUSPENDED = ("Job", "JobSet", "RayCluster", "RayJob")
_VALIDATED = ("ClusterQueue", "Cohort", "ResourceFlavor")
_NO_AUTOSCALING = (
    "a kueue-managed RayCluster can use autoscaling only as an elastic job: enable the "
    'ElasticJobsViaWorkloadSlices feature gate and set the "kueue.x-k8s.io/elastic-job": "true" '
    "annotation"
)


def denial(store: Store, obj: JsonObject, live: JsonObject | None) -> str:
    """Why Kueue's webhooks refuse an object; empty when they do not."""
    config, kind = installed(store), obj["kind"]
    if config is None:
        return ""
    own = kind in _VALIDATED and obj["apiVersion"].startswith(f"{_GROUP}/")
    queued = kind in _SUSPENDED and FRAMEWORKS[kind] in config.frameworks
    if not own and not queued:
        return ""
    name = f"v{kind.lower()}.kb.io"
    if running(store) is None:
        return f'failed calling webhook "{name}": Kueue\'s manager does not run: connection refused'
    why = next(_problems(obj, live, elastic=_is_elastic(config, obj)), "") if queued else ""
    return f'admission webhook "{name}" denied the request: {why}' if why else ""


def _problems(obj: JsonObject, live: JsonObject | None, *, elastic: bool) -> Iterator[str]:
    if queue_of(obj):
        for path, spec in [] if elastic else _ray_specs(obj):
            if spec.get("enableInTreeAutoscaling"):
                yield f"{path}.enableInTreeAutoscaling: Invalid value: true: {_NO_AUTOSCALING}"
        if obj["kind"] == "RayJob" and obj["spec"].get("clusterSelector"):
            yield "spec.clusterSelector: a kueue managed job should not use an existing cluster"
        elif obj["kind"] == "RayJob" and not obj["spec"].get("shutdownAfterJobFinishes"):
            what = "a kueue managed job should delete the cluster after finishing"
            yield f"spec.shutdownAfterJobFinishes: {what}"
    if live is not None and not live["spec"].get("suspend") and queue_of(live) != queue_of(obj):
        yield f"metadata.labels[{QUEUE}]: field is immutable while the job is not suspended"


def _ray_specs(obj: JsonObject) -> Iterator[tuple[str, JsonObject]]:
    if obj["kind"] == "RayCluster":
        yield "spec", obj["spec"]
    elif obj["kind"] == "RayJob" and obj["spec"].get("rayClusterSpec"):
        yield "spec.rayClusterSpec", obj["spec"]["rayClusterSpec"]


def _is_elastic(config: Configuration, obj: Mapping[str, Any]) -> bool:
    return config.elastic and annotations_of(obj).get("kueue.x-k8s.io/elastic-job") == "true"
