"""Mistakes in RayClusters, one a line."""

from typing import Any

from tests.parts.refusals import Refused
from tests.parts.samples import AUTOPILOT, CLASSIFIER, DEV, KEPT, TPU, VERL

_WORKERS = "ray__verl__workers__gpu"
_SMALL = {"requests": {"cpu": 1, "memory_gib": 4, "ephemeral_storage_gib": 20}}
_CLUSTER: dict[str, Any] = {"head": _SMALL, "workers": {"gpu": {**_SMALL, "pools": "gpu"}}}
_SECOND = {"machine_type": "g2-standard-12", "nodes": 1}
_QUEUED = {"mode": "queued"}
_NIGHTLY = "rayproject/ray:nightly-py311"

RAY = [
    Refused(DEV, {"ray__dev__head__pool": "cpux"}, "ray.dev.head.pool", "nearest: cpu"),
    Refused(
        DEV,
        {"ray__dev__workers__gpu__pools": ["gpu", "gpx"]},
        "ray.dev.workers.gpu.pools[1]",
        '"gpx" is no pool of this stack; nearest: gpu',
    ),
    Refused(
        DEV,
        {"ray__dev__mounts": ["bukket"]},
        "ray.dev.mounts[0]",
        '"bukket" is no bucket of this stack, nor its Lustre; nearest: bucket',
    ),
    Refused(
        {**DEV, "buckets": {}},
        {"ray__dev__mounts": ["lustre"]},
        "ray.dev.mounts[0]",
        "nearest: leave it out",
    ),
    Refused(DEV, {"ray__dev__image": _NIGHTLY}, "ray.dev.image", "or ray.dev.nightly true"),
    Refused(
        DEV,
        {"ray__dev__image": "rayproject/ray:2.40.0", "ray__dev__version": "2.41.0"},
        "ray.dev.version",
        "is not the Ray that rayproject/ray:2.40.0 has; nearest: 2.40.0",
    ),
    Refused(
        {**DEV, "ray": {"one": _CLUSTER, "two": _CLUSTER}, "queues": None},
        {},
        "ray.two.workers.gpu.pools",
        "gpu has a worker of ray.one.workers.gpu on each node already",
    ),
    Refused(
        DEV,
        {"ray__dev__workers__gpu__pools": ["gpu", "more"], "pools__more": _SECOND},
        "ray.dev.workers.gpu.pools[1]",
        "more has g2-standard-12, and workers of one group are cut to a g2-standard-8",
    ),
    Refused(
        TPU,
        {"ray__tpu__workers__cpu": {**_SMALL, "pools": "cpu"}},
        "ray.tpu.workers",
        "an image of Ray is for TPUs or for other machines; nearest: a RayCluster for each",
    ),
    Refused(
        DEV,
        {"ray__dev__head__requests__cpu": 64},
        "ray.dev.head.requests.cpu",
        "64 CPUs are more than a node of e2-standard-4 leaves to pods",
    ),
    Refused(
        DEV,
        {"ray__dev__workers__gpu__requests__memory_gib": 400},
        "ray.dev.workers.gpu.requests.memory_gib",
        "400 GiB are more than a node of g2-standard-8 leaves to pods",
    ),
    Refused(
        DEV,
        {"ray__dev__workers__gpu__shm_gib": 17},
        "ray.dev.workers.gpu.shm_gib",
        "is limited to 16 GiB; nearest: 16",
    ),
    Refused(DEV, {"ray__dev__workers__gpu__gpus": 2}, "ray.dev.workers.gpu.gpus", "nearest: 1"),
    Refused(VERL, {f"{_WORKERS}__gpus": 4}, "ray.verl.workers.gpu.gpus", "go to one pod"),
    Refused(
        TPU,
        {"ray__tpu__workers__tpu__gpus": 1},
        "ray.tpu.workers.tpu.gpus",
        "ct6e-standard-4t has no GPUs; nearest: leave it out",
    ),
    Refused(
        AUTOPILOT,
        {"ray__verl__head__pool": "gpu"},
        "ray.verl.head.pool",
        "Autopilot makes the head's node itself; nearest: leave it out",
    ),
    Refused(
        DEV,
        {"ray__dev__head__pool": "gpu"},
        "ray.dev.head.pool",
        "g2-standard-8 has accelerators that the head does not use; nearest: cpu",
    ),
    Refused(
        VERL,
        {"pools__cpu__capacity": {"mode": "spot"}},
        "pools.cpu.capacity.mode",
        "Ray's head is on these machines, and every job goes with it",
    ),
    Refused(
        TPU,
        {"ray__tpu__autoscaling": {}},
        "ray.tpu.autoscaling",
        "a worker is on each slice for as long as the slice is there; nearest: leave it out",
    ),
    Refused(
        DEV,
        {"pools__gpu__capacity": _QUEUED, "ray__dev__queue": None},
        "ray.dev.autoscaling",
        "queued machines come once, for a fixed number of workers; nearest: leave it out",
    ),
    Refused(
        DEV,
        {"ray__dev__workers__gpu__min_workers": 3},
        "ray.dev.workers.gpu.min_workers",
        "3 are more workers than the nodes have room for; nearest: 1",
    ),
    Refused(
        {**DEV, "queues": None},
        {"ray__dev__workers__gpu__pools": ["gpu", "more"], "ray__dev__autoscaling": None}
        | {"ray__dev__queue": None}
        | {"pools__gpu__capacity": _QUEUED, "pools__more": DEV["pools"]["gpu"]},
        "pools.gpu.capacity.mode",
        "so they fill one pool; nearest: flex-start",
    ),
    Refused(
        VERL,
        {f"{_WORKERS}__min_workers": 1},
        "ray.verl.workers.gpu.min_workers",
        "without ray.verl.autoscaling there are all workers at all times; nearest: 0",
    ),
    Refused(
        TPU,
        {"cluster__ray_operator": "helm"},
        "cluster.ray_operator",
        "KubeRay's chart has no webhook for TPUs",
    ),
    Refused(
        DEV,
        {"ray__dev__nccl_test": {}},
        "ray.dev.nccl_test",
        "g2-standard-8 has no RDMA interfaces to test; nearest: leave it out",
    ),
    Refused(
        VERL,
        {
            "ray__verl__nccl_test": {},
            "jobs": {"mine": {"type": "script", "command": ["true"], "ray": "verl"}},
        },
        "ray.verl.nccl_test",
        "of the jobs on verl none is of type nemo-rl or verl; nearest: leave it out",
    ),
    Refused(
        DEV,
        {"ray__dev__head__requests__ephemeral_storage_gib": None},
        "ray.dev.head.requests.ephemeral_storage_gib",
        "none is given, and the kubelet evicts",
    ),
    Refused(
        CLASSIFIER,
        {"buckets__data__mount__sidecar__ephemeral_storage_gib": 0},
        "buckets.data.mount.file_cache_mib",
        "the cache is not counted in; nearest: 0",
    ),
]

_HEAD = "ray.app.head.redis"
_LUSTRE = {"name": "fast", "capacity_gib": 9000, "throughput_mbps_per_tib": 1000}
_QUEUES: dict[str, Any] = {
    "flavors": {"l4": {}, "cpu": {"pool": "cpu"}},
    "cluster_queues": {"gpus": {}},
    "local_queues": [{"name": "lq", "cluster_queue": "gpus"}],
}
_EVERYBODYS = {**_QUEUES, "local_queues": [{"name": "default", "cluster_queue": "gpus"}]}
_CPUS = {"machine_type": "e2-standard-4", "nodes": 2}

REDIS = [
    Refused(KEPT, {"redis": None}, _HEAD, "the stack has no Redis; nearest: false, or redis: {}"),
    Refused(
        KEPT,
        {"ray__app__head__redis": None},
        "redis",
        "no RayCluster keeps anything there; nearest: leave it out, or ray.app.head.redis true",
    ),
    Refused(KEPT, {"ray": None}, "redis", "keeps anything there; nearest: leave it out"),
    Refused(
        KEPT,
        {"pools__cpu": _CPUS, "queues": _QUEUES, "ray__app__queue": "lq"},
        _HEAD,
        "the RayCluster in the queue lq could never go; nearest: false",
    ),
    Refused(
        KEPT,
        {"pools__cpu": _CPUS, "queues": _EVERYBODYS},
        _HEAD,
        "the RayCluster in the queue default could never go; nearest: false",
    ),
    Refused(
        KEPT,
        {"cluster__mode": "autopilot"},
        _HEAD,
        "the RayCluster could never go; nearest: false, or cluster.mode standard",
    ),
    Refused(
        KEPT,
        {"ray__app__version": "2.37.0", "ray__app__image": "registry/name:1.2.3"},
        "ray.app.version",
        "not of 2.37.0; nearest: 2.38.0, or ray.app.head.redis false",
    ),
    Refused(
        KEPT,
        {"lustre": _LUSTRE, "network__peering": "10.20.2.0/23"},
        "network.peering",
        "10.20.2.0/23 is filled by Lustre, and Redis takes 8 addresses more; nearest: 10.20.0.0/22",
    ),
    Refused(KEPT, {"redis__memory_gib": 301}, "redis.memory_gib", "nearest: 300"),
    Refused(KEPT, {"redis__name": "k" * 41}, "redis.name", "a Redis instance name has at most 40"),
    Refused(KEPT, {"redis__tier": "STANDARD"}, "redis.tier", "nearest: STANDARD_HA"),
    Refused(KEPT, {"redis__version": "REDIS_7_1"}, "redis.version", "nearest: REDIS_7_"),
]
