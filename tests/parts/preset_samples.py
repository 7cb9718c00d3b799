"""The presets, from which tests of mistakes start."""

from typing import Any

from tests.conftest import changed, stack_config

B200 = stack_config("b200-lustre")
CLASSIFIER = stack_config("gcsfuse-checkpoint")
DEV = stack_config("dev")
ELASTIC = stack_config("tpu-elastic")
MIXED = stack_config("kueue-mixed")
TPU = stack_config("tpu-multislice")
# What makes them ones on Autopilot, which makes the nodes without accelerators itself.
ON_AUTOPILOT: dict[str, Any] = {"cluster": {"mode": "autopilot"}, "pools__cpu": None}
TPU_AUTOPILOT = changed(TPU, **ON_AUTOPILOT)
VERL = stack_config("verl-b200")
VERL_AUTOPILOT = stack_config("verl-b200-autopilot")

# What makes MIXED one on Autopilot, one whose machines Kueue asks for, and one whose nodes it
# chooses.
AUTOPILOT: dict[str, Any] = {
    "cluster__mode": "autopilot",
    "pools__cpu": None,
    "pools__gpu": {"machine_type": "g2-standard-24", "nodes": 3},
}
CHECKED: dict[str, Any] = {
    "pools__gpu__capacity": {"mode": "queued", "max_run_hours": 24},
    "pools__gpu__autoscaling": {"min": 0, "max": 3},
    "queues__admission_checks": {"dws": {}, "other": {}},
    "queues__cluster_queues__cluster-queue__admission_checks": ["dws"],
    "queues__cluster_queues__second": {
        "admission_checks": ["other"],
        "flavors": {
            "default-flavor": {"cpu": 0, "memory_gib": 0, "gpus": 0, "ephemeral_storage_gib": 0}
        },
    },
}
PLACED: dict[str, Any] = {
    "queues__topologies": {"nodes": {}},
    "queues__flavors__default-flavor__topology": "nodes",
}
# Two teams that share two pools.
TEAMS: dict[str, Any] = {
    "servers": None,
    "jobs": None,
    "pools__more": {"machine_type": "g2-standard-24", "nodes": 2, "capacity": {"mode": "spot"}},
    "queues": {
        "namespaces": ["research"],
        "flavors": {"first": {}, "spot": {"pool": "more"}},
        "cluster_queues": {
            "ours": {
                "cohort": "all",
                "flavors": {"first": {"gpus": 2, "borrowing": {"gpus": 2}}, "spot": {}},
            },
            "theirs": {"cohort": "all"},
        },
        "local_queues": [
            {"name": "lq", "cluster_queue": "ours"},
            {"name": "lq", "cluster_queue": "theirs", "namespace": "research"},
        ],
    },
}
