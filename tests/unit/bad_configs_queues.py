"""Mistakes in configs with queues, one a line, and how the message about each ends."""

from typing import Any

from tests.unit.config_keys_queues import AUTOPILOT

Bad = list[tuple[dict[str, Any], str, str]]
_FLAVORS = "stack.kueue.cluster_queues.cluster-queue.flavors"
_QUOTA = "kueue__cluster_queues__cluster-queue__flavors__default-flavor"
_FIELD = f"{_FLAVORS}.default-flavor"
_DOOR = {"name": "lq", "cluster_queue": "cluster-queue"}
_LOW, _HIGH = "low-priority-preempting", "high-priority-preempting"
_L4S = {"machine_type": "g2-standard-24", "nodes": 1}

# (what is set in kueue-mixed, by path; the field that is named; the end of the message)
BAD_QUEUES: Bad = [
    # Quotas
    (
        {f"{_QUOTA}__cpu": 70.2},
        f"{_FIELD}.cpu",
        "70.2 CPUs are more than the 70.11 that gpu_pool can ever have (3 x g2-standard-24); "
        "nearest: 70.11",
    ),
    (
        {f"{_QUOTA}__memory_gib": 256},
        f"{_FIELD}.memory_gib",
        "256 GiB of memory are more than the 255 that gpu_pool can ever have "
        "(3 x g2-standard-24); nearest: 255",
    ),
    (
        {f"{_QUOTA}__gpus": 7},
        f"{_FIELD}.gpus",
        "7 GPUs are more than the 6 that gpu_pool can ever have (3 x g2-standard-24); nearest: 6",
    ),
    (
        {f"{_QUOTA}__ephemeral_storage_gib": 1801},
        f"{_FIELD}.ephemeral_storage_gib",
        "1801 GiB of ephemeral storage are more than the 1800 that gpu_pool can ever have "
        "(3 x g2-standard-24); nearest: 1800",
    ),
    (
        {f"{_QUOTA}__gpus": 5, "kueue__cluster_queues__more__flavors__default-flavor__gpus": 2},
        f"{_FIELD}.gpus",
        "5 GPUs beside the other queues' 2 are more than the 6 that gpu_pool can ever have "
        "(3 x g2-standard-24); nearest: 4",
    ),
    ({f"{_QUOTA}__gpus": -1}, f"{_FIELD}.gpus", "-1 is less than 0; nearest: 0"),
    (
        {f"{_QUOTA}__gpus": 3},
        "stack.fine_tune.queue",
        "2 pods would wait for ever for what cluster-queue never has: 4 of 3 GPUs; "
        "nearest: 1 pod, or a larger quota",
    ),
    (
        {f"{_QUOTA}__gpus": 1, "fine_tune": None},
        "stack.server.queue",
        "1 pod would wait for ever for what cluster-queue never has: 2 of 1 GPUs; "
        "nearest: a larger quota",
    ),
    # What is borrowed and lent
    (
        {f"{_QUOTA}__borrowing__gpus": 1},
        f"{_FIELD}.borrowing.gpus",
        "nearest: leave it out, or kueue.cluster_queues.cluster-queue.cohort",
    ),
    (
        {f"{_QUOTA}__lending__cpu": 0.5},
        f"{_FIELD}.lending.cpu",
        "0.5: a queue without a cohort has nobody to share with; "
        "nearest: leave it out, or kueue.cluster_queues.cluster-queue.cohort",
    ),
    (
        {
            "kueue__cluster_queues__cluster-queue__cohort": "all",
            f"{_QUOTA}__gpus": 4,
            f"{_QUOTA}__borrowing__gpus": 3,
        },
        f"{_FIELD}.borrowing.gpus",
        "3 GPUs are more than the 2 that others can have of these nodes; nearest: 2",
    ),
    (
        {
            "kueue__cluster_queues__cluster-queue__cohort": "all",
            f"{_QUOTA}__gpus": 10,
            f"{_QUOTA}__borrowing__gpus": 1,
        },
        f"{_FIELD}.borrowing.gpus",
        "1 GPUs are more than the 0 that others can have of these nodes; nearest: 0",
    ),
    (
        {
            "kueue__cluster_queues__cluster-queue__cohort": "all",
            f"{_QUOTA}__memory_gib": 100,
            f"{_QUOTA}__lending__memory_gib": 101,
        },
        f"{_FIELD}.lending.memory_gib",
        "101 GiB of memory are more than the 100 that are its own; nearest: 100",
    ),
    # Names that lead nowhere
    (
        {"kueue__local_queues": [{**_DOOR, "namespace": "llms"}]},
        "stack.kueue.local_queues[0].namespace",
        '"llms" is no namespace that the stack makes; nearest: llm, '
        "or one more in kueue.namespaces",
    ),
    (
        {"kueue__local_queues": [{**_DOOR, "cluster_queue": "cluster"}]},
        "stack.kueue.local_queues[0].cluster_queue",
        '"cluster" is no cluster queue of this stack; nearest: cluster-queue',
    ),
    (
        {"kueue__local_queues": [_DOOR, {**_DOOR, "namespace": "llm"}]},
        "stack.kueue.local_queues[1].name",
        '"lq" is in the namespace llm twice; nearest: lq-2',
    ),
    (
        {"kueue__cluster_queues__cluster-queue__flavors": {"default": {}}},
        f"{_FLAVORS}.default",
        "there is no such flavor; nearest: default-flavor",
    ),
    (
        {"kueue__flavors__default-flavor__pool": "gpu-pool"},
        "stack.kueue.flavors.default-flavor.pool",
        '"gpu-pool" is no pool of this stack; nearest: gpu_pool, cpu_pool',
    ),
    (
        {"kueue__flavors": {"default-flavor": {}, "again": {}}},
        "stack.kueue.flavors.again.pool",
        "gpu_pool is the flavor default-flavor already, and would be counted twice; "
        "nearest: cpu_pool",
    ),
    (
        {"kueue__flavors": {"default-flavor": {}, "again": {}, "cpus": {"pool": "cpu_pool"}}},
        "stack.kueue.flavors.again.pool",
        "would be counted twice; nearest: leave again out",
    ),
    (
        {"server__queue": "lp"},
        "stack.server.queue",
        '"lp" is no local queue of the namespace llm; nearest: lq',
    ),
    (
        {
            "kueue__namespaces": ["research"],
            "kueue__local_queues": [{**_DOOR, "namespace": "research"}],
        },
        "stack.fine_tune.queue",
        '"lq" is no local queue of the namespace llm; nearest: one more in kueue.local_queues',
    ),
    (
        {"server__priority": "high-priority"},
        "stack.server.priority",
        f'"high-priority" is no priority class of this stack; nearest: {_HIGH}, {_LOW}',
    ),
    (
        {"kueue": None},
        "stack.fine_tune.priority",
        f'"{_LOW}" is no priority class of this stack; nearest: leave it out',
    ),
    (
        {"fine_tune__workload_priority": "soon"},
        "stack.fine_tune.workload_priority",
        '"soon" is not in kueue.workload_priorities; nearest: leave it out',
    ),
    (
        {"server__queue": None, "server__workload_priority": "soon"},
        "stack.server.workload_priority",
        '"soon" is for what waits in a queue; nearest: leave it out',
    ),
    # Priorities
    (
        {"kueue__priorities__2__name": _LOW},
        "stack.kueue.priorities[2].name",
        f'"{_LOW}" is there twice; nearest: {_LOW}-2',
    ),
    (
        {"kueue__workload_priorities": [{"name": "soon", "value": it} for it in (1, 2)]},
        "stack.kueue.workload_priorities[1].name",
        '"soon" is there twice; nearest: soon-2',
    ),
    (
        {"kueue__priorities__1__default": True},
        "stack.kueue.priorities",
        "are default, and Kubernetes takes one of them as it likes; "
        "nearest: default for default-priority-nonpreempting alone",
    ),
    (
        {"kueue__priorities__0__value": 10**9 + 1},
        "stack.kueue.priorities[0].value",
        "nearest: 1000000000",
    ),
    # Workloads
    (
        {"server__shards": 1},
        "stack.server.shards",
        "1 shards are not one on each of the server's 2 GPUs; nearest: 2",
    ),
    (
        {"fine_tune__pods": 3},
        "stack.fine_tune.pods",
        "3 pods with 2 GPUs each do not fit beside one server on 3 nodes of g2-standard-24; "
        "nearest: 2, or 4 nodes",
    ),
    (
        {"gpu_pool__nodes": 2},
        "stack.fine_tune.pods",
        "do not fit beside one server on 2 nodes of g2-standard-24; nearest: 1, or 3 nodes",
    ),
    ({"bucket__mount__sidecar__memory_gib": 78}, "stack.bucket.mount.sidecar.memory_gib", ": 77"),
    ({"server__replicas": 4}, "stack.server.replicas", "nodes of g2-standard-24; nearest: 3"),
    (
        {"gpu_pool__capacity": {"mode": "queued"}, "gpu_pool__autoscaling": {"min": 0, "max": 3}},
        "stack.gpu_pool.capacity.mode",
        "queued machines come by a request, which not all pods of this stack wait for; "
        "nearest: flex-start, or one of kueue.admission_checks in each of its queues",
    ),
    (
        {"extra_gpu_pools": {"more": {**_L4S, "machine_type": "g2-standard-8"}}},
        "stack.extra_gpu_pools.more.machine_type",
        "workloads are cut to a g2-standard-24, and this pool has g2-standard-8; "
        "nearest: g2-standard-24",
    ),
    (
        {
            "region": "us-east1",
            "zone": "us-east1-b",
            "gpu_pool": {"machine_type": "a4-highgpu-8g", "nodes": 3, "capacity": {"mode": "spot"}},
        },
        "stack.gpu_pool.machine_type",
        "a4-highgpu-8g has 9 further interfaces that no pod of this stack asks for; "
        "nearest: g2-standard-24, or a verl training on them",
    ),
    (
        {"bucket__mount__implicit_dir": True},
        "stack.bucket.mount.implicit_dir",
        "there is no such key; nearest: implicit_dirs, only_dir",
    ),
]

# The same on Autopilot.
BAD_QUEUES_AUTOPILOT: Bad = [
    ({**AUTOPILOT, **values}, field, end)
    for values, field, end in (
        (
            {"server__gpus": 1},
            "stack.server.gpus",
            "1 of the 2 GPUs of g2-standard-24: Autopilot gives such a pod the whole machine; "
            "nearest: 2",
        ),
        (
            {"fine_tune__gpus": 1, "bucket__mount__sidecar__memory_gib": 10},
            "stack.fine_tune.gpus",
            "1 of the 2 GPUs of g2-standard-24: Autopilot gives such a pod the whole machine; "
            "nearest: 2",
        ),
        (
            {"kueue__flavors__default-flavor__pool": "gpu_pool"},
            "stack.kueue.flavors.default-flavor.pool",
            '"gpu_pool" is no pool of this stack; nearest: gpu_nodes',
        ),
        (
            {f"{_QUOTA}__gpus": 7},
            f"{_FIELD}.gpus",
            "7 GPUs are more than the 6 that gpu_nodes can ever have (3 x g2-standard-24); "
            "nearest: 6",
        ),
        (
            {"gpu_pool": _L4S},
            "stack.gpu_pool",
            "nearest: gpu_nodes with machine_type, nodes and capacity",
        ),
    )
]
