"""Helm's record of its releases: a Secret each, as Helm 3 writes and reads it."""

from __future__ import annotations

import base64
import gzip
import json
from collections.abc import Iterable, Mapping
from typing import Any

from kube.names import chart_name
from kube.objects import JsonObject, labels_of, name_of, namespace_of
from sandbox.kube.helm import RELEASE, release_manifest

_TYPE = "helm.sh/release.v1"
_INPUTS = "pulumi-inputs"


def record_of(release: Mapping[str, Any], *, deployed: bool) -> JsonObject:
    """The Secret that says that a release is installed."""
    name, namespace, spec = name_of(release), namespace_of(release), release["spec"]
    status = "deployed" if deployed else "pending-install"
    chart = {"name": chart_name(spec["chart"]), "version": spec["version"]}
    body = {
        "name": name,
        "namespace": namespace,
        "version": 1,
        "info": {"status": status},
        "chart": {"metadata": {**chart, "apiVersion": "v2"}},
        "config": spec.get("values") or {},
        # What the chart and its values alone do not say: how the program asked for it.
        _INPUTS: dict(spec),
    }
    packed = base64.b64encode(gzip.compress(json.dumps(body).encode(), mtime=0))
    return {
        "apiVersion": "v1",
        "kind": "Secret",
        "metadata": {
            "name": f"sh.helm.release.v1.{name}.v1",
            "namespace": namespace,
            "labels": {"owner": "helm", "name": name, "status": status, "version": "1"},
        },
        "type": _TYPE,
        "data": {"release": base64.b64encode(packed).decode()},
    }


def releases_in(objects: Iterable[Mapping[str, Any]]) -> list[JsonObject]:
    """The releases that these objects' records tell of."""
    return [release_of(obj) for obj in objects if obj.get("type") == _TYPE]


def release_of(secret: Mapping[str, Any]) -> JsonObject:
    """The release that a record tells of."""
    packed = base64.b64decode(base64.b64decode(secret["data"]["release"]))
    body = json.loads(gzip.decompress(packed))
    found = release_manifest(
        {**body[_INPUTS], "name": body["name"], "namespace": body["namespace"]}
    )
    metadata = {**found["metadata"], "uid": f"helm/{body['namespace']}/{body['name']}"}
    metadata |= {key: secret["metadata"][key] for key in ("creationTimestamp", "resourceVersion")}
    chart = body["chart"]["metadata"]
    status = {
        "name": body["name"],
        "namespace": body["namespace"],
        "chart": chart["name"],
        "version": chart["version"],
        "appVersion": f"v{chart['version']}",
        "revision": body["version"],
        "status": labels_of(secret)["status"],
    }
    return {**RELEASE, **found, "metadata": metadata, "status": status}
