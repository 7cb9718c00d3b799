"""Mistakes in queues, one a line."""

from typing import Any

from tests.parts.refusals import Refused
from tests.parts.samples import AUTOPILOT, DEV, SERVE, TPU

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
_FLAVORS = "queues__cluster_queues__gpus__flavors"
_THREE = {"pools__gpu": {"machine_type": "g2-standard-8", "nodes": 3}}
_NEVER = "are admitted together, and would wait for ever for what gpus never has of"

_SLICES: dict[str, Any] = {
    "queues": {
        "flavors": {"tpu": {"pool": "tpu"}, "cpu": {"pool": "cpu"}},
        "cluster_queues": {"chips": {"cohort": "all", "flavors": {"tpu": {}}}, "rest": {}},
    },
    "ray": None,
    "jobs": None,
}
_CHIPS = "queues__cluster_queues__chips__flavors__tpu"
_ALL_GIVEN: dict[str, Any] = {
    "ray": None,
    "queues": {"flavors": {"l4": {}}, "cluster_queues": {"gpus": {}}},
}


QUEUES = [
    Refused(
        DEV,
        {
            "queues__cluster_queues__gpus": {
                "cohort": "all",
                "preemption": {
                    "reclaim_from_cohort": "Never",
                    "borrow_from_cohort": "LowerPriority",
                },
            }
        },
        "queues.cluster_queues.gpus.preemption.borrow_from_cohort",
        "nobody in order to borrow; nearest: Never, or reclaim_from_cohort LowerPriority",
    ),
    *(
        Refused(
            TPU,
            {**_SLICES, f"{_CHIPS}{limit}": {"chips": 20}},
            f"{_CHIPS}{limit}".replace("__", ".") + ".chips",
            "20 chips are not whole slices of tpu, which have 16 each on several hosts; "
            "nearest: 16",
        )
        for limit in ("", "__borrowing")
    ),
    # Servers and Ray clusters without a queue are on the nodes, too.
    Refused(
        SERVE,
        {
            "jobs": None,
            "servers__gemma__queue": None,
            "servers__gemma__priority": None,
            "queues__cluster_queues__gpus__flavors": {"l4": {"gpus": 5}},
        },
        "queues.cluster_queues.gpus.flavors.l4.gpus",
        "5 GPUs are more than the 4 that gpu can ever have (3 x g2-standard-24, past which "
        "servers.gemma run); nearest: 4",
    ),
    Refused(
        {**DEV, "ray": {"dev": {**DEV["ray"]["dev"], "queue": None, "autoscaling": None}}},
        {"queues__cluster_queues__gpus__flavors": {"l4": {"gpus": 1}, "cpu": {}}},
        "queues.cluster_queues.gpus.flavors.l4.gpus",
        "1 GPUs are more than the 0 that gpu can ever have (1 x g2-standard-8, past which ray.dev "
        "run); nearest: 0",
    ),
    Refused(
        DEV,
        {**_ALL_GIVEN, "teams": {"ml": {"quota": {"gpus": 1}}}},
        "teams.ml.quota.gpus",
        "1 GPUs are more than the 0 that queues leave of all nodes; nearest: 0, or less in queues",
    ),
    Refused(
        DEV,
        {
            **_ALL_GIVEN,
            "pools__gpu__autoscaling__max": 3,
            "queues__cluster_queues__gpus__flavors": {"l4": {"gpus": 1}},
            "teams": {"ml": {"quota": {"gpus": 1}}, "vision": {"quota": {"gpus": 2}}},
        },
        "teams.vision.quota.gpus",
        "2 GPUs are more than the 1 that queues leave of all nodes; nearest: 1, or less in queues",
    ),
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
    Refused(
        DEV,
        {"queues__version": "0.1.0"},
        "queues.version",
        '"0.1.0" is not a release of kueue the catalog knows; nearest: 0.19.2, 0.18.6',
    ),
    Refused(
        DEV,
        {"queues__version": "latest"},
        "queues.version",
        '"latest" is not a release of kueue the catalog knows; nearest: 0.19.2',
    ),
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
        '"l5" is no flavor',
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
        {
            "ray__tpu__queue": "lq",
            "queues__flavors": {"tpu": {}, "cpu": {"pool": "cpu"}},
            _FLAVORS: {"tpu": {"chips": 16}, "cpu": {}},
        },
        "ray.tpu.queue",
        f"the head and 8 workers {_NEVER} tpu: 32 of 16 TPU chips; nearest: a larger quota",
    ),
    # What Ray has to have at once: all workers, or of a cluster that scales one of each group.
    Refused(
        DEV,
        {**_THREE, "ray__dev__autoscaling": None, _FLAVORS: {"l4": {"gpus": 2}, "cpu": {}}},
        "ray.dev.queue",
        f"the head and 3 workers {_NEVER} gpu: 3 of 2 GPUs; nearest: a larger quota",
    ),
    Refused(
        DEV,
        {**_THREE, _FLAVORS: {"l4": {"gpus": 0}, "cpu": {}}},
        "ray.dev.queue",
        f"the head and 1 worker {_NEVER} gpu: 1 of 0 GPUs",
    ),
    Refused(
        DEV,
        {_FLAVORS: {"l4": {}, "cpu": {"cpu": 0.5, "memory_gib": 3}}},
        "ray.dev.queue",
        f"the head and 1 worker {_NEVER} cpu: 1 of 0.5 CPUs, 4 of 3 GiB of memory",
    ),
    Refused(
        DEV,
        {
            **_THREE,
            "ray__dev__workers": {
                "gpu": {**DEV["ray"]["dev"]["workers"]["gpu"], "min_workers": 3},
            },
            _FLAVORS: {"l4": {"gpus": 2}, "cpu": {}},
        },
        "ray.dev.queue",
        f"the head and 3 workers {_NEVER} gpu: 3 of 2 GPUs",
    ),
    Refused(
        DEV,
        {
            **_THREE,
            "jobs": {"images": {"type": "image-classifier"}},
            _FLAVORS: {"l4": {"gpus": 2}, "cpu": {}},
        },
        "ray.dev.queue",
        f"the head and 3 workers {_NEVER} gpu: 3 of 2 GPUs",
    ),
    Refused(
        {**AUTOPILOT, "queues": {**DEV["queues"], "flavors": {"b200": {}}}},
        {"ray__verl__queue": "lq"},
        "ray.verl.queue",
        "which it does not ask Autopilot for, so it would wait for ever; nearest: leave it out",
    ),
]
