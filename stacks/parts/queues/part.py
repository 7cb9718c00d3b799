"""Kueue and its queues."""

from collections.abc import Mapping
from typing import Any

from stacks.parts.part import Part, texts_at
from stacks.parts.queues.advice import advice
from stacks.parts.queues.rules import RULES
from stacks.stack import Stack


def is_named(stack: Stack) -> bool:
    return any(it.queue is not None for it in stack.ray.values())


def stand_ins(raw: Mapping[str, Any]) -> tuple[Any, ...]:
    """None, and queues with all that the config's other parts name."""
    return {}, _named_in(raw)


def _named_in(raw: Mapping[str, Any]) -> dict[str, Any]:
    workloads = ("jobs", "ray", "servers")
    cluster_queues = texts_at(raw, ("teams", "queue")) or ("cluster-queue",)
    local_queues, priorities, workload_priorities = (
        texts_at(raw, *((part, key) for part in workloads))
        for key in ("queue", "priority", "workload_priority")
    )
    pools = raw.get("pools")
    return {
        "flavors": {name: {"pool": name} for name in pools if isinstance(name, str)}
        if isinstance(pools, dict)
        else {},
        "cluster_queues": {name: {} for name in cluster_queues},
        "local_queues": [
            {"name": name, "cluster_queue": cluster_queues[0]} for name in local_queues
        ],
        "priorities": [{"name": name, "value": 1} for name in priorities],
        "workload_priorities": [{"name": name, "value": 1} for name in workload_priorities],
    }


PART = Part(key="queues", rules=RULES, is_named=is_named, stand_ins=stand_ins, advice=(advice,))
