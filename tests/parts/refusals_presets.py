"""Mistakes in the presets between their parts, one a line."""

from tests.parts.preset_samples import B200, CLASSIFIER, DEV, VERL, VERL_AUTOPILOT
from tests.parts.refusals import Refused

_RL = "jobs__nemo-rl-grpo-test1"
_RL_FIELD = "jobs.nemo-rl-grpo-test1"
_WORKERS = "ray__b200-ray-cluster__workers__gpu-worker-group"
_WORKERS_FIELD = "ray.b200-ray-cluster.workers.gpu-worker-group"

PRESETS = [
    Refused(
        B200,
        {"cluster": {"version": "1.32.2"}},
        "cluster.version",
        'older than lustre_csi needs; nearest: "1.35", with quotes',
    ),
    Refused(
        B200,
        {"network": {"services": "10.8.16.0/20"}},
        "network.services",
        "overlaps pods 10.8.0.0/16; nearest: 10.0.16.0/20",
    ),
    Refused(
        B200,
        {"network": {"peering": "10.0.2.0/23"}},
        "network.peering",
        "overlaps subnet 10.0.0.0/20; nearest: 10.0.16.0/23",
    ),
    Refused(
        B200,
        {f"{_RL}__train_global_batch_size": 2},
        f"{_RL_FIELD}.train_global_batch_size",
        "not shared out evenly among 4 copies of the model; nearest: 4",
    ),
    Refused(
        B200,
        {"pools__gpu__nodes": 10},
        f"{_RL_FIELD}.prompts_per_step",
        "not shared out evenly among 5 copies of the model; nearest: 30",
    ),
    Refused(
        B200,
        {f"{_RL}__checkpoints__period": 21},
        f"{_RL_FIELD}.checkpoints.period",
        "never reached in 20; nearest: 20",
    ),
    Refused(
        VERL_AUTOPILOT,
        {"pools__gpu__capacity": {"mode": "queued"}},
        "pools.gpu.capacity.mode",
        "nearest: spot, reservation",
    ),
    Refused(
        VERL_AUTOPILOT,
        {"pools__gpu__capacity": {"mode": "any-reservation"}},
        "pools.gpu.capacity.mode",
        "nearest: spot, reservation",
    ),
    Refused(
        VERL_AUTOPILOT,
        {"cluster": {"mode": "autopilot", "version": "1.30.1-gke.1000000"}},
        "cluster.version",
        'is older than multi_network_autopilot needs; nearest: "1.35", with quotes',
    ),
    Refused(
        VERL_AUTOPILOT,
        {"ray__b200-ray-cluster__head__requests__cpu": 30},
        "ray.b200-ray-cluster.head.requests.cpu",
        "more than a node of c2-standard-30 leaves to pods; nearest: 29",
    ),
    Refused(
        VERL_AUTOPILOT,
        {"ray__b200-ray-cluster__nccl_test": {}, "pools__gpu__nodes": 1},
        "ray.b200-ray-cluster.nccl_test",
        "there is one; nearest: nodes 2, or leave it out",
    ),
    Refused(
        CLASSIFIER,
        {"buckets__bucket__mount__file_cache_mib": 10240},
        "buckets.bucket.mount.file_cache_mib",
        "10240 MiB do not fit the sidecar's 10 GiB of disk, which holds the cache; nearest: 10239",
    ),
    Refused(
        CLASSIFIER,
        {"ray__gcsfuse-checkpoint__head__requests__ephemeral_storage_gib": 12},
        "ray.gcsfuse-checkpoint.head.requests.ephemeral_storage_gib",
        "12 GiB are less than the 13 that the pod writes to its node's disk; nearest: 13",
    ),
    Refused(
        CLASSIFIER,
        {"buckets__bucket__mount__metadata_prefetch": True},
        "buckets.bucket.mount.metadata_prefetch",
        "believed for 0 seconds (metadata_ttl_s); nearest: false",
    ),
    Refused(
        CLASSIFIER,
        {"buckets__bucket__mount__sidecar": {"memory_gib": 25}},
        "ray.gcsfuse-checkpoint.workers.gpu-worker-group.requests.memory_gib",
        "16 GiB with the container that mounts buckets, 25 GiB, are more than a node of "
        "g2-standard-8 leaves to pods; nearest: 1",
    ),
    Refused(
        VERL,
        {
            "network": {"accelerators": {"prefix_length": 28}},
            "pools__gpu__autoscaling": {"min": 0, "max": 12},
            "pools__more": {
                "machine_type": "a4-highgpu-8g",
                "nodes": 1,
                "capacity": {"mode": "spot"},
            },
        },
        "network.accelerators.prefix_length",
        "a /28 has addresses for 12 nodes, and the pool can grow to 13; nearest: 27",
    ),
    Refused(
        VERL,
        {"network": {"accelerators": {"range": "10.8.0.0/16"}}},
        "network.accelerators.range",
        "overlaps pods 10.8.0.0/16; nearest: 10.1.0.0/16",
    ),
    Refused(
        VERL,
        {"pools__gpu__capacity__zone": "us-central1-a"},
        "pools.gpu.capacity.zone",
        "nearest: gcp:zone us-central1-a, or a reservation in us-central1-b",
    ),
    Refused(
        VERL,
        {"cluster": {"version": "1.32.1-gke.1800000"}},
        "cluster.version",
        'is older than a4_rdma needs; nearest: "1.35", with quotes',
    ),
    Refused(
        VERL,
        {"cluster": {"version": "1.32.1-gke.1729000"}},
        "cluster.version",
        'nearest: "1.35", with quotes',
    ),
    Refused(
        VERL,
        {
            "cluster": {"version": "1.32.2-gke.1475000"},
            "pools__gpu__capacity": {"mode": "flex-start"},
            "pools__gpu__autoscaling": {"min": 0, "max": 4},
        },
        "cluster.version",
        'is older than flex_start needs; nearest: "1.35", with quotes',
    ),
    Refused(VERL, {"name": "google-verl"}, "buckets.bucket.name", "nearest: my-verl-my-project"),
    Refused(
        VERL,
        {"buckets__bucket__versioning": True, "buckets__bucket__hierarchical_namespace": True},
        "buckets.bucket.versioning",
        "nearest: false, or hierarchical_namespace false",
    ),
    Refused(
        VERL,
        {f"{_WORKERS}__requests__cpu": 223},
        f"{_WORKERS_FIELD}.requests.cpu",
        "more than a node of a4-highgpu-8g leaves to pods; nearest: 220",
    ),
    Refused(
        VERL,
        {f"{_WORKERS}__requests__memory_gib": 3815},
        f"{_WORKERS_FIELD}.requests.memory_gib",
        "nearest: 3814",
    ),
    Refused(
        VERL,
        {f"{_WORKERS}__requests__ephemeral_storage_gib": 10605},
        f"{_WORKERS_FIELD}.requests.ephemeral_storage_gib",
        "more than a node of a4-highgpu-8g leaves to pods; nearest: 10604",
    ),
    Refused(
        VERL,
        {"ray__b200-ray-cluster__head__requests__ephemeral_storage_gib": 200},
        "ray.b200-ray-cluster.head.requests.ephemeral_storage_gib",
        "nearest: 92",
    ),
    Refused(
        VERL,
        {
            "ray__b200-ray-cluster__nccl_test": {},
            "pools__gpu__nodes": 1,
            "pools__gpu__autoscaling": None,
        },
        "ray.b200-ray-cluster.nccl_test",
        "the test runs between two nodes, and there is one; nearest: nodes 2, or leave it out",
    ),
    Refused(
        DEV,
        {
            "pools__gpu__capacity": {"mode": "flex-start"},
            "pools__gpu__autoscaling": {"min": 0, "max": 1},
            "pools__gpu__compact_placement": True,
        },
        "pools.gpu.compact_placement",
        "flex-start places only machines with RDMA compactly, not g2-standard-8; nearest: false",
    ),
    Refused(
        DEV,
        {
            "catalog": {
                "machine_types": {
                    "g9-standard-8": {
                        "vcpus": 8,
                        "memory_gib": 32,
                        "accelerator": {
                            "kind": "gpu",
                            "type": "nvidia-next",
                            "count": 1,
                            "memory_gib": 24,
                        },
                        "boot_disk_types": ["pd-balanced"],
                    }
                },
                "zones": {"us-central1-a": {"offers": ["g9-standard-8"]}},
            },
            "pools__gpu__machine_type": "g9-standard-8",
            "pools__gpu__compact_placement": True,
        },
        "pools.gpu.compact_placement",
        "g9-standard-8 cannot be placed compactly; nearest: false",
    ),
]
