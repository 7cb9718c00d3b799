"""Amounts of ResourceQuota and LimitRange that the API server refuses.

Source: kubernetes/kubernetes pkg/apis/core/validation/validation.go, ValidateResourceQuota and
ValidateLimitRange, v1.35.4.
"""

from __future__ import annotations

from collections.abc import Iterator

from kube import quantity
from kube.errors import KubeError
from kube.objects import JsonObject, maps

Finding = tuple[str, str]


def quota_findings(obj: JsonObject) -> Iterator[Finding]:
    for name, amount in ((obj.get("spec") or {}).get("hard") or {}).items():
        path = f"spec.hard[{name}]"
        try:
            if quantity.parse(amount) < 0:
                yield path, f'"{amount}" must be greater than or equal to 0'
        except KubeError as error:
            yield path, error.message


def limit_range_findings(obj: JsonObject) -> Iterator[Finding]:
    for index, item in enumerate(maps(obj["spec"].get("limits"))):
        path = f"spec.limits[{index}]"
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
