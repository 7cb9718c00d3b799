"""Mistakes in queues, one a line."""

from typing import Any

from tests.parts.refusals import Refused
from tests.parts.samples import DEV, TPU

_FLEX = {"mode": "flex-start"}
_QUEUED = {"mode": "queued"}
_CHECKED: dict[str, Any] = {
    "pools__gpu": {
        "machine_type": "g2-standard-8",
        "nodes": 1,
        "autoscaling": {"min": 0, "max": 1},
        "capacity": _QUEUED,
    },
    "ray__dev__autoscaling": None,
}


QUEUES = [
    Refused(DEV, {"queues": None}, "ray.dev.queue", "the stack has no queues; nearest: leave it"),
    Refused(DEV, {"ray__dev__queue": "lk"}, "ray.dev.queue", "nearest: lq"),
    Refused(
        DEV,
        {"queues__namespaces": ["other"], "queues__local_queues__0__namespace": "other"},
        "ray.dev.queue",
        "nearest: one more in queues.local_queues",
    ),
    Refused(DEV, {"queues__flavors__cpu__pool": "cpux"}, "queues.flavors.cpu.pool", "nearest: cpu"),
    Refused(
        DEV,
        {"queues__flavors__cpu__pool": "gpu"},
        "queues.flavors.cpu.pool",
        "gpu is the flavor l4 already, and would be counted twice; nearest: cpu",
    ),
    Refused(
        DEV,
        {"queues__flavors__cpu": None},
        "ray.dev.queue",
        "nearest: one more of queues.flavors, with pool cpu",
    ),
    Refused(DEV, {"queues__version": "0.1.0"}, "queues.version", "nearest: "),
    Refused(
        DEV,
        {"queues__frameworks": ["batch/job"]},
        "queues.frameworks",
        "without ray.io/raycluster ray.dev would wait in its queue for ever",
    ),
    Refused(
        DEV,
        {"queues__version": "0.16.4"},
        "queues.version",
        "refuses a Ray cluster that scales, in the queue lq; nearest: ",
    ),
    Refused(
        DEV,
        {"pools__gpu__capacity": _FLEX, "queues__ready_minutes": 5},
        "queues.ready_minutes",
        "after 5 minutes Kueue stops what is not ready",
    ),
    Refused(
        DEV,
        {"queues__cluster_queues__gpus__flavors": {"l4": {"gpus": 4}, "cpu": {}}},
        "queues.cluster_queues.gpus.flavors.l4.gpus",
        "4 GPUs are more than the 1 that gpu can ever have (1 x g2-standard-8); nearest: 1",
    ),
    Refused(
        DEV,
        {"queues__cluster_queues__gpus__flavors": {"l5": {}}},
        "queues.cluster_queues.gpus.flavors.l5",
        "there is no such flavor",
    ),
    Refused(
        DEV,
        {"queues__flavors__cpu__topology": "t"},
        "queues.flavors.cpu.topology",
        '"t" is not in queues.topologies; nearest: leave it out, or add that key there',
    ),
    Refused(
        DEV,
        {"queues__cluster_queues__gpus__admission_checks": ["dws"]},
        "queues.cluster_queues.gpus.admission_checks[0]",
        '"dws" is not in queues.admission_checks; nearest: leave it out, or add that key there',
    ),
    Refused(
        DEV,
        {"queues__topologies": {"t": {"levels": ["kubernetes.io/hostname"]}}}
        | {"queues__flavors__cpu__topology": "t"},
        "queues.flavors.cpu.topology",
        "nearest: leave it out, or leave out ray.dev.autoscaling",
    ),
    Refused(
        DEV,
        {**_CHECKED, "queues__admission_checks": {"dws": {}}}
        | {"queues__cluster_queues__gpus__admission_checks": ["dws"]},
        "queues.cluster_queues.gpus.admission_checks",
        "Kueue would ask once more; nearest: leave it out, or leave out ray.dev.queue",
    ),
    Refused(
        {**TPU, "queues": DEV["queues"]},
        {"ray__tpu__queue": "lq", "queues__flavors": {"tpu": {}, "cpu": {"pool": "cpu"}}},
        "ray.tpu.queue",
        "quotas of this stack have no TPU chips; nearest: leave it out",
    ),
]
