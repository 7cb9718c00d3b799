"""What stands in an API server at one moment, as the `Store` that the sandbox's rules read."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from kube.objects import JsonObject, Ref, dig, labels_of, maps, name_of, namespace_of
from sandbox.kube.registry import REGISTRY
from sandbox.kube.store import Store, owner_of
from sandbox.live_kube.api_server import ApiServer
from sandbox.live_kube.releases import releases_in

# Deployments own their pods through these.
_REPLICA_SET = ("apps/v1", "ReplicaSet")
_SERVED_TWICE = frozenset({"kueue.x-k8s.io/v1beta1"})
_KINDS = [
    *(
        key
        for key, kind in REGISTRY.items()
        if kind.kind != "Release" and kind.api_version not in _SERVED_TWICE
    ),
    _REPLICA_SET,
]


class Snapshot:
    """`version` differs whenever anything but a node's heartbeat does."""

    def __init__(self, server: ApiServer, *, ray_addon: bool) -> None:
        found = [obj for kind in _KINDS for obj in server.list(*kind)]
        releases = releases_in(found)
        found.sort(key=lambda obj: obj["metadata"]["creationTimestamp"])
        self.version = hash(
            tuple(sorted((Ref.of(obj).key, obj["metadata"]["resourceVersion"]) for obj in found))
        )
        self.objects = [*releases, *found]
        shown = [_as_simulated(obj, self.objects) for obj in self.objects]
        self.store = Store(
            {
                "salt": "live",
                "objects": {
                    Ref.of(obj).key: {"serial": serial, "object": obj}
                    for serial, obj in enumerate(shown)
                },
            },
            ray_addon=ray_addon,
        )


def without_values(secret: Mapping[str, Any]) -> JsonObject:
    """A Secret as everybody may see it."""
    return {key: value for key, value in secret.items() if key not in ("data", "stringData")}


def _as_simulated(obj: JsonObject, objects: list[JsonObject]) -> JsonObject:
    """The object as the in-memory controllers would have written it."""
    match obj["kind"]:
        case "Secret":
            return without_values(obj)
        case "Pod":
            return _pod(obj, objects)
        case "Deployment":
            return _of_release(obj, objects)
        case _:
            return obj


def _pod(pod: JsonObject, objects: list[JsonObject]) -> JsonObject:
    """Owned by its Deployment, not by the ReplicaSet between; with its reason in one place."""
    owner = owner_of(pod)
    metadata = pod["metadata"]
    if owner.get("kind") == _REPLICA_SET[1]:
        above = next((obj for obj in objects if obj["metadata"].get("uid") == owner["uid"]), None)
        references = dig(above, "metadata", "ownerReferences")
        metadata = {**metadata, "ownerReferences": references} if references else metadata
    conditions = maps(dig(pod, "status", "conditions"))
    scheduled = next((each for each in conditions if each["type"] == "PodScheduled"), {})
    message = dig(pod, "status", "message") or scheduled.get("message") or ""
    return {**pod, "metadata": metadata, "status": {**pod["status"], "message": message}}


def _of_release(deployment: JsonObject, objects: list[JsonObject]) -> JsonObject:
    """Helm knows its objects by their labels; in memory a release owns them."""
    labels = labels_of(deployment)
    if labels.get("app.kubernetes.io/managed-by") != "Helm":
        return deployment
    place = (namespace_of(deployment), labels.get("app.kubernetes.io/instance"))
    for release in objects:
        if release["kind"] == "Release" and (namespace_of(release), name_of(release)) == place:
            reference = {
                "apiVersion": release["apiVersion"],
                "kind": "Release",
                "name": name_of(release),
                "uid": release["metadata"]["uid"],
                "controller": True,
            }
            metadata = {**deployment["metadata"], "ownerReferences": [reference]}
            return {**deployment, "metadata": metadata}
    return deployment


def applied_by(obj: Mapping[str, Any], manager: str) -> bool:
    """Whether the manager has applied fields of the object."""
    fields = maps(dig(obj, "metadata", "managedFields"))
    return any(one["manager"] == manager and one["operation"] == "Apply" for one in fields)
