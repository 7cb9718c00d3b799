"""Pods kept in step with their owner."""

from collections.abc import Mapping

from sandbox.kube.kueue.flavored import flavored
from sandbox.kube.kueue.webhooks import gated
from sandbox.kube.objects import JsonObject, name_of, namespace_of
from sandbox.kube.store import Store


def keep_pods(store: Store, owner: JsonObject, wanted: Mapping[str, JsonObject]) -> None:
    """Makes the owner's pods those that are wanted, by name; finished ones stay for their owner."""
    for pod in store.owned_by(owner, "Pod"):
        if name_of(pod) not in wanted:
            store.remove(pod)
    for name, manifest in wanted.items():
        if store.get("v1", "Pod", namespace_of(owner), name) is None:
            pod = flavored(store, gated(store, manifest, owner), owner)
            store.add(pod, owner=owner)
