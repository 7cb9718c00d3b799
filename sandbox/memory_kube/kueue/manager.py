"""Kueue's manager in a cluster: whether it is there, whether it runs, what it takes care of."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from sandbox.kube.custom_resources import served_versions
from sandbox.kube.helm.installed import chart_release, operator_pods_run
from sandbox.kube.kueue_configuration import Configuration, read_configuration
from sandbox.kube.objects import JsonObject, annotations_of, labels_of, name_of, namespace_of
from sandbox.kube.store import Store, owner_of

QUEUE = "kueue.x-k8s.io/queue-name"
PRIORITY = "kueue.x-k8s.io/priority-class"
MANAGED = "kueue.x-k8s.io/managed"
# The annotation of a job whose pods come and go, and the gate of its pods.
ELASTIC = "kueue.x-k8s.io/elastic-job"
GATE = "kueue.x-k8s.io/admission"
GROUP = "kueue.x-k8s.io"
FRAMEWORKS = {
    "Pod": "pod",
    "Job": "batch/job",
    "JobSet": "jobset.x-k8s.io/jobset",
    "RayCluster": "ray.io/raycluster",
    "RayJob": "ray.io/rayjob",
}


def installed(store: Store) -> Configuration | None:
    """The configuration of the installed Kueue; its webhooks are there whether it runs or not."""
    release = chart_release(store, "kueue")
    return read_configuration(release) if release else None


def running(store: Store) -> Configuration | None:
    release = chart_release(store, "kueue")
    if release is None or not operator_pods_run(store, release):
        return None
    return read_configuration(release)


def workload_api(store: Store) -> str:
    """The version in which Kueue's own objects are stored."""
    return served_versions(store, GROUP, "Workload")[0]


def is_elastic(config: Configuration, obj: Mapping[str, Any]) -> bool:
    return config.elastic and annotations_of(obj).get(ELASTIC) == "true"


def queue_of(obj: Mapping[str, Any]) -> str:
    return labels_of(obj).get(QUEUE, "")


def is_managed(store: Store, config: Configuration, obj: JsonObject) -> bool:
    """Whether Kueue decides when an object starts: a queue's label, and no ancestor with one."""
    framework = FRAMEWORKS.get(obj["kind"])
    if framework not in config.frameworks or not queue_of(obj):
        return False
    if obj["kind"] == "Pod":
        return labels_of(obj).get(MANAGED) == "true"
    return not has_managed_ancestor(store, config, owner_of(obj), namespace_of(obj))


def has_managed_ancestor(
    store: Store, config: Configuration, owner: Mapping[str, Any], namespace: str
) -> bool:
    """`owner` is an owner reference or empty."""
    if not owner:
        return False
    found = store.get(owner["apiVersion"], owner["kind"], namespace, owner["name"])
    if found is None:
        return False
    above = has_managed_ancestor(store, config, owner_of(found), namespace)
    return above or is_managed(store, config, found)


def reference(obj: Mapping[str, Any]) -> JsonObject:
    return {"apiVersion": obj["apiVersion"], "kind": obj["kind"], "name": name_of(obj)}
