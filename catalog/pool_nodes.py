"""How many nodes a pool has, by its inputs."""

from collections.abc import Mapping
from typing import Any


def bounds(inputs: Mapping[str, Any]) -> tuple[int, int]:
    """The pool's smallest and largest number of nodes; both the fixed size without autoscaling."""
    auto = inputs.get("autoscaling")
    if not auto:
        size = _first_nodes(inputs)
        return size, size
    low = auto.get("totalMinNodeCount", auto.get("minNodeCount"))
    high = auto.get("totalMaxNodeCount", auto.get("maxNodeCount"))
    return _count(low), _count(high)


def wanted_nodes(inputs: Mapping[str, Any]) -> int:
    """How many nodes a create asks for at once."""
    return max(_first_nodes(inputs), bounds(inputs)[0])


def _first_nodes(inputs: Mapping[str, Any]) -> int:
    """A fixed count; the count at birth says nothing where the pool got a fixed one later."""
    fixed = inputs.get("nodeCount")
    return _count(inputs.get("initialNodeCount") if fixed is None else fixed)


def _count(value: Any) -> int:
    """What is left out, or not known yet, is none."""
    return int(value) if isinstance(value, int | float) else 0


def most_nodes(inputs: Mapping[str, Any]) -> int:
    """How many nodes the pool can ever have."""
    return max(bounds(inputs)[1], wanted_nodes(inputs))


def rounds(inputs: Mapping[str, Any], nodes: int) -> int:
    """How often GKE takes some of so many nodes to make them anew. Those of a multi-host TPU slice
    "have a shared lifecycle and articulate together" (documentation of Google Cloud, "Perform host
    maintenance for nodes running training and inference workloads", read 2026-11-29)."""
    if (inputs.get("placementPolicy") or {}).get("tpuTopology"):
        return 1
    settings = inputs.get("upgradeSettings") or {}
    asked = _count(settings.get("maxSurge")) + _count(settings.get("maxUnavailable"))
    return max(1, -(-nodes // max(asked, 1)))
