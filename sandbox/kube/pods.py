"""Pods: made from templates, and how they look from outside."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from typing import Any

from kube.objects import (
    JsonObject,
    PodView,
    annotations_of,
    dig,
    labels_of,
    name_of,
    namespace_of,
)
from sandbox.kube.store import Store, owner_of

# Kubernetes' own alphabet for generated names: no vowels, no look-alikes.
_ALPHABET = "bcdfghjklmnpqrstvwxz2456789"
FINISHED = ("Succeeded", "Failed")


def suffix(*parts: object, length: int = 5) -> str:
    """A stable stand-in for the random tail of generated names."""
    digest = hashlib.sha256("/".join(map(str, parts)).encode()).digest()
    return "".join(_ALPHABET[byte % len(_ALPHABET)] for byte in digest[:length])


def template_hash(template: Mapping[str, Any]) -> str:
    return suffix(json.dumps(template, sort_keys=True), length=10)


def pod_from(
    template: Mapping[str, Any], *, name: str, namespace: str, labels: Mapping[str, str]
) -> JsonObject:
    return {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {
            "name": name,
            "namespace": namespace,
            "labels": {**labels_of(template), **labels},
            "annotations": dict(annotations_of(template)),
        },
        "spec": {
            "restartPolicy": "Always",
            "serviceAccountName": "default",
            **dict(template["spec"]),
        },
    }


def phase(pod: Mapping[str, Any]) -> str:
    return dig(pod, "status", "phase") or "Pending"


def is_running(pod: Mapping[str, Any]) -> bool:
    return phase(pod) == "Running"


def why_pending(pod: Mapping[str, Any]) -> str:
    return dig(pod, "status", "message") or ""


def view(pod: Mapping[str, Any]) -> PodView:
    owner = owner_of(pod)
    return PodView(
        name=name_of(pod),
        namespace=namespace_of(pod),
        owner=f"{owner['kind']}/{owner['name']}" if owner else "",
        phase=phase(pod),
        node=dig(pod, "spec", "nodeName") or "",
        reason=why_pending(pod),
    )


def endpoints(store: Store, service: Mapping[str, Any]) -> list[JsonObject]:
    """The pods that a Service selects; none for a Service without a selector."""
    selector = dig(service, "spec", "selector") or {}
    if not selector:
        return []
    return [
        pod
        for pod in store.all("Pod")
        if namespace_of(pod) == namespace_of(service)
        and all(labels_of(pod).get(key) == value for key, value in selector.items())
    ]
