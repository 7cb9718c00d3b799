"""Pods kept in step with their owner, and what a namespace says to each new one."""

from collections.abc import Mapping

from sandbox.kube.errors import KubeError
from sandbox.kube.objects import JsonObject, name_of, namespace_of
from sandbox.kube.store import Store
from sandbox.memory_kube.kueue.flavored import flavored
from sandbox.memory_kube.kueue.webhooks import gated
from sandbox.memory_kube.limit_ranges import with_namespace_defaults
from sandbox.memory_kube.pod_security import refuse_unsafe
from sandbox.memory_kube.quotas import refuse_over_quota


def admitted_pod(store: Store, pod: JsonObject) -> JsonObject:
    """A new pod with its namespace's defaults. Raises KubeError where it asks too much of its node,
    or no quota has room for it."""
    pod = with_namespace_defaults(store, pod)
    refuse_unsafe(store, pod)
    refuse_over_quota(store, pod)
    return pod


def keep_pods(store: Store, owner: JsonObject, wanted: Mapping[str, JsonObject]) -> None:
    """Makes the owner's pods those that are wanted, by name; finished ones stay for their owner."""
    for pod in store.owned_by(owner, "Pod"):
        if name_of(pod) not in wanted:
            store.remove(pod)
    store.refused.pop(owner["metadata"]["uid"], None)
    for name, manifest in wanted.items():
        if store.get("v1", "Pod", namespace_of(owner), name) is None:
            pod = flavored(store, gated(store, manifest, owner), owner)
            try:
                store.add(admitted_pod(store, pod), owner=owner)
            except KubeError as error:
                store.refused[owner["metadata"]["uid"]] = error.message
