"""Nodes of several kinds as Kubernetes' node affinity has them. Pure."""

from collections.abc import Mapping, Sequence
from typing import Any


def on_any(terms: Any) -> dict[str, Any]:
    """Of a pod's spec: nodes that one of the terms picks."""
    required = {"requiredDuringSchedulingIgnoredDuringExecution": {"nodeSelectorTerms": terms}}
    return {"affinity": {"nodeAffinity": required}}


def selector_terms(selectors: Sequence[Mapping[str, str]]) -> list[dict[str, Any]]:
    """Terms that pick the nodes that any of the selectors does, each said once."""
    each = {tuple(sorted(it.items())): it for it in selectors}.values()
    return [{"matchExpressions": [one_of(key, [it[key]]) for key in sorted(it)]} for it in each]


def one_of(label: str, values: Sequence[str]) -> dict[str, Any]:
    """A term's part: the label has one of the values."""
    return {"key": label, "operator": "In", "values": list(values)}
