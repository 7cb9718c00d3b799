"""Kueue and its queues. No Pulumi import."""

from typing import Any

from pydantic import Field

from stacks.blocks.kueue import Kueue, LocalQueue

_DEFAULT = LocalQueue(name="lq", cluster_queue="cluster-queue")


def _default_local_queues(given: dict[str, Any]) -> tuple[LocalQueue, ...]:
    return (_DEFAULT,) if _DEFAULT.cluster_queue in given.get("cluster_queues", {}) else ()


class StackQueues(Kueue, frozen=True):
    """Kueue, and the queues that share the nodes."""

    local_queues: tuple[LocalQueue, ...] = Field(default_factory=_default_local_queues)
    """Doors of namespaces to cluster queues; by default `lq` in the stack's namespace, where there
    is the cluster queue of the default name. Teams with a queue have one each."""
