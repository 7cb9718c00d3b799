"""Queued work as it is once Kueue has admitted it, which is at once here: it is not suspended, its
pods have none of Kueue's gates, and they go to the nodes of their queue's flavors."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import product
from typing import Any

from kube.objects import JsonObject, maps, name_of
from kube.pod_requests import requests_of
from sandbox.kube.store import Store
from sandbox.memory_kube.kueue.queues import cluster_queue_of, queued_work

_GATES = ("kueue.x-k8s.io/admission", "kueue.x-k8s.io/elastic-job")


def admitted(store: Store, obj: JsonObject, owner: JsonObject | None = None) -> JsonObject:
    """Queued work that is created or changed, as Kueue leaves it; other objects as they are."""
    if queued_work(store, obj, owner) is None:
        return obj
    if obj["kind"] != "Pod":
        return {**obj, "spec": {**obj["spec"], "suspend": False}}
    gates = [it for it in maps(obj["spec"].get("schedulingGates")) if it["name"] not in _GATES]
    spec = {key: value for key, value in obj["spec"].items() if key != "schedulingGates"}
    return {**obj, "spec": spec | ({"schedulingGates": gates} if gates else {})}


def on_flavors(store: Store, pod: JsonObject, spec: JsonObject) -> Iterator[JsonObject]:
    """`spec` of a pod with the labels and tolerations of each flavor of its queue, in the queue's
    order: the scheduler takes the first that has room. Nothing for a pod without a queue."""
    work = queued_work(store, pod)
    queue = cluster_queue_of(store, work) if work else ""
    if isinstance(queue, str):
        return
    specs = {name_of(each): each["spec"] for each in store.all("ResourceFlavor")}
    groups = [
        [specs[flavor["name"]] for flavor in maps(group["flavors"])]
        for group in maps(queue["spec"].get("resourceGroups"))
        if {*group["coveredResources"]} & {*requests_of(spec)}
    ]
    for flavors in product(*groups):
        yield from _on(spec, flavors)


def _on(spec: JsonObject, flavors: tuple[Mapping[str, Any], ...]) -> Iterator[JsonObject]:
    selector, tolerations = dict(spec.get("nodeSelector") or {}), maps(spec.get("tolerations"))
    for flavor in flavors:
        labels = flavor.get("nodeLabels") or {}
        if any(selector.get(key, value) != value for key, value in labels.items()):
            return
        selector |= labels
        tolerations += maps(flavor.get("tolerations"))
    yield {**spec, "nodeSelector": selector, "tolerations": tolerations}
