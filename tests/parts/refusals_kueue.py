"""Mistakes in what shares nodes by Kueue, one a line: quotas, doors, classes."""

from typing import Any

from tests.parts.preset_samples import AUTOPILOT, MIXED
from tests.parts.refusals import Refused

_QUOTA = "queues__cluster_queues__cluster-queue__flavors__default-flavor"
_QUOTA_FIELD = "queues.cluster_queues.cluster-queue.flavors.default-flavor"
_TUNING = "jobs__finetune-gemma-l4"
_TUNING_FIELD = "jobs.finetune-gemma-l4"
_SERVER = "servers__tgi-gemma-deployment"
_SERVER_FIELD = "servers.tgi-gemma-deployment"
_TWO_FLAVORS: dict[str, Any] = {
    "pools__more": {"machine_type": "g2-standard-24", "nodes": 2},
    "queues__flavors__default-flavor__pool": "gpu",
    "queues__flavors__more": {"pool": "more"},
    "queues__cluster_queues__cluster-queue__flavors__more": {},
}
# Servers that leave no node to itself where they are spread.
_SMALL: dict[str, Any] = {
    f"{_SERVER}__model": "google/gemma-2-2b-it",
    f"{_SERVER}__gpus": 1,
    f"{_SERVER}__requests": {"cpu": 2, "memory_gib": 12, "ephemeral_storage_gib": 30},
}

KUEUE = [
    Refused(
        MIXED,
        {**_SMALL, f"{_SERVER}__replicas": 2},
        f"{_TUNING_FIELD}.pods",
        "but spread over 3 nodes those leave too few of them room, and the rest would wait for "
        "ever; nearest: 1, or 4 nodes",
    ),
    Refused(
        MIXED,
        {**_SMALL, f"{_SERVER}__replicas": 3, "queues__cluster_queues__cluster-queue__cohort": "x"},
        f"{_TUNING_FIELD}.pods",
        "and the rest would wait for ever; nearest: 5 nodes",
    ),
    Refused(
        MIXED,
        {f"{_QUOTA}__cpu": 70.2},
        f"{_QUOTA_FIELD}.cpu",
        "70.2 CPUs are more than the 70.11 that gpu can ever have (3 x "
        "g2-standard-24); nearest: 70.11",
    ),
    Refused(
        MIXED,
        {f"{_QUOTA}__memory_gib": 257},
        f"{_QUOTA_FIELD}.memory_gib",
        "257 GiB of memory are more than the 256 that gpu can ever have (3 x "
        "g2-standard-24); nearest: 256",
    ),
    Refused(
        MIXED,
        {f"{_QUOTA}__ephemeral_storage_gib": 1765},
        f"{_QUOTA_FIELD}.ephemeral_storage_gib",
        "1765 GiB of ephemeral storage are more than the 1764 that gpu can ever "
        "have (3 x g2-standard-24); nearest: 1764",
    ),
    Refused(
        MIXED,
        {f"{_QUOTA}__gpus": 5, "queues__cluster_queues__more__flavors__default-flavor__gpus": 2},
        f"{_QUOTA_FIELD}.gpus",
        "5 GPUs beside the other queues' 2 are more than the 6 that gpu can ever "
        "have (3 x g2-standard-24); nearest: 4",
    ),
    Refused(
        MIXED,
        {f"{_QUOTA}__gpus": 3},
        f"{_TUNING_FIELD}.queue",
        "2 pods would wait for ever for what cluster-queue never has: 4 of 3 GPUs; "
        "nearest: 1 pod, or a larger quota",
    ),
    # Quota of other nodes is of no use to it.
    Refused(
        MIXED,
        {
            f"{_QUOTA}__gpus": 1,
            _TUNING: None,
            f"{_SERVER}__pool": "gpu",
            **_TWO_FLAVORS,
        },
        f"{_SERVER_FIELD}.queue",
        "1 pod would wait for ever for what cluster-queue never has: 2 of 1 GPUs",
    ),
    Refused(
        MIXED,
        {
            f"{_QUOTA}__gpus": 3,
            f"{_TUNING}__pool": "gpu",
            f"{_SERVER}__pool": "gpu",
            **_TWO_FLAVORS,
        },
        f"{_TUNING_FIELD}.queue",
        "2 pods would wait for ever for what cluster-queue never has: 4 of 3 GPUs; "
        "nearest: 1 pod, or a larger quota",
    ),
    Refused(
        MIXED,
        {f"{_QUOTA}__borrowing__gpus": 1},
        f"{_QUOTA_FIELD}.borrowing.gpus",
        "nearest: leave it out, or queues.cluster_queues.cluster-queue.cohort",
    ),
    Refused(
        MIXED,
        {f"{_QUOTA}__lending__cpu": 0.5},
        f"{_QUOTA_FIELD}.lending.cpu",
        "0.5: a queue without a cohort has nobody to share with; nearest: "
        "leave it out, or queues.cluster_queues.cluster-queue.cohort",
    ),
    Refused(
        MIXED,
        {
            "queues__cluster_queues__cluster-queue__cohort": "all",
            f"{_QUOTA}__gpus": 4,
            f"{_QUOTA}__borrowing__gpus": 3,
        },
        f"{_QUOTA_FIELD}.borrowing.gpus",
        "3 GPUs are more than the 2 that others can have of these nodes; nearest: 2",
    ),
    Refused(
        MIXED,
        {
            "queues__cluster_queues__cluster-queue__cohort": "all",
            f"{_QUOTA}__gpus": 10,
            f"{_QUOTA}__borrowing__gpus": 1,
        },
        f"{_QUOTA_FIELD}.borrowing.gpus",
        "1 GPUs are more than the 0 that others can have of these nodes; nearest: 0",
    ),
    Refused(
        MIXED,
        {
            "queues__cluster_queues__cluster-queue__cohort": "all",
            f"{_QUOTA}__memory_gib": 100,
            f"{_QUOTA}__lending__memory_gib": 101,
        },
        f"{_QUOTA_FIELD}.lending.memory_gib",
        "101 GiB of memory are more than the 100 that are its own; nearest: 100",
    ),
    Refused(
        MIXED,
        {
            "queues__local_queues": [
                {"name": "lq", "cluster_queue": "cluster-queue", "namespace": "llms"}
            ]
        },
        "queues.local_queues[0].namespace",
        '"llms" is no namespace that the stack makes; nearest: llm, or one more in '
        "queues.namespaces",
    ),
    Refused(
        MIXED,
        {"queues__local_queues": [{"name": "lq", "cluster_queue": "cluster"}]},
        "queues.local_queues[0].cluster_queue",
        '"cluster" is no cluster queue of this stack; nearest: cluster-queue',
    ),
    Refused(
        MIXED,
        {
            "queues__local_queues": [
                {"name": "lq", "cluster_queue": "cluster-queue"},
                {"name": "lq", "cluster_queue": "cluster-queue", "namespace": "llm"},
            ]
        },
        "queues.local_queues[1].name",
        '"lq" is in the namespace llm twice; nearest: lq-2',
    ),
    Refused(
        MIXED,
        {"queues__cluster_queues__cluster-queue__flavors": {"default": {}}},
        "queues.cluster_queues.cluster-queue.flavors.default",
        '"default" is no flavor; nearest: default-flavor',
    ),
    Refused(
        MIXED,
        {"queues__flavors": {"default-flavor": {}, "again": {}, "cpus": {"pool": "cpu"}}},
        "queues.flavors.again.pool",
        "would be counted twice; nearest: leave again out",
    ),
    Refused(
        MIXED,
        {
            "queues__namespaces": ["research"],
            "queues__local_queues": [
                {"name": "lq", "cluster_queue": "cluster-queue", "namespace": "research"}
            ],
        },
        f"{_TUNING_FIELD}.queue",
        '"lq" is no local queue of the namespace llm; nearest: one more in queues.local_queues',
    ),
    Refused(
        MIXED,
        {f"{_SERVER}__queue": None, f"{_SERVER}__workload_priority": "soon"},
        f"{_SERVER_FIELD}.workload_priority",
        '"soon" is for what waits in a queue; nearest: leave it out',
    ),
    Refused(
        MIXED,
        {"queues__priorities__2__name": "low-priority-preempting"},
        "queues.priorities[2].name",
        '"low-priority-preempting" is there twice; nearest: low-priority-preempting-2',
    ),
    Refused(
        MIXED,
        {
            "queues__workload_priorities": [
                {"name": "soon", "value": 1},
                {"name": "soon", "value": 2},
            ]
        },
        "queues.workload_priorities[1].name",
        '"soon" is there twice; nearest: soon-2',
    ),
    Refused(
        MIXED,
        {"queues__priorities__1__default": True},
        "queues.priorities",
        "are default, and Kubernetes takes one of them as it likes; nearest: "
        "default for default-priority-nonpreempting alone",
    ),
    Refused(
        MIXED,
        {"buckets__bucket__mount__sidecar__memory_gib": 78},
        "buckets.bucket.mount.sidecar.memory_gib",
        "nearest: 77",
    ),
    Refused(
        MIXED,
        {f"{_SERVER}__replicas": 4},
        f"{_SERVER_FIELD}.replicas",
        "nodes of g2-standard-24; nearest: 3",
    ),
    Refused(
        MIXED,
        {
            **AUTOPILOT,
            "jobs__finetune-gemma-l4__gpus": 1,
            "buckets__bucket__mount__sidecar__memory_gib": 10,
        },
        f"{_TUNING_FIELD}.gpus",
        "1 of the 2 GPUs of g2-standard-24: Autopilot gives such a pod the whole "
        "machine; nearest: 2",
    ),
    Refused(
        MIXED,
        {"queues__namespaces": ["research", "research"]},
        "queues.namespaces[1]",
        '"research" is there twice; nearest: leave it out',
    ),
    Refused(
        MIXED,
        {"queues__priorities__0__name": "system-low"},
        "queues.priorities[0].name",
        "start with system- for its own classes; nearest: low",
    ),
    Refused(
        MIXED,
        {"queues__cluster_queues__cluster-queue__namespaces": ["default"]},
        "queues.local_queues[0].cluster_queue",
        "takes nothing of the namespace llm, so all would wait for ever; nearest: "
        "llm in its namespaces",
    ),
    Refused(
        MIXED,
        {"queues__cluster_queues__cluster-queue__namespaces": ["llm", "llms"]},
        "queues.cluster_queues.cluster-queue.namespaces[1]",
        "nearest: llm",
    ),
    Refused(
        MIXED,
        {"queues__cohorts": {"a": {"parent": "b"}, "b": {"parent": "a"}}},
        "queues.cohorts.a.parent",
        '"b" is below a itself; nearest: leave it out',
    ),
    Refused(
        MIXED,
        {"queues__ready_minutes": 60, "pools__gpu__capacity": {"mode": "flex-start"}},
        "queues.ready_minutes",
        "and by pools.gpu.capacity.mode it may take 10080; nearest: 10080",
    ),
    Refused(
        MIXED,
        {"queues__version": "0.10.0"},
        "queues.version",
        "kueue 0.10.0 serves ClusterQueue as kueue.x-k8s.io/v1beta1, and the "
        "stack's objects are kueue.x-k8s.io/v1beta2; nearest: 0.19.2",
    ),
    Refused(
        MIXED,
        {"queues__frameworks": ["batch/job", "pods"]},
        "queues.frameworks[1]",
        '"pods" is not a framework that Kueue integrates; nearest: pod',
    ),
]
