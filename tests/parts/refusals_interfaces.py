"""Mistakes in whose networks further interfaces are in, one a line."""

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
        {"pools__gpu__interfaces": "managed"},
        "pools.gpu.interfaces",
        "by which Autopilot would make their networks; nearest: own",
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
]
