"""Kueue's webhooks for what starts pods: they hold it back when it is made.

Source: kubernetes-sigs/kueue pkg/controller/jobs and jobframework, v0.19.0 (read 2026-11-21). A
Deployment's own queue label (framework `deployment`) and pod groups are not simulated.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from sandbox.kube.kueue import QUEUE, installed, queue_of, running
from sandbox.kube.objects import JsonObject, labels_of, maps, namespace_of
from sandbox.kube.store import Store
from sandbox.memory_kube.kueue.flavored import GATE
from sandbox.memory_kube.kueue.jobs import FRAMEWORKS, MANAGED, is_elastic, is_managed, owners

_GROUP = "kueue.x-k8s.io"
_SUSPENDED = ("Job", "JobSet", "RayCluster", "RayJob")
_VALIDATED = ("ClusterQueue", "Cohort", "ResourceFlavor")
_NO_AUTOSCALING = (
    "a kueue-managed RayCluster can use autoscaling only as an elastic job: enable the "
    'ElasticJobsViaWorkloadSlices feature gate and set the "kueue.x-k8s.io/elastic-job": "true" '
    "annotation"
)


def gated(store: Store, pod: Mapping[str, Any], owner: JsonObject | None = None) -> JsonObject:
    """A new pod as the webhook leaves it: with a scheduling gate if a queue is to admit it."""
    config, namespace = installed(store), namespace_of(pod)
    above = [owner, *owners(store, owner)] if owner else []
    held = (
        config is not None
        and "pod" in config.frameworks
        and queue_of(pod)
        and config.takes_pods_of(store.namespace_labels(namespace))
        and config.takes_pod(labels_of(pod))
        and not any(is_managed(store, config, it) for it in above)
    )
    if not held:
        return dict(pod)
    metadata = {**pod["metadata"], "labels": {**labels_of(pod), MANAGED: "true"}}
    gates = [*maps(pod["spec"].get("schedulingGates")), {"name": GATE}]
    return {**pod, "metadata": metadata, "spec": {**pod["spec"], "schedulingGates": gates}}


def held_back(store: Store, obj: JsonObject) -> JsonObject:
    """A new object as the webhooks leave it: a queued Job, Ray cluster or Ray job is suspended."""
    if obj["kind"] == "Pod":
        return gated(store, obj)
    config = installed(store)
    if obj["kind"] not in _SUSPENDED or config is None or not queue_of(obj):
        return obj
    if FRAMEWORKS[obj["kind"]] not in config.frameworks:
        return obj
    return {**obj, "spec": {**obj["spec"], "suspend": True}}


def with_admission(store: Store, live: JsonObject, wanted: JsonObject) -> JsonObject:
    """An update that leaves to Kueue whether the object is suspended, as its field's owner."""
    config = installed(store)
    if live["kind"] not in _SUSPENDED or config is None or not queue_of(live):
        return wanted
    return {**wanted, "spec": {**wanted["spec"], "suspend": live["spec"].get("suspend", False)}}


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
    why = next(_problems(obj, live, elastic=is_elastic(config, obj)), "") if queued else ""
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
