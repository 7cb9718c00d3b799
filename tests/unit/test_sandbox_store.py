"""Objects of a control plane in memory, by kind."""

import json
from typing import Any

from kube.objects import JsonObject
from sandbox.kube.store import Store


def added(store: Store, kind: str, name: str) -> JsonObject:
    metadata = {"name": name, "namespace": "default"}
    return store.add({"apiVersion": "v1", "kind": kind, "metadata": metadata})


def names(objects: list[JsonObject]) -> list[str]:
    return [it["metadata"]["name"] for it in objects]


def test_objects_come_oldest_first_whatever_happened_to_them() -> None:
    state: dict[str, Any] = {}
    store = Store(state)
    first = added(store, "Pod", "b")
    added(store, "Service", "c")
    added(store, "Pod", "a")
    store.patch(first, status={"phase": "Running"})
    assert names(store.all("Pod")) == ["b", "a"]
    assert names(store.all("Pod", "Service")) == names(store.all()) == ["b", "c", "a"]
    assert store.all("Pod")[0]["status"] == {"phase": "Running"}
    assert store.all("Secret") == []
    store.remove(first)
    added(store, "Pod", "b")
    assert names(store.all("Service", "Pod")) == ["c", "a", "b"]
    # A file keeps no order.
    again = Store(json.loads(json.dumps(state, sort_keys=True)))
    assert names(again.all()) == ["c", "a", "b"]
    assert again.all("Pod") == store.all("Pod")
