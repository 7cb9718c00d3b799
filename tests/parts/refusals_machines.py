"""Mistakes in machines and in what runs on them, one a line."""

from typing import Any

from tests.parts.machine_samples import FALCON
from tests.parts.refusals import Refused
from tests.parts.samples import BARE

_BESIDE: dict[str, Any] = {
    "zone": "us-central1-b",
    "pools__gpu": {"machine_type": "a3-ultragpu-8g", "nodes": 1, "capacity": {"mode": "spot"}},
}

MACHINES = [
    Refused(
        FALCON,
        {"pools__h4d__interfaces": "managed"},
        "pools.h4d.interfaces",
        "and not for h4d-standard-192; nearest: own",
    ),
    Refused(
        FALCON,
        {**_BESIDE, "pools__h4d__interfaces": "own", "pools__gpu__interfaces": "managed"},
        "pools.gpu.interfaces",
        "the same interfaces of a cluster; nearest: own, or a stack for each",
    ),
    Refused(
        FALCON,
        {"pools__h4d__capacity": {"mode": "queued"}},
        "pools.h4d.capacity.mode",
        "nearest: on-demand, spot, reservation, any-reservation, flex-start",
    ),
    Refused(
        FALCON,
        {"zone": "us-central1-c"},
        "pools.h4d.machine_type",
        "as far as the catalog knows; nearest: the zone us-central1-a, us-central1-b",
    ),
    Refused(
        FALCON,
        {"cluster": {"version": "1.33.2-gke.4730999"}},
        "cluster.version",
        "nearest: 1.33.2-gke.4731000",
    ),
    Refused(
        FALCON,
        {"network": {"accelerators": {"prefix_length": 29}}, "pools__h4d__nodes": 5},
        "network.accelerators.prefix_length",
        "a /29 has addresses for 4 nodes, and the pool can grow to 5; nearest: 28",
    ),
    Refused(
        BARE,
        {
            "pools__gpu__capacity": {
                "mode": "reservation",
                "name": "past",
                "ends": "2026-01-01T00:00:00Z",
            }
        },
        "pools.gpu.capacity.ends",
        "machines went with it; nearest: mode flex-start, or another reservation",
    ),
    Refused(
        BARE,
        {"pools__cpu": {"machine_type": "e2-standard-4", "nodes": 1, "taints": [{"key": "a"}]}},
        "pools.cpu.taints",
        "nodes for them; nearest: leave it out, or one more pool without",
    ),
]
