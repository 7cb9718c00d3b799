"""Keys of the stacks with queues, with checkpoints and on the smallest machines, each with a value
that changes something."""

from typing import Any

from tests.unit.config_keys import (
    BUCKET_EFFECTS,
    EFFECTS,
    EFFECTS_WITHIN,
    POOL_EFFECTS,
    RAY_EFFECTS,
    SMALL_POOL_EFFECTS,
    SMALL_RAY_EFFECTS,
    Within,
)

AUTOPILOT: dict[str, Any] = {
    "cluster__mode": "autopilot",
    "cpu_pool": None,
    "gpu_pool": None,
    "gpu_nodes": {"machine_type": "g2-standard-24", "nodes": 3},
}
_L4S = {"machine_type": "g2-standard-24", "nodes": 2, "capacity": {"mode": "spot"}}
# Where nothing asks for machines of a queue.
_WITHIN = [it for it in EFFECTS_WITHIN if it[1] != {"gpu_pool__capacity__mode": "queued"}]
_NO_WORKLOADS: dict[str, Any] = {"server": None, "fine_tune": None}
_AMOUNTS = ("cpu", "memory_gib", "gpus", "ephemeral_storage_gib")
_SAID = {"cpu": 4, "memory_gib": 8, "gpus": 2, "ephemeral_storage_gib": 20}
_LENT = {"cpu": 2, "memory_gib": 2, "gpus": 2, "ephemeral_storage_gib": 2}

# Two teams that share two pools.
TEAMS: dict[str, Any] = {
    **_NO_WORKLOADS,
    "extra_gpu_pools": {"more": _L4S},
    "kueue": {
        "namespaces": ["research"],
        "flavors": {"first": {}, "spot": {"pool": "extra_gpu_pools.more"}},
        "cluster_queues": {
            "ours": {
                "cohort": "all",
                "flavors": {"first": {**_SAID, "borrowing": _SAID, "lending": _LENT}, "spot": {}},
            },
            "theirs": {"cohort": "all"},
        },
        "local_queues": [
            {"name": "lq", "cluster_queue": "ours"},
            {"name": "lq", "cluster_queue": "theirs", "namespace": "research"},
        ],
        "priorities": [{"name": "usual", "value": 10}, {"name": "first", "value": 20}],
        "workload_priorities": [{"name": "soon", "value": 10}],
    },
}
_OURS = "kueue__cluster_queues__ours"
_FIRST = f"{_OURS}__flavors__first"
_PREEMPTION = f"{_OURS}__preemption"
KUEUE_WITHIN: Within = [
    (TEAMS, values)
    for values in (
        {"kueue__version": "0.18.6"},
        {"kueue__frameworks": ["pod"]},
        {"kueue__namespaces": ["research", "more"]},
        {"kueue__ready_minutes": 60},
        {"kueue__flavors__spot__pool": "cpu_pool"},
        {"kueue__cluster_queues__theirs__cohort": "few"},
        {"kueue__cluster_queues__theirs__namespaces": ["research"]},
        {"kueue__cohorts": {"all": {"parent": "company"}}},
        *({f"{_FIRST}__{part}": 3} for part in _AMOUNTS),
        *({f"{_FIRST}__borrowing__{part}": 1} for part in _AMOUNTS),
        *({f"{_FIRST}__lending__{part}": 1} for part in _AMOUNTS),
        {f"{_PREEMPTION}__within_queue": "Never"},
        {f"{_PREEMPTION}__reclaim_from_cohort": "Any"},
        {f"{_PREEMPTION}__borrow_from_cohort": "LowerPriority"},
        {"kueue__local_queues__0__name": "other"},
        {"kueue__local_queues__0__cluster_queue": "theirs"},
        {"kueue__local_queues__0__namespace": "default"},
        {"kueue__priorities__0__name": "other"},
        {"kueue__priorities__0__value": 5},
        {"kueue__priorities__0__preempts": False},
        {"kueue__priorities__0__default": True},
        {"kueue__priorities__0__description": "What goes first."},
        {"kueue__workload_priorities__0__name": "other"},
        {"kueue__workload_priorities__0__value": 5},
        {"kueue__workload_priorities__0__description": "What goes first."},
    )
]

# Machines that Kueue asks for, and nodes that it chooses.
_NONE_OF_IT = {"flavors": {"default-flavor": dict.fromkeys(_AMOUNTS, 0)}}
CHECKED: dict[str, Any] = {
    "gpu_pool__capacity": {"mode": "queued", "max_run_hours": 24},
    "gpu_pool__autoscaling": {"min": 0, "max": 3},
    "kueue__admission_checks": {"dws": {}, "other": {}},
    "kueue__cluster_queues__cluster-queue__admission_checks": ["dws"],
    "kueue__cluster_queues__second": {"admission_checks": ["other"], **_NONE_OF_IT},
}
PLACED: dict[str, Any] = {
    "kueue__topologies": {"nodes": {}},
    "kueue__flavors__default-flavor__topology": "nodes",
}
_BLOCKS = ["cloud.google.com/gce-topology-block", "kubernetes.io/hostname"]
_TEAMS_PLACED: dict[str, Any] = {
    **TEAMS,
    "gpu_pool__nodes": 2,
    "gpu_pool__autoscaling": None,
    "gpu_pool__capacity__mode": "on-demand",
    "gpu_pool__compact_placement": True,
    "extra_gpu_pools": {"more": {**_L4S, "compact_placement": True}},
    "kueue__topologies": {"nodes": {}, "blocks": {"levels": _BLOCKS}},
    "kueue__flavors__first__topology": "nodes",
    "kueue__flavors__spot__topology": "nodes",
}
KUEUE_WITHIN += [
    (_TEAMS_PLACED, {"kueue__flavors__first__topology": "blocks"}),
    (_TEAMS_PLACED, {"kueue__topologies__nodes__levels": _BLOCKS}),
]
CHECKED_WITHIN: Within = [
    (CHECKED, {"kueue__admission_checks__dws__retries": 5}),
    (CHECKED, {"gpu_pool__capacity__max_run_hours": 12}),
    (
        {**CHECKED, "kueue__cluster_queues__third": {"admission_checks": ["other"], **_NONE_OF_IT}},
        {"kueue__cluster_queues__second__admission_checks": ["dws"]},
    ),
]

SERVE: list[dict[str, Any]] = [
    {"bucket__mount__streaming_writes": False},
    *(it for it in EFFECTS if it != {"cluster__release_channel": "RAPID"}),
    *POOL_EFFECTS,
    *(it for it in BUCKET_EFFECTS if "bucket__mount__sidecar" not in it),
    *({f"bucket__mount__sidecar__{part}": 7} for part in _AMOUNTS if part != "gpus"),
    {"cluster__release_channel": "REGULAR"},
    {"cluster__location": "zonal"},
    {"gpu_pool__nodes": 4},
    {"extra_gpu_pools": {"more": _L4S}},
    {"bucket__role": "objectAdmin"},
    {"bucket__force_destroy": False},
    {"server": None},
    {"server__name": "other"},
    {"server__image": "registry/name:1.2.3"},
    {"server__model": "google/gemma-2-2b-it"},
    {"server__replicas": 2},
    {"server__gpus": 1},
    {"server__requests__cpu": 5},
    {"server__requests__memory_gib": 31},
    {"server__requests__ephemeral_storage_gib": 31},
    {"server__shm_gib": 2},
    {"server__priority": "low-priority-preempting"},
    {"server__queue": None},
    {"server__minutes": 45},
    {"fine_tune": None},
    {"fine_tune__name": "other"},
    {"fine_tune__image": "registry/name:1.2.3"},
    {"fine_tune__pods": 1},
    {"fine_tune__gpus": 1, "bucket__mount__sidecar__memory_gib": 10},
    {"fine_tune__requests": {"cpu": 4, "memory_gib": 40}},
    {"fine_tune__requests": {"cpu": 4, "memory_gib": 40, "ephemeral_storage_gib": 40}},
    {"fine_tune__shm_gib": 9},
    {"fine_tune__model": "google/gemma-2-9b"},
    {"fine_tune__new_model": "other"},
    {"fine_tune__experiment": "other"},
    {"fine_tune__directory": "runs/first"},
    {"fine_tune__dataset_limit": 4000},
    {"fine_tune__epochs": 2},
    {"fine_tune__gradient_accumulation_steps": 4},
    {"fine_tune__checkpoint_save_steps": 5},
    {"fine_tune__priority": "high-priority-preempting"},
    {"fine_tune__backoff_limit": 1},
]
_SCALES = {"server__replicas": None, "server__autoscaling": {"max": 3}}
_TWO_DOORS = {
    "kueue__local_queues": [
        {"name": name, "cluster_queue": "cluster-queue"} for name in ("lq", "other")
    ]
}
_SOON = {"kueue__workload_priorities": [{"name": "soon", "value": 10}]}
SERVE_WITHIN: Within = [
    *_WITHIN,
    *KUEUE_WITHIN,
    *CHECKED_WITHIN,
    (_SCALES, {"server__autoscaling__min": 2}),
    (_SCALES, {"server__autoscaling__max": 4}),
    (_SCALES, {"server__autoscaling__target_queue_size": 9}),
    (_TWO_DOORS, {"server__queue": "other"}),
    (_TWO_DOORS, {"fine_tune__queue": "other"}),
    (_SOON, {"server__workload_priority": "soon"}),
    (_SOON, {"fine_tune__workload_priority": "soon"}),
    (AUTOPILOT, {"gpu_nodes__nodes": 4}),
    (AUTOPILOT, {"gpu_nodes__capacity": {"mode": "spot"}}),
    (AUTOPILOT, {"gpu_nodes__machine_type": "g2-standard-48", "server": None, "fine_tune": None}),
]
# They are only held against other keys: machines that have interfaces, the server's GPUs, and the
# one data set that there is.
SERVE_APART = {
    *("network__accelerators__range", "network__accelerators__prefix_length"),
    *("server__shards", "fine_tune__dataset"),
}

# For the head, too.
_FLAVORS = {"cpu": {"pool": "cpu_pool"}, "l4": {"pool": "gpu_pool"}}
CHECKPOINT: list[dict[str, Any]] = [
    {"bucket__mount__streaming_writes": False},
    *(it for it in EFFECTS if it != {"cluster__release_channel": "RAPID"}),
    *RAY_EFFECTS,
    *SMALL_RAY_EFFECTS,
    *SMALL_POOL_EFFECTS,
    *BUCKET_EFFECTS,
    {"cluster__release_channel": "REGULAR"},
    {"cluster__location": "regional"},
    {"gpu_pool__nodes": 3},
    {"bucket__role": "objectAdmin"},
    {"bucket__force_destroy": False},
    {"ray__operator": "addon"},
    {"kueue": {}},
    {"ray__autoscaling": {}},
    {"job": None},
    {"job__name": "other"},
    {"job__run_name": "other"},
    {"job__data": "generated"},
    {"job__epochs": 11},
    {"job__batch_size": 64},
    {"job__learning_rate": 0.01},
    {"job__checkpoints_to_keep": 4},
    {"job__max_failures": 4},
    {"job__save_seconds": 60},
    {"job__install_torch": False},
]
CHECKPOINT_WITHIN: Within = [
    ({"kueue": {"flavors": _FLAVORS}}, {"ray__queue": "lq"}),
    *EFFECTS_WITHIN,
    ({"ray__autoscaling": {}}, {"ray__autoscaling__min_workers": 1}),
    ({"ray__autoscaling": {}}, {"ray__autoscaling__idle_seconds": 60}),
]

DEV: list[dict[str, Any]] = [
    {"bucket__mount__streaming_writes": False},
    *EFFECTS,
    *RAY_EFFECTS,
    *SMALL_RAY_EFFECTS,
    *SMALL_POOL_EFFECTS,
    *(it for it in BUCKET_EFFECTS if "bucket__mount_path" not in it),
    {"bucket__mount_path": "/data"},
    {"cluster__location": "regional"},
    {"gpu_pool__nodes": 2, "gpu_pool__autoscaling": {"min": 0, "max": 2}},
    {"bucket__role": "objectAdmin"},
    {"bucket__force_destroy": False},
    {"ray__operator": "helm"},
    {"ray__autoscaling__min_workers": 1},
    {"ray__autoscaling__idle_seconds": 60},
    {"ray__queue": None},
    {"kueue": None, "ray__queue": None},
]
_B200: dict[str, Any] = {
    "region": "us-east1",
    "zone": "us-east1-b",
    "gpu_pool": {"machine_type": "a4-highgpu-8g", "nodes": 2, "capacity": {"mode": "spot"}},
}
DEV_WITHIN: Within = [
    *_WITHIN,
    (_B200, {"network__accelerators__range": "172.16.0.0/16"}),
    (_B200, {"network__accelerators__prefix_length": 25}),
    (_B200, {"nccl_test": {}}),
]
