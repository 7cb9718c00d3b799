"""Objects of one cluster in a plain JSON dict, with the bookkeeping an API server does."""

from __future__ import annotations

import copy
import secrets
import uuid
from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from typing import Any

from kube.objects import JsonObject, Mounts, Ref, dig

# The API server's own, which every cluster begins with (kubernetes/kubernetes pkg/controlplane/
# controller/kubernetesservice/controller.go, v1.35.4).
_OF_THE_API_SERVER = Ref(api_version="v1", kind="Service", namespace="default", name="kubernetes")
_EPOCH = datetime(2026, 1, 1, tzinfo=UTC)
_UIDS = uuid.UUID("6f1c7c64-2f3a-4d0c-9d54-1f0c2a9be6d1")
BUILT_IN_NAMESPACES = ("default", "kube-node-lease", "kube-public", "kube-system")
# The classes that a new GKE cluster has; the first is the default class.
BUILT_IN_STORAGE_CLASSES = {
    "standard-rwo": "WaitForFirstConsumer",
    "premium-rwo": "WaitForFirstConsumer",
    "standard": "Immediate",
}
DEFAULT_STORAGE_CLASS = "standard-rwo"
BUILT_IN_PRIORITIES = {"system-node-critical": 2000001000, "system-cluster-critical": 2000000000}


class Store:
    """`revision` grows with each real change, so that controllers can run until nothing changes;
    `ray_addon` says whether GKE's Ray operator add-on is on, and `mounts` why the source of a
    volume cannot be mounted. `refused` is why a controller could make no pod, by its owner's uid:
    it tries again in each reconcile."""

    def __init__(
        self, state: JsonObject, *, ray_addon: bool = True, mounts: Mounts | None = None
    ) -> None:
        self.ray_addon = ray_addon
        self.mounts = mounts
        state.setdefault("salt", secrets.token_hex(16))
        state.setdefault("serial", 0)
        state.setdefault("objects", {})
        self._state = state
        # By kind and key, oldest first: each controller asks for some kinds, for each pod again.
        self._kinds: dict[str, dict[str, JsonObject]] = {}
        for key, entry in sorted(state["objects"].items(), key=lambda it: it[1]["serial"]):
            self._kinds.setdefault(entry["object"]["kind"], {})[key] = entry
        self.revision = 0
        self.refused: dict[str, str] = {}

    @property
    def salt(self) -> str:
        return self._state["salt"]

    def _next(self) -> int:
        self._state["serial"] += 1
        self.revision += 1
        return self._state["serial"]

    def find(self, ref: Ref) -> JsonObject | None:
        entry = self._state["objects"].get(ref.key)
        if entry is None and ref == _OF_THE_API_SERVER:
            return {
                "apiVersion": ref.api_version,
                "kind": ref.kind,
                "metadata": {"name": ref.name, "namespace": ref.namespace},
                "spec": {"type": "ClusterIP", "ports": [{"name": "https", "port": 443}]},
            }
        return entry["object"] if entry else None

    def get(self, api_version: str, kind: str, namespace: str, name: str) -> JsonObject | None:
        return self.find(
            Ref(api_version=api_version, kind=kind, namespace=namespace, name=name),
        )

    def all(self, *kinds: str) -> list[JsonObject]:
        """Objects of the kinds, oldest first; of every kind when none is named."""
        wanted = dict.fromkeys(kinds or self._kinds)
        found = [entry for kind in wanted for entry in self._kinds.get(kind, {}).values()]
        if len(wanted) > 1:
            found.sort(key=lambda entry: entry["serial"])
        return [entry["object"] for entry in found]

    def owned_by(self, owner: Mapping[str, Any], *kinds: str) -> list[JsonObject]:
        uid = owner["metadata"]["uid"]
        return [obj for obj in self.all(*kinds) if owner_of(obj).get("uid") == uid]

    def add(
        self, manifest: Mapping[str, Any], owner: Mapping[str, Any] | None = None
    ) -> JsonObject:
        obj = copy.deepcopy(dict(manifest))
        serial = self._next()
        created = _EPOCH + timedelta(seconds=serial)
        obj["metadata"] |= {
            "uid": str(uuid.uuid5(_UIDS, f"{self.salt}/{serial}")),
            "resourceVersion": str(serial),
            "creationTimestamp": created.strftime("%Y-%m-%dT%H:%M:%SZ"),
            "generation": 1,
        }
        if owner is not None:
            obj["metadata"]["ownerReferences"] = [
                {
                    "apiVersion": owner["apiVersion"],
                    "kind": owner["kind"],
                    "name": owner["metadata"]["name"],
                    "uid": owner["metadata"]["uid"],
                    "controller": True,
                }
            ]
        key, entry = Ref.of(obj).key, {"serial": serial, "object": obj}
        self._state["objects"][key] = entry
        self._kinds.setdefault(obj["kind"], {})[key] = entry
        return obj

    def replace(self, live: JsonObject, manifest: Mapping[str, Any]) -> JsonObject:
        """The object after an update; nothing changes when the manifest says what is there."""
        kept = ("uid", "resourceVersion", "creationTimestamp", "generation", "ownerReferences")
        obj = copy.deepcopy(dict(manifest))
        obj["metadata"] |= {k: live["metadata"][k] for k in kept if k in live["metadata"]}
        if "status" in live:
            obj["status"] = live["status"]
        if obj == live:
            return live
        if _desired(obj) != _desired(live):
            obj["metadata"]["generation"] = live["metadata"]["generation"] + 1
        return self._write(obj)

    def patch(self, live: JsonObject, **parts: Any) -> JsonObject:
        """Sets top-level parts (`status`, `spec`) as a controller would, if they differ."""
        if all(live.get(part) == value for part, value in parts.items()):
            return live
        return self._write({**live, **copy.deepcopy(parts)})

    def _write(self, obj: JsonObject) -> JsonObject:
        obj["metadata"] = {**obj["metadata"], "resourceVersion": str(self._next())}
        self._state["objects"][Ref.of(obj).key]["object"] = obj
        return obj

    def remove(self, obj: Mapping[str, Any]) -> None:
        """Deletes the object, then what it owns, as the garbage collector does."""
        key = Ref.of(obj).key
        if self._state["objects"].pop(key, None) is None:
            return
        self._kinds[obj["kind"]].pop(key)
        self.revision += 1
        for child in self.owned_by(obj):
            self.remove(child)

    def namespace_exists(self, name: str) -> bool:
        return name in BUILT_IN_NAMESPACES or self.get("v1", "Namespace", "", name) is not None

    def namespace_labels(self, name: str) -> dict[str, str]:
        """A namespace's labels with the one that the API server gives to each."""
        made = self.get("v1", "Namespace", "", name)
        return {**(dig(made, "metadata", "labels") or {}), "kubernetes.io/metadata.name": name}

    def binding_mode(self, storage_class: str) -> str | None:
        """How a class binds; None when there is no such class."""
        made = self.get("storage.k8s.io/v1", "StorageClass", "", storage_class)
        if made is None:
            return BUILT_IN_STORAGE_CLASSES.get(storage_class)
        return made.get("volumeBindingMode") or "Immediate"

    def priority(self, class_name: str | None) -> int | None:
        """The value of a priority class; None when there is no such class."""
        classes = self.all("PriorityClass")
        if not class_name:
            return next((c["value"] for c in classes if c.get("globalDefault")), 0)
        if class_name in BUILT_IN_PRIORITIES:
            return BUILT_IN_PRIORITIES[class_name]
        return next((c["value"] for c in classes if c["metadata"]["name"] == class_name), None)


def owner_of(obj: Mapping[str, Any]) -> JsonObject:
    references = dig(obj, "metadata", "ownerReferences") or []
    return next((ref for ref in references if ref.get("controller")), {})


def _desired(obj: Mapping[str, Any]) -> JsonObject:
    return {k: v for k, v in obj.items() if k not in ("metadata", "status")}
