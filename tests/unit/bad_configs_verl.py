"""Mistakes in the verl stacks' configs, one a line, and how the message about each ends."""

from typing import Any

Bad = list[tuple[dict[str, Any], str, str]]
_MORE = {"machine_type": "a4-highgpu-8g", "nodes": 1, "capacity": {"mode": "spot"}}
_PLAIN_GPU = {
    "vcpus": 8,
    "memory_gib": 32,
    "accelerator": {
        "kind": "gpu",
        "type": "nvidia-next",
        "count": 1,
        "memory_gib": 24,
        "marketing_name": "Next",
    },
    "boot_disk_types": ["pd-balanced"],
}
_OF_AN_A4 = "flex-start, queued, reservation, spot"
_NO_PREFERENCE = "any-reservation, flex-start, on-demand, queued, reservation, spot"

# (what is set in verl-b200, by path; the field that is named; the end of the message)
BAD_STANDARD: Bad = [
    # Places
    ({"zone": "us-central1-a"}, "gcp:zone", "nearest: us-central1-b"),
    (
        {"zone": "us-central1-a"},
        "stack.gpu_pool.machine_type",
        'us-central1-b, us-east1-b, us-east4-b. A newer offer can be added under "catalog.zones"',
    ),
    # Ranges
    (
        {"network": {"accelerators": {"range": "192.168.0.0/21"}}},
        "stack.network.accelerators.range",
        "does not hold the 9 subnetworks of /24 that the interfaces of a4-highgpu-8g need; "
        "nearest: 192.168.0.0/20",
    ),
    (
        {"network": {"accelerators": {"prefix_length": 29}}},
        "stack.network.accelerators.prefix_length",
        "a /29 has addresses for 4 nodes, and the pool can grow to 10; nearest: 28",
    ),
    (
        {"network": {"accelerators": {"prefix_length": 28}}, "extra_gpu_pools": {"more": _MORE}}
        | {"gpu_pool__autoscaling": {"min": 0, "max": 12}},
        "stack.network.accelerators.prefix_length",
        "a /28 has addresses for 12 nodes, and the pool can grow to 13; nearest: 27",
    ),
    (
        {"network": {"accelerators": {"range": "10.8.0.0/16"}}},
        "stack.network.accelerators.range",
        "overlaps pods 10.8.0.0/16; nearest: 10.1.0.0/16",
    ),
    (
        {"network": {"accelerators": {"range": "192.168.5.0/16"}}},
        "stack.network.accelerators.range",
        "nearest: 192.168.0.0/16",
    ),
    # Capacity
    (
        {"gpu_pool__capacity__zone": "us-central1-a"},
        "stack.gpu_pool.capacity.zone",
        "nearest: gcp:zone us-central1-a, or a reservation in us-central1-b",
    ),
    (
        {"gpu_pool__capacity__machine_type": "a3-ultragpu-8g"},
        "stack.gpu_pool.capacity.machine_type",
        "nearest: gpu_pool.machine_type a3-ultragpu-8g",
    ),
    (
        {"gpu_pool__capacity__sub_block": "s"},
        "stack.gpu_pool.capacity.sub_block",
        "none is named; nearest: set gpu_pool.capacity.block",
    ),
    (
        {"gpu_pool__capacity__name": None},
        "stack.gpu_pool.capacity.name",
        "set it with: pulumi config set --path stack.gpu_pool.capacity.name VALUE",
    ),
    ({"gpu_pool__capacity": {}}, "stack.gpu_pool.capacity.mode", f"nearest: {_OF_AN_A4}"),
    (
        {"gpu_pool__capacity": {"name": "r"}},
        "stack.gpu_pool.capacity.mode",
        f"missing; nearest: {_NO_PREFERENCE}",
    ),
    ({"gpu_pool__capacity": "spot"}, "stack.gpu_pool.capacity", "nearest: a block of keys"),
    (
        {"gpu_pool__capacity": None},
        "stack.gpu_pool.capacity.mode",
        "on-demand is not to be had for a4-highgpu-8g; "
        "nearest: spot, reservation, flex-start, queued",
    ),
    (
        {
            "gpu_pool__capacity": {"mode": "flex-start", "max_run_hours": 200},
            "gpu_pool__autoscaling": {"min": 0, "max": 4},
        },
        "stack.gpu_pool.capacity.max_run_hours",
        "nearest: 168",
    ),
    (
        {"cpu_pool__capacity": {"mode": "flex-start"}},
        "stack.cpu_pool.capacity.mode",
        "flex-start is not to be had for c2-standard-16; "
        "nearest: on-demand, reservation, any-reservation",
    ),
    # More pools
    (
        {"extra_gpu_pools": {"more": {**_MORE, "machine_type": "a3-ultragpu-8g"}}},
        "stack.extra_gpu_pools.more.machine_type",
        "and this pool has a3-ultragpu-8g; nearest: a4-highgpu-8g",
    ),
    (
        {"extra_gpu_pools": {"More": _MORE}},
        "stack.extra_gpu_pools.More",
        "is not a short name for a pool; nearest: one like spot",
    ),
    (
        {"extra_gpu_pools": {"more": {**_MORE, "capacity": {"mode": "sport"}}}},
        "stack.extra_gpu_pools.more.capacity.mode",
        "nearest: spot",
    ),
    # Mode
    ({"cluster": {"mode": "autopilt"}}, "stack.cluster.mode", "nearest: autopilot"),
    ({"cluster": {"mode": "Standard"}}, "stack.cluster.mode", "nearest: standard"),
    ({"cluster": {"mode": 7}}, "stack.cluster.mode", "7: not one of them; nearest: autopilot"),
    ({"cluster": "autopilot"}, "stack.cluster", "nearest: a block of keys"),
    ({"cluster": {"mode": "standard", "nme": "x"}}, "stack.cluster.nme", "nearest: name"),
    (
        {"gpu_nodes": {"machine_type": "a4-highgpu-8g", "nodes": 2}},
        "stack.gpu_nodes",
        "nearest: gpu_pool with the same keys",
    ),
    (
        {"gpu_pool": None},
        "stack.gpu_pool",
        "nearest: gpu_pool, or cluster.mode autopilot with gpu_nodes",
    ),
    # Versions
    (
        {"cluster": {"version": "1.32.1-gke.1800000"}},
        "stack.cluster.version",
        "is older than a4_rdma needs; nearest: 1.32.2-gke.1475000",
    ),
    (
        {"cluster": {"version": "1.32.1-gke.1729000"}},
        "stack.cluster.version",
        "nearest: 1.32.2-gke.1475000",
    ),
    (
        {
            "cluster": {"version": "1.32.2-gke.1475000"},
            "gpu_pool__capacity": {"mode": "flex-start"},
            "gpu_pool__autoscaling": {"min": 0, "max": 4},
        },
        "stack.cluster.version",
        "is older than flex_start needs; nearest: 1.32.2-gke.1652000",
    ),
    # Bucket
    (
        {"name": "v" * 36, "project": "p" * 30},
        "stack.bucket.name",
        f"a bucket name has at most 63; nearest: {'v' * 36}-",
    ),
    ({"bucket__name": "my-google-data"}, "stack.bucket.name", "nearest: my-my-data"),
    ({"name": "google-verl"}, "stack.bucket.name", "nearest: my-verl-my-project"),
    ({"bucket__soft_delete_days": 3}, "stack.bucket.soft_delete_days", "nearest: 7"),
    ({"bucket__soft_delete_days": 91}, "stack.bucket.soft_delete_days", "nearest: 90"),
    (
        {"bucket__hierarchical_namespace": True},
        "stack.bucket.force_destroy",
        "so it would stop at them; nearest: false, or hierarchical_namespace false",
    ),
    (
        {"bucket__versioning": True, "bucket__hierarchical_namespace": True},
        "stack.bucket.versioning",
        "nearest: false, or hierarchical_namespace false",
    ),
    ({"bucket__mount_path": "data"}, "stack.bucket.mount_path", "nearest: one like /lustre"),
    (
        {"bucket__mount__write_global_max_blocks": 4},
        "stack.bucket.mount.write_global_max_blocks",
        "the others go to the sidecar's disk first; nearest: 8",
    ),
    (
        {"bucket__mount__write_global_max_blocks": 200000},
        "stack.bucket.mount.write_global_max_blocks",
        "nearest: 1600",
    ),
    (
        {"bucket__mount__metadata_ttl_s": -1}
        | {"bucket__mount__stat_cache_mib": 512, "bucket__mount__sidecar": {"memory_gib": 1}},
        "stack.bucket.mount.sidecar.memory_gib",
        "and what is known of others take; nearest: 2",
    ),
    ({"bucket__mount__type_cache_mib": 4}, "stack.bucket.mount.type_cache_mib", "stat_cache_mib"),
    # Ray
    (
        {"ray__worker__requests__cpu": 223},
        "stack.ray.worker.requests.cpu",
        "more than a node of a4-highgpu-8g leaves to pods; nearest: 220",
    ),
    (
        {"ray__worker__requests__memory_gib": 3782},
        "stack.ray.worker.requests.memory_gib",
        "nearest: 3780",
    ),
    (
        {"ray__worker__requests__ephemeral_storage_gib": 10696},
        "stack.ray.worker.requests.ephemeral_storage_gib",
        "more than a node of a4-highgpu-8g leaves to pods; nearest: 10695",
    ),
    (
        {"ray__worker__limits": {"cpu": 220, "memory_gib": 2800, "ephemeral_storage_gib": 9}},
        "stack.ray.worker.limits.ephemeral_storage_gib",
        "9 GiB are below the request; nearest: 1000",
    ),
    ({"ray__worker__gpus": 9}, "stack.ray.worker.gpus", "a4-highgpu-8g has; nearest: 8"),
    ({"ray__worker__gpus": 4}, "stack.ray.worker.gpus", "go to one pod; nearest: 8"),
    (
        {"ray__head__requests__cpu": 16},
        "stack.ray.head.requests.cpu",
        "more than a node of c2-standard-16 leaves to pods; nearest: 15",
    ),
    (
        {"ray__head__requests__ephemeral_storage_gib": 200},
        "stack.ray.head.requests.ephemeral_storage_gib",
        "nearest: 91",
    ),
    # Interfaces and their test
    (
        {"job__socket_interface": "eth10"},
        "stack.job.socket_interface",
        "eth7, eth8, eth9); nearest: eth0",
    ),
    (
        {"nccl_test": {}, "gpu_pool__nodes": 1, "gpu_pool__autoscaling": None},
        "stack.nccl_test",
        "the test runs between two nodes, and there is one; nearest: nodes 2",
    ),
]

# The same for dev, on a machine without RDMA.
BAD_DEV: Bad = [
    ({"nccl_test": {}}, "stack.nccl_test", "has no RDMA interfaces to test; nearest: leave it out"),
    (
        {"cluster": {"mode": "autopilot"}},
        "stack.cluster.mode",
        '"autopilot": not one of them; nearest: standard',
    ),
    (
        {
            "gpu_pool__capacity": {"mode": "flex-start"},
            "gpu_pool__autoscaling": {"min": 0, "max": 1},
            "gpu_pool__compact_placement": True,
        },
        "stack.gpu_pool.compact_placement",
        "flex-start places only machines with RDMA compactly, not g2-standard-8; nearest: false",
    ),
    (
        {
            "catalog": {
                "machine_types": {"g9-standard-8": _PLAIN_GPU},
                "zones": {"us-central1-a": {"offers": ["g9-standard-8"]}},
            },
            "gpu_pool__machine_type": "g9-standard-8",
            "gpu_pool__compact_placement": True,
        },
        "stack.gpu_pool.compact_placement",
        "g9-standard-8 cannot be placed compactly; nearest: false",
    ),
]
