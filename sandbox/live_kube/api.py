"""The API server over HTTP: objects are plain dicts, kinds are found by discovery."""

from __future__ import annotations

import base64
import json
import ssl
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

import urllib3

from catalog.strict_yaml import load_yaml
from kube import discovery
from kube.objects import JsonObject, Ref

AGENT = "gke-agent"
Kind = tuple[str, str]
_APPLY = "application/apply-patch+yaml"
_MERGE = "application/merge-patch+json"
_SECONDS = 30.0
# An API server that is busy, or has just heard of a kind, says when to come back.
_BUSY = urllib3.Retry(
    total=20,
    connect=0,
    read=0,
    status_forcelist=[429],
    backoff_factor=0.1,
    allowed_methods=None,
    raise_on_status=False,
)


class ApiError(Exception):
    """The API server refuses, with its own word for why, or cannot be reached (status 0)."""

    def __init__(self, status: int, message: str, reason: str = "") -> None:
        super().__init__(message)
        self.status = status
        self.reason = reason


class Api:
    """Asked as the kubeconfig of the sandbox's own says; `manager` owns the fields that are
    applied. Safe to use from several threads."""

    def __init__(self, kubeconfig: Path, manager: str = AGENT) -> None:
        self._manager = manager
        settings = load_yaml(kubeconfig.read_text())
        cluster, user = settings["clusters"][0]["cluster"], settings["users"][0]["user"]
        authority = base64.b64decode(cluster["certificate-authority-data"]).decode()
        self._server = str(cluster["server"])
        self._pool = urllib3.PoolManager(
            maxsize=32,
            retries=False,
            ssl_context=ssl.create_default_context(cadata=authority),
        )
        self._headers = {
            "Accept": "application/json",
            "Content-Type": "application/json",
            "Authorization": f"Bearer {user['token']}",
        }
        self._plurals: dict[Kind, tuple[str, bool]] = {}

    # -- reading

    def list(self, kind: Kind, selector: str = "") -> tuple[list[JsonObject], str]:
        """The objects of a kind in all namespaces, and the version to watch from."""
        query = {"labelSelector": selector} if selector else {}
        found = self.call("GET", self._path(kind), query=query)
        api_version, name = kind
        items = [{"apiVersion": api_version, "kind": name, **item} for item in found["items"]]
        return items, found["metadata"]["resourceVersion"]

    def finalized(self) -> list[JsonObject]:
        """The metadata of objects in namespaces that have finalizers, of every kind."""
        found: list[JsonObject] = []
        for path in discovery.PATHS:
            answer = self.call("GET", path, accept=discovery.ACCEPT)
            for kind in discovery.namespaced_kinds(answer):
                listed = self.call("GET", kind.path(), accept=discovery.METADATA)
                found += [
                    {**it, "apiVersion": kind.api_version, "kind": kind.name}
                    for it in listed["items"] or ()
                    if it["metadata"].get("finalizers")
                ]
        return found

    def get(self, ref: Ref) -> JsonObject | None:
        try:
            return self.call("GET", self._at(ref))
        except ApiError as error:
            if error.status == 404:
                return None
            raise

    def watch(self, kind: Kind, version: str) -> Iterator[tuple[str, JsonObject]]:
        """Events (ADDED, MODIFIED, DELETED) until the server ends the watch."""
        query = {"watch": "true", "resourceVersion": version}
        url = f"{self._server}{self._path(kind)}?{urlencode(query)}"
        timeout = urllib3.Timeout(connect=_SECONDS, read=None)
        try:
            answer = self._pool.request(
                "GET", url, headers=self._headers, preload_content=False, timeout=timeout
            )
            if answer.status >= 400:
                raise ApiError(answer.status, f"watch of {kind[1]}: {answer.reason}")
            for line in answer:
                event = json.loads(line)
                if event["type"] == "ERROR":
                    raise ApiError(event["object"].get("code", 500), "the watch was too old")
                yield event["type"], event["object"]
        except (urllib3.exceptions.HTTPError, ValueError) as error:
            raise ApiError(0, str(error)) from None

    # -- changing

    def apply(
        self, obj: Mapping[str, Any], *, force: bool = True, dry_run: bool = False
    ) -> JsonObject:
        """Server-side apply: the fields given become this manager's, the others stay. Without
        `force`, another manager's are refused; with `dry_run` nothing is stored."""
        query = {"fieldManager": self._manager, "force": str(force).lower()}
        if dry_run:
            query["dryRun"] = "All"
        return self.call("PATCH", self._at(Ref.of(obj)), obj, _APPLY, query)

    def patch(self, obj: Mapping[str, Any], change: JsonObject, part: str = "") -> JsonObject:
        """A merge patch of the object or of a subresource; a `resourceVersion` in it is kept to."""
        query = {"fieldManager": self._manager}
        path = self._at(Ref.of(obj)) + (f"/{part}" if part else "")
        return self.call("PATCH", path, change, _MERGE, query)

    def delete(
        self, obj: Mapping[str, Any], *, at_once: bool = False, dependents_first: bool = False
    ) -> None:
        """What is gone already is no error; `at_once` leaves no time to end in order."""
        options: JsonObject = {"gracePeriodSeconds": 0} if at_once else {}
        if dependents_first:
            options["propagationPolicy"] = "Foreground"
        try:
            self.call("DELETE", self._at(Ref.of(obj)), options)
        except ApiError as error:
            if error.status != 404:
                raise

    # -- paths

    def _at(self, ref: Ref) -> str:
        return f"{self._path((ref.api_version, ref.kind), ref.namespace)}/{ref.name}"

    def _path(self, kind: Kind, namespace: str = "") -> str:
        root = _root(kind[0])
        if kind not in self._plurals:
            for found in self.call("GET", root)["resources"]:
                if "/" not in found["name"]:
                    served = (kind[0], found["kind"])
                    self._plurals[served] = (found["name"], found["namespaced"])
        if kind not in self._plurals:
            raise ApiError(404, f"{kind[1]} of {kind[0]} is not served")
        plural, namespaced = self._plurals[kind]
        return (
            f"{root}/namespaces/{namespace}/{plural}"
            if namespaced and namespace
            else (f"{root}/{plural}")
        )

    def call(
        self,
        method: str,
        path: str,
        body: Mapping[str, Any] | None = None,
        content_type: str = "application/json",
        query: Mapping[str, str] | None = None,
        accept: str = "application/json",
    ) -> JsonObject:
        """One request. Raises ApiError for what the API server refuses."""
        url = f"{self._server}{path}" + (f"?{urlencode(query)}" if query else "")
        headers = {**self._headers, "Accept": accept, "Content-Type": content_type}
        try:
            answer = self._pool.request(
                method,
                url,
                body=None if body is None else json.dumps(body).encode(),
                headers=headers,
                timeout=_SECONDS,
                retries=_BUSY,
            )
        except urllib3.exceptions.HTTPError as error:
            raise ApiError(0, str(error)) from None
        try:
            found = json.loads(answer.data or b"{}")
        except ValueError:
            # A path that is not served is answered without a Status.
            found = {"message": f"{answer.status} {answer.reason}"}
        if answer.status >= 400:
            message = str(found.get("message") or answer.reason)
            raise ApiError(answer.status, message, str(found.get("reason") or ""))
        return found


def _root(api_version: str) -> str:
    return f"/api/{api_version}" if "/" not in api_version else f"/apis/{api_version}"
