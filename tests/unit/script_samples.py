"""Stacks with scripts that users bring."""

from typing import Any

from stacks.config import validate
from stacks.plan import Plan
from tests.conftest import changed

PLACE = {"project": "my-project", "region": "us-central1", "zone": "us-central1-a"}
JOB_SET: dict[str, Any] = {
    "type": "script",
    "file": "train.py",
    "command": ["python3", "$(SCRIPT_DIR)/train.py"],
    "image": "torch:1",
    "requests": {"cpu": 8, "memory_gib": 32},
    "pool": "gpu",
    "nodes": 2,
}
ON_RAY: dict[str, Any] = {
    "type": "script",
    "folder": "code",
    "command": ["python3", "$(SCRIPT_DIR)/tune.py", "--name=a b", "$(EPOCHS"],
    "ray": "small",
}
RAY: dict[str, Any] = {
    "head": {"requests": {"cpu": 1, "memory_gib": 4, "ephemeral_storage_gib": 20}},
    "workers": {
        "gpu": {
            "requests": {"cpu": 8, "memory_gib": 32, "ephemeral_storage_gib": 20},
            "pools": "gpu",
        }
    },
}
STACK: dict[str, Any] = {
    **PLACE,
    "name": "lab",
    "pools": {
        "cpu": {"machine_type": "e2-standard-8", "nodes": 2},
        "gpu": {"machine_type": "g2-standard-24", "nodes": 2},
    },
    "jobs": {"train": JOB_SET},
}
# A server beside it, on a pool of its own.
CHAT: dict[str, Any] = {
    "pools__more": {"machine_type": "g2-standard-24", "nodes": 2},
    "servers": {
        "chat": {
            "model": "Qwen/Qwen2.5-7B-Instruct",
            "gpus": 2,
            "pool": "more",
            "requests": {"cpu": 4, "memory_gib": 30, "ephemeral_storage_gib": 30},
        }
    },
}
# Whole machines with interfaces.
B200: dict[str, Any] = {
    **PLACE,
    "zone": "us-central1-b",
    "name": "lab",
    "pools": {"gpu": {"machine_type": "a4-highgpu-8g", "nodes": 2, "capacity": {"mode": "spot"}}},
    "jobs": {"train": JOB_SET},
}
QUEUES: dict[str, Any] = {
    "frameworks": ["batch/job", "pod", "ray.io/raycluster", "jobset.x-k8s.io/jobset"]
}


def plan_of(stack: dict[str, Any], **values: Any) -> Plan:
    return validate(changed(stack, **values))
