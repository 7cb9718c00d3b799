"""The labels by which Kueue knows its own. Pure."""

from typing import Any

QUEUE_LABEL = "kueue.x-k8s.io/queue-name"
# Kueue's own class, by which a workload goes before others in its queue.
PRIORITY_LABEL = "kueue.x-k8s.io/priority-class"
# By this older releases were told which single pods are theirs; since 0.15 the queue's label does.
POD_LABEL = "kueue-job"


def queued_pod_labels(queue: Any) -> dict[str, Any]:
    """Labels of pods that belong to no job, each admitted on its own."""
    return {QUEUE_LABEL: queue, POD_LABEL: "true"}
