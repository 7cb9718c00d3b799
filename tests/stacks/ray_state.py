"""A stack whose Ray head keeps what it knows in Redis."""

from __future__ import annotations

from typing import Any

from sandbox.cloud.kinds.redis import RedisInstance
from tests.stacks.conftest import Sandbox

STACK: dict[str, Any] = {
    "name": "ray-state",
    "namespace": "ml",
    "deletion_protection": False,
    "cluster": {"location": "zonal"},
    "pools": {
        "cpu": {"machine_type": "e2-standard-4", "nodes": 2},
        "gpu": {"machine_type": "g2-standard-8", "nodes": 1},
    },
    "redis": {},
    "ray": {
        "app": {
            "head": {"requests": {"cpu": 1, "memory_gib": 4}, "redis": True},
            "workers": {"gpu": {"requests": {"cpu": 4, "memory_gib": 16}}},
        }
    },
}
STORAGE = "RAY_external_storage_namespace"


def redis_of(sandbox: Sandbox) -> dict[str, Any]:
    """What Google says of the instance, with its password."""
    (found,) = sandbox.cloud.find(RedisInstance.token)
    return dict(found.outputs)


def environment(pod: dict[str, Any]) -> dict[str, Any]:
    """The variables of Ray's container, by name."""
    return {it["name"]: it for it in pod["spec"]["containers"][0].get("env", [])}
