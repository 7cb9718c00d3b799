"""One API server as the provider stand-in asks it, in the errors that the engine is told."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, Literal, TypeVar

from kube.errors import KubeError
from kube.objects import JsonObject, Ref
from sandbox.errors import CloudError
from sandbox.live_kube.api import Api, ApiError

FIELD_MANAGER = "pulumi-kubernetes"
Manager = Literal["pulumi-kubernetes", "helm", "kubectl"]
_MISSING = 404
_Found = TypeVar("_Found")


class ApiServer:
    """Raises KubeError for what the server refuses and CloudError where it does not answer."""

    def __init__(self, kubeconfig: Path, manager: Manager = FIELD_MANAGER) -> None:
        self._kubeconfig = kubeconfig
        self._api = Api(kubeconfig, manager)

    def acting_as(self, manager: Manager) -> ApiServer:
        """The same server for another manager of fields, one that takes over what it applies."""
        return ApiServer(self._kubeconfig, manager)

    def get(self, ref: Ref) -> JsonObject | None:
        """The object; None where it or its kind is not there."""
        return _or(None, lambda: self._api.get(ref))

    def list(self, api_version: str, kind: str) -> list[JsonObject]:
        """All objects of a kind, in every namespace; none of a kind that is not served."""
        nothing: list[JsonObject] = []
        return _or(nothing, lambda: self._api.list((api_version, kind))[0])

    def finalized(self) -> list[JsonObject]:
        """The metadata of objects in namespaces that have finalizers, of every kind."""
        return _told(self._api.finalized)

    def apply(
        self, manifest: Mapping[str, Any], *, force: bool = False, dry_run: bool = False
    ) -> JsonObject:
        """Server-side apply; with `dry_run` all but the storing of it."""
        return _told(lambda: self._api.apply(manifest, force=force, dry_run=dry_run))

    def set_status(self, ref: Ref, status: Mapping[str, Any]) -> None:
        """What its controller would say of it."""
        _told(lambda: self._api.patch(_only_named(ref), {"status": dict(status)}, "status"))

    def scale(self, ref: Ref, replicas: int) -> None:
        """Another scale, by the subresource."""
        _told(lambda: self._api.patch(_only_named(ref), {"spec": {"replicas": replicas}}, "scale"))

    def delete(self, ref: Ref) -> None:
        """Ask for the deletion, of what the object owns first; it may take its time."""
        _told(lambda: self._api.delete(_only_named(ref), dependents_first=True))


def _only_named(ref: Ref) -> JsonObject:
    metadata = {"name": ref.name, "namespace": ref.namespace}
    return {"apiVersion": ref.api_version, "kind": ref.kind, "metadata": metadata}


def _or(nothing: _Found, call: Callable[[], _Found]) -> _Found:
    try:
        return _told(call)
    except KubeError as error:
        if error.reason == "NotFound":
            return nothing
        # There is nothing wrong with what was asked.
        raise CloudError("UNAVAILABLE", f"kube-apiserver: {error}") from None


def _told(call: Callable[[], _Found]) -> _Found:
    try:
        return call()
    except ApiError as error:
        if not error.status:
            why = f"kube-apiserver does not answer: {error}"
            raise CloudError("UNAVAILABLE", why) from None
        missing = error.status == _MISSING
        raise KubeError(str(error), reason="NotFound" if missing else error.reason) from None
