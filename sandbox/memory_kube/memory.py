"""The in-memory Kubernetes API of one simulated cluster.

State is a plain JSON dict that the caller keeps. There is no time in here: a reconcile after each
change brings everything to rest, and a Job's pods finish in the reconcile after they ran.
"""

from __future__ import annotations

import copy
from collections.abc import Collection, Mapping, Sequence
from typing import Any

from kube.errors import KubeError, invalid
from kube.objects import (
    JsonObject,
    Mounts,
    Node,
    PodView,
    Provision,
    Readiness,
    Ref,
    dig,
    name_of,
    namespace_of,
)
from sandbox.gke.managed_namespaces import refuse_managed
from sandbox.kube import registry, secrets
from sandbox.kube.immutability import refused_changes
from sandbox.kube.pod_rules import MAX_PODS
from sandbox.kube.pods import view
from sandbox.kube.queue_view import QueueView
from sandbox.kube.readiness import awaited, health, on_read
from sandbox.kube.store import Store, owner_of
from sandbox.kube.volumes import bind_volumes
from sandbox.memory_kube.admission import admit
from sandbox.memory_kube.controllers import (
    CONTROLLERS,
    advance_ray_jobs,
    finish_job_pods,
    run_provisioning_requests,
)
from sandbox.memory_kube.in_use import refuse_in_use
from sandbox.memory_kube.kueue.admission import admitted as admitted_by_kueue
from sandbox.memory_kube.placement import nodes_now, place_pods
from sandbox.memory_kube.pod_security import refuse_unsafe

_ROUNDS = 20
# What a controller wrote into the spec of a live object and an update does not mention.
_CARRIED = {
    "Deployment": ("replicas",),
    "Service": ("clusterIP",),
    "PersistentVolumeClaim": ("volumeName",),
    "Pod": ("nodeName",),
}


class MemoryKube:
    """`nodes` are those of the node pools; with `provision`, Autopilot adds one for each pod that
    they do not hold. `ray_addon`: GKE runs KubeRay by itself. `mounts` knows what is behind a
    volume; without it every volume can be mounted."""

    def __init__(
        self,
        state: dict[str, Any],
        nodes: Sequence[Node],
        provision: Provision | None = None,
        *,
        ray_addon: bool = True,
        mounts: Mounts | None = None,
    ) -> None:
        self._store = Store(state, ray_addon=ray_addon, mounts=mounts)
        self._nodes = tuple(nodes)
        self._provision = provision
        self._settle()

    def set_nodes(self, nodes: Sequence[Node]) -> None:
        self._nodes = tuple(nodes)
        # What ran on a node that went finds out before it could finish.
        self._settle()
        self.reconcile()

    def nodes(self) -> list[Node]:
        """The nodes there are, with the additional networks that they offer."""
        return nodes_now(self._store, self._nodes, self._provision)

    def reconcile(self) -> None:
        """One step of the controllers: running Job pods finish, everything else comes to rest."""
        finish_job_pods(self._store)
        advance_ray_jobs(self._store)
        self._settle()

    def wait_for(self, ref: Ref) -> Readiness:
        """Steps on until the object is ready or nothing changes any more."""
        for _ in range(MAX_PODS):
            readiness, before = self.readiness(ref), self._store.revision
            if readiness.ready:
                break
            self.reconcile()
            if self._store.revision == before:
                break
        return self.readiness(ref)

    def _settle(self) -> None:
        for _ in range(_ROUNDS):
            before = self._store.revision
            bind_volumes(self._store)
            run_provisioning_requests(self._store, self._nodes)
            nodes = self.nodes()
            for run in CONTROLLERS:
                run(self._store, nodes)
            place_pods(self._store, self._nodes, self._provision)
            if self._store.revision == before:
                return

    def validate(self, manifest: Mapping[str, Any], ignored: Collection[str] = ()) -> JsonObject:
        """What `apply` would store, without storing it; Secret values are the caller's own. Fields
        have no owners in here, so that nothing comes of `ignored`."""
        del ignored
        admitted = admit(manifest, self._store)
        live = self._store.find(Ref.of(admitted))
        if live is not None:
            self._merge(live, manifest, self._sealed(admitted))
        elif admitted["kind"] == "Pod":
            refuse_unsafe(self._store, admitted)
        elif admitted["kind"] == "Namespace" and self._provision:
            refuse_managed(name_of(admitted), "create")
        return admitted

    def apply(self, manifest: Mapping[str, Any], ignored: Collection[str] = ()) -> JsonObject:
        admitted = self._sealed(self.validate(manifest, ignored))
        ref = Ref.of(admitted)
        live = self._store.find(ref)
        if live is None:
            self._store.add(admitted_by_kueue(self._store, admitted))
        else:
            self._store.replace(live, self._merge(live, manifest, admitted))
        self.reconcile()
        return self._live(ref)

    def _sealed(self, admitted: JsonObject) -> JsonObject:
        is_secret = admitted["kind"] == "Secret"
        return secrets.seal(admitted, self._store.salt) if is_secret else admitted

    def _merge(
        self, live: JsonObject, given: Mapping[str, Any], admitted: JsonObject
    ) -> JsonObject:
        kind, merged = live["kind"], copy.deepcopy(admitted)
        for field in _CARRIED.get(kind, ()):
            if field in live["spec"] and dig(given, "spec", field) is None:
                merged["spec"][field] = live["spec"][field]
        if kind == "PersistentVolume" and (bound := live["spec"].get("claimRef")):
            merged["spec"]["claimRef"] = {**bound, **(merged["spec"].get("claimRef") or {})}
        if kind == "Secret":
            secrets.keep(live, merged)
        merged = admitted_by_kueue(self._store, merged)
        if problems := list(refused_changes(kind, live, merged)):
            raise invalid(kind, name_of(live), problems)
        return merged

    def get(self, ref: Ref) -> JsonObject | None:
        """The live object; a Secret has its digests under `sandboxSecretDigests` and no values."""
        found = self._store.find(ref)
        return copy.deepcopy(found) if found is not None else None

    def _live(self, ref: Ref) -> JsonObject:
        return copy.deepcopy(self._live_object(ref))

    def _live_object(self, ref: Ref) -> JsonObject:
        found = self._store.find(ref)
        if found is None:
            raise self._not_found(ref)
        return found

    def matches_secret(self, manifest: Mapping[str, Any]) -> bool:
        """Whether the live Secret holds exactly the values of this manifest."""
        found, data = self._store.find(Ref.of(manifest)), manifest.get("data")
        if found is None or secrets.bad_base64(data):
            return False
        given = secrets.digests(data, manifest.get("stringData"), self._store.salt)
        return found.get(secrets.DIGESTS, {}) == given

    def begin_delete(self, ref: Ref) -> None:
        """Nothing: what is deleted in here goes at once."""

    def delete(self, ref: Ref) -> None:
        found = self._store.find(ref)
        if found is None:
            raise self._not_found(ref)
        refuse_in_use(self._store, ref, found)
        if ref.kind == "Namespace":
            for obj in self._store.all():
                if namespace_of(obj) == ref.name:
                    self._store.remove(obj)
        self._store.remove(found)
        self.reconcile()

    def named(self, api_version: str, kind: str, name: str) -> list[Ref]:
        """Objects of that name, in every namespace."""
        found = (Ref.of(it) for it in self._store.all(kind) if it["apiVersion"] == api_version)
        return [it for it in found if it.name == name]

    def listed(self, api_version: str, kind: str) -> list[JsonObject]:
        """All objects of a kind; none of a kind that is not known."""
        found = (it for it in self._store.all(kind) if it["apiVersion"] == api_version)
        return [copy.deepcopy(it) for it in found]

    def finalized(self) -> list[JsonObject]:
        """Objects in namespaces that have finalizers."""
        found = (it for it in self._store.all() if dig(it, "metadata", "finalizers"))
        return [copy.deepcopy(it) for it in found if namespace_of(it)]

    def set_status(self, ref: Ref, status: Mapping[str, Any]) -> None:
        live = self._live_object(ref)
        self._store.patch(live, status={**(live.get("status") or {}), **status})

    def readiness(self, ref: Ref) -> Readiness:
        """Whether Pulumi's provider would stop waiting for the object, and why or why not."""
        found = self._store.find(ref)
        if found is None:
            return Readiness(ready=False, reason=f"{ref} not found")
        return awaited(self._store, found)

    def health(self, ref: Ref) -> Readiness:
        """Whether the object is really up, whatever Pulumi waits for."""
        found = self._store.find(ref)
        if found is None:
            return Readiness(ready=False, reason=f"{ref} not found")
        return health(self._store, found)

    def readiness_on_read(self, ref: Ref) -> Readiness:
        """Whether a refresh would find the object as it should be."""
        return on_read(self._store, self._live_object(ref))

    def pods(self) -> list[PodView]:
        return [view(pod) for pod in self._store.all("Pod")]

    def queues(self) -> list[QueueView]:
        """None: queued work is admitted at once, so that nothing waits and no quota is used."""
        return []

    def inventory(self) -> dict[str, list[str]]:
        """What users made, by kind; what controllers and Helm made of it is left out."""
        found: dict[str, list[str]] = {}
        for obj in self._store.all():
            # Of a chart, which may leave them behind: they have no owner.
            if not owner_of(obj) and obj["kind"] != "CustomResourceDefinition":
                namespace = namespace_of(obj)
                name = f"{namespace}/{name_of(obj)}" if namespace else name_of(obj)
                found.setdefault(obj["kind"], []).append(name)
        return {kind: sorted(names) for kind, names in sorted(found.items())}

    def _not_found(self, ref: Ref) -> KubeError:
        registry.lookup(ref.api_version, ref.kind, self._store)
        return KubeError(f"{ref} not found", reason="NotFound")
