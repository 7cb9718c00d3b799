"""The labels by which Kueue knows its own. Pure."""

from typing import Any

# Of a job whose pods come and go, each more of them admitted by its queue: by the annotation Kueue
# takes a Ray cluster with an autoscaler, and by the gate its pods wait (kubernetes-sigs/kueue
# v0.19.2 pkg/controller/jobs/raycluster/raycluster_webhook.go, apis/kueue/v1beta2/constants.go).
ELASTIC = {"kueue.x-k8s.io/elastic-job": "true"}
ELASTIC_GATE = {"name": "kueue.x-k8s.io/elastic-job"}

QUEUE_LABEL = "kueue.x-k8s.io/queue-name"
# Kueue gives work that names no queue to the LocalQueue of this name in its namespace
# (kubernetes-sigs/kueue v0.19.2 site/content/en/docs/tasks/manage/enforce_job_management/
# setup_default_local_queue.md).
DEFAULT_QUEUE = "default"
# Kueue's own class, by which a workload goes before others in its queue.
PRIORITY_LABEL = "kueue.x-k8s.io/priority-class"
# By this older releases were told which single pods are theirs; since 0.15 the queue's label does.
POD_LABEL = "kueue-job"


def queue_labels(queue: Any, priority: Any = None) -> dict[str, Any]:
    """Labels of what a queue admits as a whole; `priority` is a WorkloadPriorityClass."""
    return {QUEUE_LABEL: queue, **({} if priority is None else {PRIORITY_LABEL: priority})}


def queued_pod_labels(queue: Any, priority: Any = None) -> dict[str, Any]:
    """Labels of pods that belong to no job, each admitted on its own."""
    return {**queue_labels(queue, priority), POD_LABEL: "true"}
