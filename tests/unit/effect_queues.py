"""Stacks in which fields of queues have an effect."""

from tests.conftest import changed
from tests.parts.samples import BARE, TPU

BLOCKS = ["cloud.google.com/gce-topology-block", "kubernetes.io/hostname"]
CPUS = {"machine_type": "e2-standard-4", "nodes": 2}
_AMOUNTS = {"cpu": 4, "memory_gib": 8, "gpus": 2, "ephemeral_storage_gib": 20}
_LENT = dict.fromkeys(_AMOUNTS, 2)

# Two teams that share two pools.
QUEUES = changed(
    BARE,
    pools={
        "gpu": {"machine_type": "g2-standard-24", "nodes": 3, "compact_placement": True},
        "spot": {
            "machine_type": "g2-standard-24",
            "nodes": 2,
            "compact_placement": True,
            "capacity": {"mode": "spot"},
        },
    },
    queues={
        "namespaces": ["research"],
        "flavors": {
            "first": {"pool": "gpu", "topology": "nodes"},
            "spot": {"pool": "spot", "topology": "nodes"},
        },
        "topologies": {"nodes": {}, "blocks": {"levels": BLOCKS}},
        "cluster_queues": {
            "ours": {
                "cohort": "all",
                "flavors": {
                    "first": {**_AMOUNTS, "borrowing": _AMOUNTS, "lending": _LENT},
                    "spot": {},
                },
            },
            "theirs": {"cohort": "all"},
        },
        "cohorts": {"all": {}},
        "local_queues": [
            {"name": "lq", "cluster_queue": "ours"},
            {"name": "door", "cluster_queue": "theirs", "namespace": "research"},
        ],
        "priorities": [{"name": "usual", "value": 10}, {"name": "first", "value": 20}],
        "workload_priorities": [{"name": "soon", "value": 10}],
    },
)
# A script and a RayCluster that run on the machines that were paid for, or on what is cheap.
_ALIKE = {"machine_type": "g2-standard-24", "nodes": 2}
_POD = {"requests": {"cpu": 1, "memory_gib": 4}}
EITHER = changed(
    BARE,
    pools={
        "reserved": {**_ALIKE, "capacity": {"mode": "reservation", "name": "mine"}},
        "spot": {**_ALIKE, "nodes": 4, "capacity": {"mode": "spot"}},
        "cpu": CPUS,
    },
    queues={
        "flavors": {it: {"pool": it} for it in ("cpu", "reserved", "spot")},
        "cluster_queues": {"gpus": {"cohort": "all", "order": ["spot"]}},
        "local_queues": [{"name": "lq", "cluster_queue": "gpus"}],
        "frameworks": ["pod", "ray.io/raycluster", "jobset.x-k8s.io/jobset"],
    },
    jobs={
        "train": {
            "type": "script",
            "command": ["true"],
            "image": "python:3.12-slim",
            "nodes": 2,
            "pools": ["reserved", "spot"],
            "queue": "lq",
            "requests": {"cpu": 1, "memory_gib": 2},
        }
    },
    ray={
        "either": {
            "queue": "lq",
            "head": _POD,
            "workers": {"gpu": {**_POD, "pools": ["reserved", "spot"]}},
        }
    },
)
_FLAVORS = {"first": {"pool": "gpu"}, "spot": {"pool": "spot"}}
QUEUE_OF_CPUS = changed(QUEUES, pools__cpu=CPUS, queues={"flavors": _FLAVORS})
# Two teams that share the slices of a TPU pool.
_OF_OURS = {"chips": 32, "borrowing": {"chips": 16}, "lending": {"chips": 16}}
QUEUES_OF_CHIPS = changed(
    TPU,
    pools__tpu__slices=4,
    ray=None,
    jobs=None,
    queues={
        "flavors": {"tpu": {"pool": "tpu"}},
        "cluster_queues": {
            "ours": {"cohort": "all", "flavors": {"tpu": _OF_OURS}},
            "theirs": {"cohort": "all"},
        },
        "local_queues": [{"name": "lq", "cluster_queue": "ours"}],
    },
)
# Machines that Kueue asks for.
QUEUED = changed(
    BARE,
    pools={
        "gpu": {
            "machine_type": "g2-standard-24",
            "nodes": 3,
            "capacity": {"mode": "queued", "max_run_hours": 24},
            "autoscaling": {"min": 0, "max": 3},
        }
    },
    queues={
        "flavors": {"l4": {}},
        "admission_checks": {"dws": {}, "other": {}},
        "cluster_queues": {
            "first": {"admission_checks": ["dws"]},
            "second": {"admission_checks": ["other"]},
            "third": {"admission_checks": ["other"]},
        },
        "local_queues": [{"name": "lq", "cluster_queue": "first"}],
    },
)
