"""Keys by what other tools, and people, call them. No Pulumi."""

from collections.abc import Collection, Mapping

# By the key, what it is called in Google's API, gcloud, Terraform, Kubernetes, Docker and Ray.
_CALLED: Mapping[str, frozenset[str]] = {
    "nodes": frozenset(
        (
            *("count", "replicas", "size", "instances", "machines", "hosts", "workers", "pods"),
            *("node_count", "num_nodes", "machine_count", "instance_count", "desired_size"),
            *("initial_node_count", "total_nodes", "number_of_nodes", "vms", "num_workers"),
        )
    ),
    "machine_type": frozenset(
        (
            *("type", "machine", "instance_type", "instance", "vm", "vm_type", "node_type", "sku"),
            *("accelerator", "accelerator_type", "accelerators", "gpu", "gpus", "gpu_type", "tpu"),
            *("gpu_count", "tpu_type", "guest_accelerator", "flavor"),
        )
    ),
    "capacity": frozenset(("provisioning_model", "reservation", "flex_start", "queued")),
    "autoscaling": frozenset(
        (
            *("autoscale", "autoscaler", "scaling", "min", "max", "min_nodes", "max_nodes"),
            *("min_node_count", "max_node_count", "min_size", "max_size"),
        )
    ),
    "disk": frozenset(("disk_size", "disk_size_gb", "disk_type", "boot_disk", "root_volume")),
    "slices": frozenset(("num_slices", "slice_count")),
    "topology": frozenset(("tpu_topology", "slice_shape")),
    "driver_version": frozenset(("driver", "gpu_driver", "gpu_driver_version")),
    "taints": frozenset(("node_taints",)),
    "labels": frozenset(("tags", "node_labels", "resource_labels", "user_labels")),
    "compact_placement": frozenset(("placement", "placement_policy", "compact")),
    "network": frozenset(("vpc", "subnet", "subnetwork", "networking", "networks", "subnets")),
    "cluster": frozenset(("gke", "kubernetes", "k8s", "clusters", "control_plane")),
    "pools": frozenset(("node_pools", "nodepools", "node_groups", "nodes", "machines", "gpus")),
    "buckets": frozenset(("gcs", "storage", "object_storage", "data", "volumes")),
    "lustre": frozenset(("filesystem", "file_system", "parallel_filesystem", "filestore")),
    "queues": frozenset(("kueue", "queue", "quota", "quotas", "scheduling")),
    "jobs": frozenset(("workloads", "training", "tasks", "scripts")),
    "servers": frozenset(("models", "model", "inference", "serving", "vllm", "deployments")),
    "teams": frozenset(("users", "groups", "members", "tenants", "namespaces", "people")),
    "deletion_protection": frozenset(("protect", "protection", "prevent_destroy", "protected")),
    "environment": frozenset(("env", "envs", "variables", "env_vars", "vars")),
    "command": frozenset(("cmd", "args", "entrypoint", "run", "script")),
    "requests": frozenset(("resources", "cpu", "memory", "memory_gib", "resource_requests")),
    "mounts": frozenset(("volumes", "volume_mounts", "buckets")),
    "minutes": frozenset(("timeout", "max_run_duration", "active_deadline_seconds")),
    "retries": frozenset(("max_retries", "backoff_limit", "max_failures")),
    "shm_gib": frozenset(("shm", "shm_size", "shared_memory")),
    "mount": frozenset(("mount_options", "options", "fuse", "gcsfuse")),
    "mount_path": frozenset(("path", "mount_point", "target")),
    "location": frozenset(("regional", "zonal", "zones")),
    "version": frozenset(("kubernetes_version", "master_version", "min_master_version")),
    "throughput_mbps_per_tib": frozenset(("throughput", "tier", "per_unit_storage_throughput")),
}
# Whole, where a word of other tools is a choice here.
_WRITTEN: Mapping[str, Mapping[str, str]] = {
    "capacity": {
        "spot": "capacity: {mode: spot}",
        "preemptible": "capacity: {mode: spot}",
        "on_demand": "capacity: {mode: on-demand}",
    }
}


def keys_called(word: str, known: Collection[str]) -> tuple[str, ...]:
    """Of the keys that a block may have those that a word of other tools means."""
    plain = word.lower().replace("-", "_")
    return tuple(it for it in known if plain in _CALLED.get(it, ()))


def written_for(word: str, known: Collection[str]) -> str | None:
    """The key with its value, where the word says both."""
    plain = word.lower().replace("-", "_")
    return next((it[plain] for key, it in _WRITTEN.items() if key in known and plain in it), None)
