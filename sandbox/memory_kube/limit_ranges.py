"""Requests and limits that a namespace gives to containers which say none.

Source: k8s.io/kubernetes 1.35.4, plugin/pkg/admission/limitranger and pkg/apis/core/v1/defaults.go.
Left out: the least and the most of an amount, which no program here sets.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from sandbox.kube import quantity
from sandbox.kube.errors import KubeError
from sandbox.kube.objects import JsonObject, maps, namespace_of
from sandbox.kube.store import Store

_KNOWN = {"type", "default", "defaultRequest"}


def limit_range_findings(obj: JsonObject) -> Iterator[tuple[str, str]]:
    for index, item in enumerate(maps(obj["spec"].get("limits"))):
        path = f"spec.limits[{index}]"
        if item.get("type") != "Container" or not {*item} <= _KNOWN:
            yield path, "the sandbox knows default and defaultRequest of type Container alone"
            continue
        limits, requests = item.get("default") or {}, item.get("defaultRequest") or {}
        for field, amounts in (("default", limits), ("defaultRequest", requests)):
            for name, amount in amounts.items():
                try:
                    quantity.parse(amount)
                except KubeError as error:
                    yield f"{path}.{field}.{name}", error.message
                    return
        for name in limits.keys() & requests.keys():
            if quantity.parse(requests[name]) > quantity.parse(limits[name]):
                text = f"default request value {requests[name]} is greater than default limit "
                yield f"{path}.defaultRequest[{name}]", f"{text}value {limits[name]}"


def with_namespace_defaults(store: Store, pod: Mapping[str, Any]) -> JsonObject:
    """A new pod with what the limit ranges of its namespace say for it."""
    ranges = [each for each in store.all("LimitRange") if namespace_of(each) == namespace_of(pod)]
    spec = dict(pod["spec"])
    for item in (item for each in ranges for item in maps(each["spec"].get("limits"))):
        for field in ("initContainers", "containers"):
            if field in spec:
                spec[field] = [_filled(container, item) for container in maps(spec[field])]
    return {**pod, "spec": spec}


def _filled(container: JsonObject, item: JsonObject) -> JsonObject:
    resources = container.get("resources") or {}
    limits = resources.get("limits") or {}
    # The API server itself takes a limit for a request that is not there, before any admission.
    requests = {**limits, **(resources.get("requests") or {})}
    default_limits = item.get("default") or {}
    default_requests = {**default_limits, **(item.get("defaultRequest") or {})}
    filled = {
        **resources,
        "limits": {**default_limits, **limits},
        "requests": {**default_requests, **requests},
    }
    return {**container, "resources": {key: value for key, value in filled.items() if value}}
