"""Mistakes in machines and in what runs on them, one a line."""

from typing import Any

from tests.parts.machine_samples import FALCON, NVLINK
from tests.parts.refusals import Refused
from tests.parts.samples import BARE, RL

_BESIDE: dict[str, Any] = {
    "zone": "us-central1-b",
    "pools__gpu": {"machine_type": "a3-ultragpu-8g", "nodes": 1, "capacity": {"mode": "spot"}},
}

_GPUS = {"machine_type": "a3-ultragpu-8g", "nodes": 1, "capacity": {"mode": "spot"}}
_PODS = {"requests": {"cpu": 8, "memory_gib": 64}}
_SERVER = {"gpus": 1, "requests": {"cpu": 4, "memory_gib": 64, "ephemeral_storage_gib": 80}}
_QUEUES: dict[str, Any] = {
    "flavors": {"one": {"pool": "gb200"}, "two": {"pool": "more"}},
    "cluster_queues": {"all": {"flavors": {"one": {}, "two": {}}}},
    "local_queues": [{"name": "lq", "cluster_queue": "all"}],
    "frameworks": ["jobset.x-k8s.io/jobset"],
}

MACHINES = [
    Refused(
        BARE,
        {"pools": {"cpu": {"machine_type": "g2-standard-24", "nodes": 1}}},
        "pools.cpu",
        "which g2-standard-24 is not for; nearest: another name, or one more pool",
    ),
    Refused(
        BARE,
        {"pools__gpu__max_pods_per_node": 9},
        "pools.gpu.max_pods_per_node",
        "9 pods leave no room for work beside 9 or more that GKE and the stack run on each node; "
        "nearest: 16",
    ),
    Refused(
        RL,
        {"pools__gpu__max_pods_per_node": 12},
        "pools.gpu.max_pods_per_node",
        "beside 12 or more that GKE and the stack run on each node; nearest: 16",
    ),
    Refused(
        NVLINK,
        {"pools__gb200__nodes": 19},
        "pools.gb200.nodes",
        "19 are more than the 18 of one NVLink domain; nearest: 18, or a second pool",
    ),
    Refused(
        NVLINK,
        {"pools__gb200__capacity": {"mode": "spot"}},
        "pools.gb200.capacity.mode",
        "spot is not to be had for a4x-highgpu-4g; nearest: reservation",
    ),
    Refused(
        NVLINK,
        {"pools__gb200__capacity": {"mode": "reservation", "name": "rack"}}
        | {"pools__gb200__compact_placement": True},
        "pools.gb200.compact_placement",
        "a workload policy 1x72 places a4x-highgpu-4g; nearest: false",
    ),
    Refused(
        NVLINK,
        {"pools__gb200__gpus_by": "claim"},
        "pools.gb200.gpus_by",
        "pods have all GPUs of a4x-highgpu-4g; nearest: device-plugin",
    ),
    Refused(
        NVLINK,
        {"cluster": {"mode": "autopilot"}},
        "pools.gb200.machine_type",
        "is made for node pools alone; nearest: a cluster in mode standard",
    ),
    Refused(
        NVLINK,
        {"cluster": {"existing": {"name": "shared", "location": "us-central1"}}},
        "pools.gb200.machine_type",
        "whether the existing one has it; nearest: a cluster of the stack's own",
    ),
    Refused(
        NVLINK,
        {"pools__gpu": _GPUS},
        "pools.gb200.machine_type",
        "and gpu has a3-ultragpu-8g; nearest: a stack for each",
    ),
    Refused(
        NVLINK,
        {"ray": {"app": {"head": _PODS, "workers": {"gb200": _PODS}}}, "jobs": None},
        "ray.app.workers.gb200",
        "and Ray's head is not; nearest: a job of type script on gb200",
    ),
    Refused(
        NVLINK,
        {"servers": {"chat": _SERVER}, "jobs": None},
        "servers.chat.pool",
        "and it has one machine; nearest: another pool with GPUs",
    ),
    Refused(
        NVLINK,
        {"pools__gb200__interfaces": "none", "jobs__train__gpus": 2},
        "jobs.train.gpus",
        "pods have all GPUs of a4x-highgpu-4g; nearest: 4",
    ),
    Refused(
        NVLINK,
        {
            "pools__more": NVLINK["pools"]["gb200"],
            "jobs__train__pool": None,
            "jobs__train__pools": ["gb200", "more"],
            "jobs__train__queue": "lq",
            "queues": _QUEUES,
        },
        "jobs.train.pools",
        "in one NVLink domain, which is that of a pool; nearest: pool: gb200",
    ),
    Refused(
        NVLINK,
        {"cluster": {"version": "1.34.1-gke.1829001"}},
        "cluster.version",
        'nearest: "1.35", with quotes',
    ),
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
        'nearest: "1.35", with quotes',
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
