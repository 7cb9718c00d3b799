"""Pods kept in step with their owner, and what a namespace refuses in each new one."""

from collections.abc import Mapping

from kube.errors import KubeError
from kube.objects import JsonObject, name_of, namespace_of
from sandbox.kube.store import Store
from sandbox.memory_kube.kueue.admission import admitted
from sandbox.memory_kube.pod_security import refuse_unsafe


def keep_pods(store: Store, owner: JsonObject, wanted: Mapping[str, JsonObject]) -> None:
    """Makes the owner's pods those that are wanted, by name; finished ones stay for their owner."""
    for pod in store.owned_by(owner, "Pod"):
        if name_of(pod) not in wanted:
            store.remove(pod)
    store.refused.pop(owner["metadata"]["uid"], None)
    for name, manifest in wanted.items():
        if store.get("v1", "Pod", namespace_of(owner), name) is None:
            try:
                refuse_unsafe(store, manifest)
                store.add(admitted(store, manifest, owner), owner=owner)
            except KubeError as error:
                store.refused[owner["metadata"]["uid"]] = error.message
