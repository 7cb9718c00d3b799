"""A stack whose pods claim GPUs with the interfaces beside them: workers, a script and a server."""

from typing import Any

from tests.conftest import changed
from tests.parts.samples import TWO_ZONES

_SMALL = {"cpu": 4, "memory_gib": 64, "ephemeral_storage_gib": 80}
CLAIMED: dict[str, Any] = changed(
    TWO_ZONES,
    name="pairs",
    pools={
        "cpu": {"machine_type": "e2-standard-8", "nodes": 2},
        "gpu": {
            "machine_type": "a4-highgpu-8g",
            "nodes": 1,
            "capacity": {"mode": "spot"},
            "gpus_by": "claim",
        },
    },
    ray={
        "app": {
            "head": {"requests": {"cpu": 1, "memory_gib": 4}},
            "workers": {"gpu": {"gpus": 4, "requests": {"cpu": 8, "memory_gib": 64}}},
        }
    },
    jobs={
        "tune": {
            "type": "script",
            "image": "python:3.12",
            "command": ["python3", "-c", "print(1)"],
            "gpus": 2,
            "requests": {"cpu": 4, "memory_gib": 16, "ephemeral_storage_gib": 20},
        }
    },
    servers={"chat": {"gpus": 1, "requests": _SMALL}},
)
