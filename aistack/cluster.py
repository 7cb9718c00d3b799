"""One cluster's API server, asked with the user's own credentials by the official client."""

from __future__ import annotations

import logging
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import urllib3
from kubernetes.client import ApiClient
from kubernetes.stream.ws_client import create_websocket, get_websocket_url
from websocket import WebSocket, WebSocketBadStatusException, WebSocketException

from aistack.bounded_socket import bound
from aistack.credentials import client_of
from aistack.errors import ForbiddenError, LostError, MissingError, VerbError, reason_of
from aistack.offered import offered, offered_start
from aistack.stack import Stack
from kube import discovery
from kube.kinds import POD, Kind
from kube.objects import JsonObject, dig
from kube.reading import document

# A page of objects is all that is held of a kind at once.
_PAGE = 250
_SECONDS = 30
# A job that is silent for so long is asked again: the connection may be gone, and nobody says so.
_SILENCE_SECONDS = 60
# A text of that length without an end of a line is shown as one.
_LONGEST_LINE = 2**20
_MERGE = "application/merge-patch+json"
_APPLY = "application/apply-patch+yaml"
# What the API server passes on of a kubelet that it does not reach (kubernetes/kubernetes v1.35.4
# staging/src/k8s.io/apimachinery/pkg/util/proxy/upgradeaware.go, "error dialing backend").
_UNREACHED = re.compile(
    r'(Get|Post) "https://[^"]*/(containerLogs|exec|portForward)/|error dialing backend'
)

# It would say of each attempt what is said of the last, and of each log that is followed at once.
logging.getLogger("urllib3.connectionpool").setLevel(logging.ERROR)


class Cluster:
    """Objects are plain data. Raises VerbError for what the API server refuses, ForbiddenError for
    what the user may not."""

    # Whether it is one of the sandbox.
    is_simulated = False

    def __init__(self, client: ApiClient, name: str) -> None:
        self._client = client
        self._name = name

    @classmethod
    def of(cls, stack: Stack) -> Cluster:
        """Raises VerbError where the user has no way into it."""
        made = cls(client_of(stack), str(stack.outputs["cluster_name"]))
        made.is_simulated = stack.kubeconfig_file is not None
        return made

    def pages(
        self,
        kind: Kind,
        namespace: str = "",
        *,
        labels: str = "",
        fields: str = "",
        accept: str = "application/json",
    ) -> Iterator[JsonObject]:
        """All objects of a kind, page by page; none of a kind that is not served."""
        query = {"limit": str(_PAGE), "labelSelector": labels, "fieldSelector": fields}
        while True:
            found = self._call("GET", _path(kind, namespace), query, accept=accept)
            if found is None:
                return
            # An empty list of metadata has no items.
            yield from found["items"] or ()
            query["continue"] = found["metadata"].get("continue") or ""
            if not query["continue"]:
                return

    def kinds(self) -> Iterator[Kind]:
        """Every kind in namespaces that the API server lists."""
        for path in discovery.PATHS:
            answer = self._call("GET", path, {}, accept=discovery.ACCEPT)
            yield from discovery.namespaced_kinds(answer or {})

    def get(self, kind: Kind, namespace: str, name: str) -> JsonObject | None:
        """None, too, for a name that no object has: fields of others' objects may have any text."""
        try:
            path = kind.path(namespace, name)
        except ValueError:
            return None
        return self._call("GET", path, {})

    def create(
        self, kind: Kind, namespace: str, obj: Mapping[str, Any], *, dry_run: bool = False
    ) -> JsonObject:
        """With `dry_run` all but the storing of it, webhooks included. Raises MissingError of a
        kind that is not served."""
        query = {"dryRun": "All"} if dry_run else {}
        found = self._call("POST", _path(kind, namespace), query, dict(obj))
        if found is None:
            raise MissingError(f"cluster {self._name} knows no {kind.name}")
        return found

    def apply(
        self,
        kind: Kind,
        namespace: str,
        obj: Mapping[str, Any],
        *,
        manager: str,
        dry_run: bool = False,
    ) -> None:
        """Server-side: what other managers have set of the object stays, what this one set before
        and leaves out now goes."""
        name = obj["metadata"]["name"]
        query = {"fieldManager": manager, "dryRun": "All" if dry_run else ""}
        self._call("PATCH", _path(kind, namespace, name), query, dict(obj), _APPLY)

    def refusal(self, kind: Kind, namespace: str, obj: Mapping[str, Any]) -> str:
        """Why the object would not be made, webhooks asked and nothing stored; empty where it
        would, or there is no such kind."""
        try:
            self.create(kind, namespace, obj, dry_run=True)
        except MissingError:
            return ""
        except VerbError as error:
            return str(error)
        return ""

    def version(self) -> str:
        """The API server's own."""
        found = self._call("GET", "/version", {}) or {}
        return str(found.get("gitVersion") or "")

    def patch(self, kind: Kind, namespace: str, name: str, change: Mapping[str, Any]) -> None:
        self._call("PATCH", _path(kind, namespace, name), {}, dict(change), _MERGE)

    def delete(self, kind: Kind, namespace: str, name: str) -> bool:
        """And what it owns, in the background; whether it was there."""
        options = {"propagationPolicy": "Background"}
        return self._call("DELETE", _path(kind, namespace, name), {}, options) is not None

    def log(
        self,
        namespace: str,
        pod: str,
        container: str,
        *,
        follow: bool = False,
        previous: bool = False,
        tail: int | None = None,
        since: str = "",
        seconds: int = _SECONDS,
    ) -> Iterator[str]:
        """Lines of a container's log as they come, each with its time before it. Raises
        MissingError where the pod is gone."""
        query = {
            "container": container,
            "follow": "true" if follow else "",
            "previous": "true" if previous else "",
            "tailLines": "" if tail is None else str(tail),
            "sinceTime": since,
            "timestamps": "true",
        }
        path = _path(POD, namespace, pod, "log")
        limit = _SILENCE_SECONDS if follow else seconds
        answer = self._request("GET", path, query, timeout=limit)
        rest = b""
        try:
            for part in answer.stream(2**16):
                *lines, rest = (rest + part).split(b"\n")
                yield from (line.decode(errors="replace") for line in lines)
                if len(rest) > _LONGEST_LINE:
                    yield rest.decode(errors="replace")
                    rest = b""
        except urllib3.exceptions.HTTPError as error:
            raise LostError(f"the log of {pod} broke off: {reason_of(error)}") from None
        if rest:
            yield rest.decode(errors="replace")

    def websocket(self, path: str, query: Sequence[tuple[str, str]]) -> WebSocket:
        _, url, signed, _, _ = self._client.param_serialize(
            "GET", path, query_params=list(query), auth_settings=["BearerToken"]
        )
        try:
            socket = create_websocket(self._client.configuration, get_websocket_url(url), signed)
        except WebSocketBadStatusException as error:
            raise self._refused(error.status_code, error.resp_body or b"") from None
        except (WebSocketException, OSError) as error:
            raise self._lost(error) from None
        return bound(socket, f"cluster {self._name}", "another pod")

    def _call(
        self,
        method: str,
        path: str,
        query: Mapping[str, str],
        body: JsonObject | None = None,
        content_type: str = "application/json",
        *,
        accept: str = "application/json",
    ) -> JsonObject | None:
        """None where what was asked for, or its kind, is not there."""
        try:
            answer = self._request(method, path, query, body, content_type, accept=accept)
        except MissingError:
            return None
        # Free-form fields, such as a claim's parameters, may be deeper than anybody reads.
        found = document(answer.data)
        if not isinstance(found, dict):
            raise VerbError(f"cluster {self._name} answers what cannot be read: {path}")
        return found

    def _request(
        self,
        method: str,
        path: str,
        query: Mapping[str, str],
        body: JsonObject | None = None,
        content_type: str = "application/json",
        timeout: int = _SECONDS,
        *,
        accept: str = "application/json",
    ) -> urllib3.BaseHTTPResponse:
        headers = {"Accept": accept, "Content-Type": content_type}
        _, url, signed, _, _ = self._client.param_serialize(
            method,
            path,
            query_params=[it for it in query.items() if it[1]],
            header_params=headers,
            auth_settings=["BearerToken"],
        )
        try:
            found = self._client.call_api(
                method, url, header_params=signed, body=body, _request_timeout=timeout
            )
        except urllib3.exceptions.HTTPError as error:
            raise self._lost(error) from None
        if found.status >= 400:
            raise self._refused(found.status, found.response.data)
        return found.response

    def _lost(self, error: Exception) -> LostError:
        near = f"; nearest: `{offered_start()}`" if self.is_simulated else ""
        return LostError(f"cluster {self._name} does not answer: {reason_of(error)}{near}")

    def _refused(self, status: int, data: bytes) -> VerbError:
        """In the API server's own words, but for those of its libraries; a body that is none of its
        is not shown."""
        message = str(dig(document(data), "message") or f"HTTP {status}")
        if _UNREACHED.match(message):
            return LostError(unreached(message))
        match status:
            case 404:
                return MissingError(message)
            case 403:
                return ForbiddenError(message)
            case 401:
                return VerbError(f"cluster {self._name} does not know these credentials: {message}")
            case _ if status == 429 or status >= 500:
                return LostError(f"cluster {self._name} cannot answer: {message}")
            case _:
                return VerbError(f"cluster {self._name} refuses: {message}")


def _path(kind: Kind, namespace: str = "", name: str = "", part: str = "") -> str:
    """Raises VerbError for what is no name."""
    try:
        return kind.path(namespace, name, part)
    except ValueError as error:
        raise VerbError(f"{error}, so nothing is asked for it") from None


def unreached(said: str) -> str:
    """Of a pod whose kubelet the API server does not reach, by what it says of that."""
    why = said.rpartition(": ")[2]
    return f"the API server does not reach the pod's node: {why}; nearest: `{offered('status')}`"
