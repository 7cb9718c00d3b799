"""Mistakes in whose networks further interfaces are in, one a line."""

from tests.parts.claim_samples import CLAIMED
from tests.parts.refusals import Refused, dcn
from tests.parts.samples import AUTOPILOT, BARE, RL, TPU, TWO_ZONES

INTERFACES = [
    Refused(
        RL,
        {"pools__gpu__interfaces": "managed", "network": {"accelerators": {"prefix_length": 25}}},
        "network.accelerators",
        "GKE makes the networks of the further interfaces; nearest: leave it out",
    ),
    Refused(
        RL,
        {"pools__gpu__interfaces": "managed", "cluster": {"version": "1.34.1-gke.1829000"}},
        "pools.gpu.interfaces",
        "GKE makes networks from 1.34.1-gke.1829001 on; nearest: own",
    ),
    Refused(
        {**RL, "region": "us-central1", "zone": "us-central1-c", "lustre": None, "jobs": None},
        {
            "pools__gpu__machine_type": "a3-megagpu-8g",
            "pools__gpu__interfaces": "managed",
        },
        "pools.gpu.interfaces",
        "tpu7x-standard-4t, and not for a3-megagpu-8g; nearest: own",
    ),
    Refused(
        AUTOPILOT,
        {
            "pools__gpu__interfaces": "managed",
            "cluster": {"mode": "autopilot", "version": "1.35.2-gke.1841999"},
        },
        "pools.gpu.interfaces",
        "GKE makes networks from 1.35.2-gke.1842000 on; nearest: own",
    ),
    Refused(
        BARE,
        {"pools__gpu__interfaces": "own"},
        "pools.gpu.interfaces",
        "g2-standard-24 has no further interfaces; nearest: none",
    ),
    Refused(
        {**TPU, "cluster": {"mode": "autopilot"}, "pools": {"tpu": TPU["pools"]["tpu"]}},
        {"pools__tpu__interfaces": "own"},
        "pools.tpu.interfaces",
        "Autopilot connects slices by networks of its own; nearest: managed, or none",
    ),
    Refused(
        TPU,
        {
            "pools__gpu": {
                "machine_type": "a3-ultragpu-8g",
                "nodes": 1,
                "interfaces": "own",
                "capacity": {"mode": "spot"},
            }
        },
        "pools.tpu.interfaces",
        "the same interfaces of a cluster; nearest: none, or a stack for each",
    ),
    Refused(
        TWO_ZONES,
        {"pools__second__interfaces": "managed"},
        "pools.second.interfaces",
        "the same interfaces of a cluster; nearest: own, or a stack for each",
    ),
    Refused(
        TPU,
        {"pools__tpu__interfaces": "managed", **dcn("a 10.50.0.0/16")},
        "network.dcn",
        "GKE makes the networks between the slices; nearest: leave it out",
    ),
    Refused(
        CLAIMED,
        {"pools__gpu__gpus_by": "device-plugin"},
        "jobs.tune.gpus",
        "would leave the others without a network, for its interfaces go to one pod; nearest: 8",
    ),
    Refused(
        CLAIMED,
        {"pools__gpu__interfaces": "own"},
        "pools.gpu.gpus_by",
        "interfaces own have no interface to claim beside each GPU; nearest: device-plugin",
    ),
    Refused(
        BARE,
        {"pools__gpu__gpus_by": "claim"},
        "pools.gpu.gpus_by",
        "interfaces none have no interface to claim beside each GPU; nearest: device-plugin",
    ),
    Refused(
        CLAIMED,
        {"pools__gpu__driver_version": "default"},
        "pools.gpu.driver_version",
        "installs the latest driver; nearest: leave it out",
    ),
    Refused(
        CLAIMED,
        {
            "pools__gpu__capacity": {"mode": "queued"},
            "pools__gpu__autoscaling": {"min": 0, "max": 1},
        },
        "pools.gpu.gpus_by",
        "queued machines come by a request, which counts no claims; nearest: device-plugin",
    ),
    Refused(
        CLAIMED,
        {
            "pools__gpu__capacity": {"mode": "flex-start"},
            "pools__gpu__autoscaling": {"min": 0, "max": 1},
        },
        "pools.gpu.gpus_by",
        "knows no PCIe root of one that does not exist yet; nearest: device-plugin",
    ),
    Refused(
        CLAIMED,
        {"pools__gpu__autoscaling": {"min": 1, "max": 2}},
        "pools.gpu.autoscaling",
        "does not exist yet; nearest: leave it out, and the pool has its 1 machine at all times",
    ),
    Refused(
        AUTOPILOT,
        {"pools__gpu__gpus_by": "claim"},
        "pools.gpu.gpus_by",
        "Autopilot has no nodes whose GPUs pods could claim; nearest: device-plugin",
    ),
    Refused(
        CLAIMED,
        {"pools__cpu__gpus_by": "claim"},
        "pools.cpu.gpus_by",
        "e2-standard-8 has no accelerators, and takes none; nearest: leave it out",
    ),
    Refused(
        CLAIMED,
        {
            "jobs": {"gemma": {"type": "fine-tune", "pods": 1, "gpus": 1}},
            "buckets": {"data": {"hierarchical_namespace": False}},
            "queues": {
                "flavors": {"cpus": {"pool": "cpu"}},
                "cluster_queues": {"all": {"flavors": {"cpus": {}}}},
                "local_queues": [{"name": "lq", "cluster_queue": "all"}],
            },
        },
        "jobs.gemma.pool",
        "by which pods have the GPUs of gpu; nearest: a pool with gpus_by device-plugin",
    ),
    Refused(
        CLAIMED,
        {"cluster": {"existing": {"name": "shared", "location": "us-west3-b"}}},
        "pools.gpu.gpus_by",
        "whether the existing one has it; nearest: device-plugin",
    ),
    Refused(
        CLAIMED,
        {
            "pools__more": {"machine_type": "e2-standard-4", "nodes": 1},
            "queues": {
                "flavors": {"more": {"pool": "more"}},
                "cluster_queues": {"more": {}},
            },
            "teams": {"ml": {"queue": "more"}},
        },
        "teams.ml.queue",
        "past the queue more; nearest: pools.gpu.gpus_by device-plugin",
    ),
    Refused(
        CLAIMED,
        {"teams": {"ml": {"quota": {"gpus": 4}}}},
        "teams.ml.quota.gpus",
        "those of gpu claim theirs past it; nearest: pools.gpu.gpus_by device-plugin",
    ),
    Refused(
        CLAIMED,
        {
            "queues": {
                "flavors": {"b200": {"pool": "gpu"}},
                "cluster_queues": {"all": {"flavors": {"b200": {}}}},
                "local_queues": [{"name": "lq", "cluster_queue": "all"}],
            }
        },
        "queues.flavors.b200.pool",
        "give them out without end; nearest: another pool, or pools.gpu.gpus_by device-plugin",
    ),
]
