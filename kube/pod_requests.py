"""What a pod takes from its node, by resource.

Source: k8s.io/component-helpers v0.35.4, resource/helpers.go, PodRequests.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from fractions import Fraction
from functools import lru_cache
from typing import Any

from kube.objects import maps
from kube.reading import amount

Amounts = Mapping[str, Fraction]
_OVERCOMMITTED = ("cpu", "memory", "ephemeral-storage")


def is_extended(resource: str) -> bool:
    """Devices such as nvidia.com/gpu: counted whole, never overcommitted."""
    return resource not in _OVERCOMMITTED and not resource.startswith("hugepages-")


def requests_of(spec: Mapping[str, Any]) -> Amounts:
    """What a pod takes from its node: containers side by side, init containers one by one."""
    total = _sum(_requests(container) for container in maps(spec.get("containers")))
    highest: dict[str, Fraction] = {}
    sidecars: dict[str, Fraction] = {}
    for container in maps(spec.get("initContainers")):
        if container.get("restartPolicy") == "Always":
            sidecars = _sum([sidecars, _requests(container)])
            highest = _highest(highest, sidecars)
        else:
            highest = _highest(highest, _sum([sidecars, _requests(container)]))
    total = _highest(_sum([total, sidecars]), highest)
    if isinstance(own := spec.get("resources"), Mapping):
        total |= _requests({"resources": own})
    overhead = {name: amount(v) for name, v in (spec.get("overhead") or {}).items()}
    return {**_sum([total, overhead]), "pods": Fraction(1)}


def _requests(container: Mapping[str, Any]) -> dict[str, Fraction]:
    resources = container.get("resources") or {}
    given = {**(resources.get("limits") or {}), **(resources.get("requests") or {})}
    return {name: _amount(name, value) for name, value in given.items()}


@lru_cache(maxsize=4096)
def _amount(name: str, value: Any) -> Fraction:
    found = amount(value)
    return Fraction(-(-found // 1)) if is_extended(name) else found


def _sum(parts: Iterable[Mapping[str, Fraction]]) -> dict[str, Fraction]:
    total: dict[str, Fraction] = {}
    for part in parts:
        for name, more in part.items():
            total[name] = total.get(name, Fraction(0)) + more
    return total


def _highest(left: Mapping[str, Fraction], right: Mapping[str, Fraction]) -> dict[str, Fraction]:
    zero = Fraction(0)
    return {name: max(left.get(name, zero), right.get(name, zero)) for name in {**left, **right}}
