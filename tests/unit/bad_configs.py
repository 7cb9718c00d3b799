"""Mistakes in a config, one a line, and how the message about each ends."""

from typing import Any

# (what is set in b200-lustre, by path; the field that is named; the end of the message)
BAD: list[tuple[dict[str, Any], str, str]] = [
    # Keys
    ({"gpu_pool__machine_typ": "x"}, "stack.gpu_pool.machine_typ", "nearest: machine_type"),
    ({"lustr": {}}, "stack.lustr", "nearest: lustre"),
    ({"ray__head__requests__memory": 1}, "stack.ray.head.requests.memory", "nearest: memory_gib"),
    ({"gpu_pool__capacity__zone": "a"}, "stack.gpu_pool.capacity.zone", "nearest: mode"),
    ({"kind": "lustre"}, "stack.kind", "is not a kind of stack; nearest: lustre-training"),
    ({"kind": None}, "stack.pools", "nearest: {gpu: {machine_type: g2-standard-8, nodes: 1}}"),
    # Types
    ({"gpu_pool__nodes": "lots"}, "stack.gpu_pool.nodes", "nearest: a whole number"),
    ({"gpu_pool__nodes": 0}, "stack.gpu_pool.nodes", "0 is less than 1; nearest: 1"),
    ({"deletion_protection": "maybe"}, "stack.deletion_protection", "nearest: true, false"),
    ({"network": "10.0.0.0/8"}, "stack.network", "nearest: a block of keys"),
    ({"gpu_pool__capacity": {"mode": "spots"}}, "stack.gpu_pool.capacity.mode", "nearest: spot"),
    ({"gpu_pool__driver_version": "lates"}, "stack.gpu_pool.driver_version", "nearest: latest"),
    ({"cluster": {"version": "new"}}, "stack.cluster.version", "1.34.1, 1.34.1-gke.1829001"),
    ({"network": {"mtu": 9000}}, "stack.network.mtu", "nearest: 8896"),
    (
        {"gpu_pool": None},
        "stack.gpu_pool",
        "missing; it needs a block with machine_type, nodes",
    ),
    (
        {"lustre__capacity_gib": None},
        "stack.lustre.capacity_gib",
        "set it with: pulumi config set --path stack.lustre.capacity_gib VALUE",
    ),
    # Places
    ({"project": None}, "gcp:project", "set it with: pulumi config set gcp:project PROJECT"),
    ({"zone": None}, "gcp:zone", "set it with: pulumi config set gcp:zone ZONE"),
    ({"project": "My_Project"}, "gcp:project", "nearest: my-project"),
    ({"region": "us-east9"}, "gcp:region", "nearest: us-east5, us-east4, us-east1"),
    ({"zone": "us-east4-b"}, "gcp:zone", "nearest: us-east1-b, or the region us-east4"),
    ({"zone": "us-east9-q"}, "gcp:zone", 'can be added under "catalog.zones"'),
    ({"zone": "us-east1-c"}, "stack.gpu_pool.machine_type", 'added under "catalog.zones"'),
    ({"zone": "us-east1-c"}, "gcp:zone", "nearest: us-east1-b"),
    (
        {"region": "us-west2", "zone": "us-west2-c"},
        "gcp:zone",
        'If it has, say so under "catalog.zones"',
    ),
    # Machines
    (
        {"gpu_pool__machine_type": "a4-highgpu-16g"},
        "stack.gpu_pool.machine_type",
        'A newer one can be added under "catalog.machine_types"',
    ),
    (
        {"gpu_pool__machine_type": "e2-standard-4"},
        "stack.gpu_pool.machine_type",
        "e2-standard-4 has no GPUs; nearest: a4-highgpu-8g",
    ),
    (
        {"cpu_pool": {"machine_type": "a4-highgpu-8g"}},
        "stack.cpu_pool.machine_type",
        "nearest: e2-standard-2, e2-standard-4",
    ),
    (
        {"gpu_pool__disk": {"type": "pd-ssd"}},
        "stack.gpu_pool.disk.type",
        "does not boot a4-highgpu-8g; nearest: hyperdisk-balanced",
    ),
    (
        {"gpu_pool__autoscaling": {"min": 9, "max": 10}},
        "stack.gpu_pool.autoscaling",
        "nearest: 8 to 10",
    ),
    (
        {"cluster": {"version": "1.32.2"}},
        "stack.cluster.version",
        "older than lustre_csi needs; nearest: 1.33.2-gke.1111000",
    ),
    (
        {"catalog": {"zones": {"us-east1-b": {"offers": ["zz-9"]}}}},
        "stack.catalog",
        'can be added under "catalog.machine_types"',
    ),
    # Lustre
    ({"lustre__capacity_gib": 9500}, "stack.lustre.capacity_gib", "nearest: 9000, 18000"),
    (
        {"lustre__throughput_mbps_per_tib": 750},
        "stack.lustre.throughput_mbps_per_tib",
        "is not a Managed Lustre tier; nearest: 500, 1000",
    ),
    ({"lustre__filesystem": "lustre-fs"}, "stack.lustre.filesystem", "nearest: lustrefs"),
    # Ranges
    (
        {"network": {"services": "10.8.16.0/20"}},
        "stack.network.services",
        "overlaps pods 10.8.0.0/16; nearest: 10.0.16.0/20",
    ),
    (
        {"network": {"peering": "10.0.2.0/23"}},
        "stack.network.peering",
        "overlaps subnet 10.0.0.0/20; nearest: 10.0.16.0/23",
    ),
    (
        {"cpu_pool__disk": {"size_gb": 60}},
        "stack.cpu_pool.disk.size_gb",
        "60 GB do not hold the image (50 GiB) and what pods of a node may write; nearest: 67",
    ),
    (
        {"network": {"control_plane": "10.0.0.0/27"}},
        "stack.network.control_plane",
        "too large for a control plane; nearest: 10.0.16.0/28",
    ),
    (
        {"network": {"peering": "10.10.0.0/24"}},
        "stack.network.peering",
        "too small for private service access; nearest: 10.10.0.0/23",
    ),
    (
        {"network": {"pods": "10.8.0.0/24"}},
        "stack.network.pods",
        "which take 3072 addresses; nearest: a /20",
    ),
    (
        {"network": {"subnet": "10.0.0.0/29"}},
        "stack.network.subnet",
        "too small for 12 nodes; nearest: a /28",
    ),
    ({"network": {"subnet": "10.0.0.5/20"}}, "stack.network.subnet", "nearest: 10.0.0.0/20"),
    ({"network": {"subnet": "ten"}}, "stack.network.subnet", "nearest: one like 172.24.0.0/20"),
    # Ray
    (
        {"ray__worker__requests__cpu": 230},
        "stack.ray.worker.requests.cpu",
        "more than a node of a4-highgpu-8g leaves to pods; nearest: 222",
    ),
    (
        {"ray__worker__requests__memory_gib": 4000},
        "stack.ray.worker.requests.memory_gib",
        "leaves to pods; nearest: 3781",
    ),
    (
        {"ray__worker__gpus": 16},
        "stack.ray.worker.gpus",
        "more than a node of a4-highgpu-8g has; nearest: 8",
    ),
    (
        {"ray__head__requests__cpu": 16},
        "stack.ray.head.requests.cpu",
        "more than a node of e2-standard-16 leaves to pods; nearest: 15",
    ),
    (
        {"cpu_pool__capacity": {"mode": "spot"}},
        "stack.cpu_pool.capacity.mode",
        "every job goes with it; nearest: on-demand",
    ),
    (
        {"ray__head__requests__memory_gib": 64},
        "stack.ray.head.requests.memory_gib",
        "more than a node of e2-standard-16 leaves to pods; nearest: 55",
    ),
    (
        {"ray__head__limits": {"cpu": 4, "memory_gib": 48}},
        "stack.ray.head.limits.cpu",
        "4 CPUs are below the request; nearest: 12",
    ),
    (
        {"ray__head__limits": {"cpu": 12, "memory_gib": 32}},
        "stack.ray.head.limits.memory_gib",
        "32 GiB are below the request; nearest: 48",
    ),
    (
        {"ray__head__shm_gib": 2000},
        "stack.ray.head.shm_gib",
        "limited to 48 GiB; nearest: 48",
    ),
    (
        {"ray__image": "nvcr.io/nvidia/nemo-rl:latest"},
        "stack.ray.image",
        "not an image with a fixed tag or digest; nearest: one like registry/name:1.2.3",
    ),
    ({"ray__version": "2"}, "stack.ray.version", "nearest: one like 2.54.0"),
    # Job
    (
        {"job__train_global_batch_size": 250},
        "stack.job.train_global_batch_size",
        "(32 prompts x 8 generations); nearest: 128",
    ),
    (
        {"job__train_global_batch_size": 2},
        "stack.job.train_global_batch_size",
        "not shared out evenly among 4 copies of the model; nearest: 4",
    ),
    (
        {"gpu_pool__nodes": 10},
        "stack.job.prompts_per_step",
        "not shared out evenly among 5 copies of the model; nearest: 30",
    ),
    ({"gpu_pool__nodes": 1}, "stack.job.parallelism", "do not divide the pool's 8; nearest: 8"),
    (
        {"job__checkpoints__period": 21},
        "stack.job.checkpoints.period",
        "never reached in 20; nearest: 20",
    ),
    (
        {"job__checkpoints__metric": "accuracy"},
        "stack.job.checkpoints.metric",
        "nearest: val:accuracy",
    ),
    (
        {"job__checkpoints__metric": "val:$(id)"},
        "stack.job.checkpoints.metric",
        "nearest: one like val:accuracy",
    ),
    (
        {"job__checkpoints__metric": "val:${oc.env:HF_TOKEN}"},
        "stack.job.checkpoints.metric",
        "nearest: one like val:accuracy",
    ),
    (
        {"job__checkpoints__directory": "/tmp/x"},
        "stack.job.checkpoints.directory",
        "is not a relative path; nearest: one like runs/first",
    ),
    (
        {"job__wandb": True},
        "stack.job.wandb",
        "nearest: false, or pulumi config set --secret wandb_api_key",
    ),
    ({"job__dataset": "DeepScale"}, "stack.job.dataset", "nearest: DeepScaler"),
    ({"job__model": "Qwen"}, "stack.job.model", "nearest: one like Qwen/Qwen2.5-72B-Instruct"),
    # Names and labels
    ({"name": "a" * 41}, "stack.name", "a GKE cluster name has at most 40; nearest: aaa"),
    ({"ray__name": "r" * 54}, "stack.ray.name", "a RayCluster name has at most 53; nearest: rrr"),
    ({"job__name": "j" * 48}, "stack.job.name", "a RayJob name has at most 47; nearest: jjj"),
    ({"lustre__name": "l" * 64}, "stack.lustre.name", "has at most 63; nearest: lll"),
    ({"namespace": "RL"}, "stack.namespace", "nearest: rl"),
    ({"labels__Team": "x"}, "stack.labels", "nearest: team"),
    ({"labels__stack": "x"}, "stack.labels", "sets itself; nearest: my-stack"),
]
