"""What the stand-ins and `status` ask of a cluster, answered by its real control plane."""

from __future__ import annotations

import base64
import threading
import time
from collections.abc import Callable, Collection, Mapping
from functools import cached_property
from typing import Any, TypeVar

from kube.errors import KubeError
from kube.objects import (
    JsonObject,
    Node,
    PodView,
    Readiness,
    Ref,
    Taint,
    annotations_of,
    dig,
    labels_of,
    maps,
    name_of,
    namespace_of,
    normalized,
)
from sandbox.control_plane import ControlPlane
from sandbox.errors import CloudError
from sandbox.gke.networks import GNP_FINALIZER, users_of
from sandbox.kube.pods import view
from sandbox.kube.queue_view import QueueView, queue_views
from sandbox.kube.readiness import awaited, health, lacks_ray_pods, on_read
from sandbox.kube.registry import REGISTRY
from sandbox.live_kube.api_server import FIELD_MANAGER, ApiServer
from sandbox.live_kube.charts import Charts, install_ray
from sandbox.live_kube.field_managers import without_others
from sandbox.live_kube.patience import Patience
from sandbox.live_kube.releases import release_of
from sandbox.live_kube.snapshot import Snapshot, applied_by, without_values

_Found = TypeVar("_Found")
# Between two looks at what changes.
_LOOK_SECONDS = 0.4


class LiveKube:
    """Safe to use from several threads; the control plane starts with the first question."""

    is_live = True

    def __init__(self, plane: ControlPlane, *, ray_addon: bool) -> None:
        self._plane = plane
        self._ray_addon = ray_addon
        self._lock = threading.Lock()
        self._looked_at = 0.0
        self._newest: Snapshot | None = None
        self._starting = threading.Lock()

    @cached_property
    def _started(self) -> ApiServer:
        self._plane.start()
        server = ApiServer(self._plane.kubeconfig)
        if self._ray_addon:
            install_ray(server, self._plane)
        return server

    @property
    def _server(self) -> ApiServer:
        with self._starting:
            return self._started

    @property
    def _charts(self) -> Charts:
        return Charts(self._server, self._plane)

    # -- objects

    def get(self, ref: Ref) -> JsonObject | None:
        """The live object; a Secret has no values."""
        if ref.kind == "Release":
            record = self._server.get(_record(ref))
            return release_of(record) if record else None
        found = self._server.get(_placed(ref))
        return without_values(found) if found and ref.kind == "Secret" else found

    def validate(self, manifest: Mapping[str, Any], ignored: Collection[str] = ()) -> None:
        """What the API server and the webhooks say to an object, without storing it."""
        if manifest["kind"] != "Release":
            self._server.apply(self._ours(manifest, ignored), force=_force(manifest), dry_run=True)

    def apply(self, manifest: Mapping[str, Any], ignored: Collection[str] = ()) -> None:
        if manifest["kind"] == "Release":
            self._charts.install(normalized(manifest))
        else:
            self._server.apply(self._ours(manifest, ignored), force=_force(manifest))

    def _ours(self, manifest: Mapping[str, Any], ignored: Collection[str]) -> JsonObject:
        """What the provider sends: of the fields that it ignores, none that another manager has."""
        found = _complete(manifest)
        live = self._server.get(Ref.of(found)) if ignored else None
        return without_others(found, live, ignored, FIELD_MANAGER) if live else found

    def matches_secret(self, manifest: Mapping[str, Any]) -> bool:
        """Whether the live Secret holds exactly the values of this manifest."""
        found = self._server.get(_placed(Ref.of(manifest)))
        plain = manifest.get("stringData") or {}
        encoded = {key: base64.b64encode(text.encode()).decode() for key, text in plain.items()}
        wanted = {**(manifest.get("data") or {}), **encoded}
        return found is not None and (found.get("data") or {}) == wanted

    def begin_delete(self, ref: Ref) -> None:
        """Asks for it. Helm waits by itself until a release is gone."""
        if ref.kind != "Release":
            self._server.delete(_placed(ref))
        elif record := self._server.get(_record(ref)):
            self._charts.uninstall(release_of(record))

    def delete(self, ref: Ref) -> None:
        """Deletes the object and waits until it is gone. Raises KubeError with what holds it."""
        self.begin_delete(ref)
        if ref.kind == "Release":
            return
        place = _placed(ref)
        patience = Patience(self._look().version)
        held = self._until(
            lambda: self._server.get(place), lambda found: found is None, patience, self._owes
        )
        if held is not None:
            raise KubeError(
                f"{ref} is not gone: {_what_holds(held)}; {patience}", reason="Conflict"
            )

    def named(self, api_version: str, kind: str, name: str) -> list[Ref]:
        """Objects of that name, in every namespace."""
        found = map(Ref.of, self._server.list(api_version, kind))
        return [it for it in found if it.name == name]

    def listed(self, api_version: str, kind: str) -> list[JsonObject]:
        """All objects of a kind; none of a kind that is not served."""
        return self._server.list(api_version, kind)

    def finalized(self) -> list[JsonObject]:
        """The metadata of objects in namespaces that have finalizers, of every kind."""
        return self._server.finalized()

    def set_status(self, ref: Ref, status: Mapping[str, Any]) -> None:
        self._server.set_status(ref, status)

    # -- waiting

    def wait_for(self, ref: Ref) -> Readiness:
        """Waits as Pulumi's provider does, until nothing changes any more."""
        patience = Patience(self._look().version)
        return self._until(
            lambda: self.readiness(ref), lambda it: it.ready, patience, lambda _: self._lacks(ref)
        )

    def readiness(self, ref: Ref) -> Readiness:
        return self._ask(ref, awaited)

    def health(self, ref: Ref) -> Readiness:
        return self._ask(ref, health)

    def readiness_on_read(self, ref: Ref) -> Readiness:
        return self._ask(ref, on_read)

    def _ask(self, ref: Ref, question: Callable[..., Readiness]) -> Readiness:
        store = self._look().store
        found = store.find(_placed(ref))
        if found is None:
            return Readiness(ready=False, reason=f"{ref} not found")
        return question(store, found)

    def _until(
        self,
        look: Callable[[], _Found],
        done: Callable[[_Found], bool],
        patience: Patience,
        owes: Callable[[_Found], bool] = lambda _: False,
    ) -> _Found:
        """Looks until it is done or patience is over; `owes` is whether a program has yet to act,
        which it does for as long as it is alive."""
        while not done(found := look()):
            if patience.is_over(self._look().version, owed=owes(found)):
                return found
            self._refuse_dead()
            time.sleep(_LOOK_SECONDS)
        return found

    def _owes(self, obj: JsonObject | None) -> bool:
        """Whether an object in deletion is held by GKE's finalizer alone, and by no user."""
        if obj is None or GNP_FINALIZER not in (dig(obj, "metadata", "finalizers") or []):
            return False
        return not users_of(self._look().store, obj)

    def _lacks(self, ref: Ref) -> bool:
        store = self._look().store
        found = store.find(_placed(ref))
        return found is not None and lacks_ray_pods(store, found)

    def _refuse_dead(self) -> None:
        """Without one of its programs a cluster keeps everybody waiting."""
        if dead := [each.name for each in self._plane.status() if not each.running]:
            raise CloudError(
                "UNAVAILABLE",
                f"{', '.join(dead)} of the control plane ended; the next command starts it again",
            )

    def _look(self) -> Snapshot:
        """One look for all who wait at the same time."""
        server = self._server
        with self._lock:
            if self._newest is None or time.monotonic() - self._looked_at > _LOOK_SECONDS:
                self._newest = Snapshot(server, ray_addon=self._ray_addon)
                self._looked_at = time.monotonic()
            return self._newest

    # -- what is there

    def pods(self) -> list[PodView]:
        return [view(pod) for pod in self._look().store.all("Pod")]

    def queues(self) -> list[QueueView]:
        """Kueue's queues, by name; none where it is not installed."""
        return queue_views(self._look().store)

    def nodes(self) -> list[Node]:
        return [_node(node) for node in self._server.list("v1", "Node")]

    def inventory(self) -> dict[str, list[str]]:
        """What users made, by kind; what controllers and Helm made of it is left out."""
        found: dict[str, list[str]] = {}
        for obj in self._look().objects:
            if obj["kind"] == "Release" or applied_by(obj, FIELD_MANAGER):
                namespace = namespace_of(obj)
                name = f"{namespace}/{name_of(obj)}" if namespace else name_of(obj)
                found.setdefault(obj["kind"], []).append(name)
        return {kind: sorted(names) for kind, names in sorted(found.items())}


def _placed(ref: Ref) -> Ref:
    """The reference with the namespace that an object without one gets."""
    kind = REGISTRY.get((ref.api_version, ref.kind))
    if kind is None or not kind.namespaced or ref.namespace:
        return ref
    return Ref(api_version=ref.api_version, kind=ref.kind, namespace="default", name=ref.name)


def _complete(manifest: Mapping[str, Any]) -> JsonObject:
    """The object as Pulumi's provider sends it, in a namespace."""
    found = normalized(manifest)
    namespace = _placed(Ref.of(found)).namespace
    return (
        {**found, "metadata": {**found["metadata"], "namespace": namespace}} if namespace else found
    )


def _force(manifest: Mapping[str, Any]) -> bool:
    return annotations_of(manifest).get("pulumi.com/patchForce") == "true"


def _record(ref: Ref) -> Ref:
    name = f"sh.helm.release.v1.{ref.name}.v1"
    return Ref(api_version="v1", kind="Secret", namespace=ref.namespace, name=name)


def _what_holds(obj: Mapping[str, Any]) -> str:
    """The finalizers of an object in deletion, and what its conditions say."""
    finalizers = dig(obj, "metadata", "finalizers") or []
    conditions = [
        one["message"]
        for one in maps(dig(obj, "status", "conditions"))
        if one.get("message") and one.get("status") == "True"
    ]
    return "; ".join([f"finalizers {', '.join(finalizers) or 'none'}", *conditions])


def _node(obj: JsonObject) -> Node:
    labels = labels_of(obj)
    return Node(
        name=name_of(obj),
        pool=labels.get("cloud.google.com/gke-nodepool", ""),
        labels=labels,
        taints=tuple(
            Taint(key=taint["key"], value=taint.get("value") or "", effect=taint["effect"])
            for taint in maps(dig(obj, "spec", "taints"))
        ),
        allocatable=dig(obj, "status", "allocatable") or {},
    )
