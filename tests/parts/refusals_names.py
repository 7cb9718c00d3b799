"""Names that would be those of two objects, one a line."""

from typing import Any

from tests.parts.refusals import Refused
from tests.parts.samples import CLASSIFIER, DEV, SERVE, SERVE_ALONE

_WORKERS: dict[str, Any] = DEV["ray"]["dev"]["workers"]["gpu"]
_SERVER: dict[str, Any] = {
    "pool": "more",
    "gpus": 2,
    "requests": {"cpu": 4, "memory_gib": 30, "ephemeral_storage_gib": 30},
}

NAMES = [
    Refused(
        SERVE_ALONE,
        {"namespace": "default", "servers": {"kubernetes": SERVE_ALONE["servers"]["gemma"]}},
        "servers.kubernetes",
        'its Service is "kubernetes", which the API server has one of already; nearest: another',
    ),
    Refused(
        CLASSIFIER,
        {
            "pools__more": {"machine_type": "g2-standard-24", "nodes": 1},
            "ray__classifier__workers__gpu__pools": "gpu",
            "servers": {"classifier-head-svc": _SERVER},
        },
        "ray.classifier",
        'its Service is "classifier-head-svc", which servers.classifier-head-svc has one of',
    ),
    Refused(
        SERVE,
        {
            "jobs__a": {
                "type": "script",
                "command": ["true"],
                "image": "python:3.13",
                "requests": {"cpu": 1, "memory_gib": 1},
            },
            "jobs__tune": None,
            "jobs__a-node-0": SERVE["jobs"]["tune"],
        },
        "jobs.a",
        'its Job is "a-node-0", which jobs.a-node-0 has one of already; nearest: another name',
    ),
    Refused(
        DEV,
        {"ray__dev__workers": {"g" * 64: _WORKERS}},
        f"ray.dev.workers.{'g' * 64}",
        "a worker group's name has at most 63; nearest: ",
    ),
    Refused(
        DEV,
        {"ray__dev__workers": {"head": _WORKERS}},
        "ray.dev.workers.head",
        "Kueue has the head's pods by this name; nearest: another name",
    ),
]
