"""Keys of a stack's config, and values for those that all stacks with pools have."""

from collections.abc import Iterable, Mapping
from typing import Any

from pydantic import BaseModel

from stacks.config_errors import models_in

Within = list[tuple[dict[str, Any], dict[str, Any]]]

_MORE = {"machine_type": "a4-highgpu-8g", "nodes": 2, "capacity": {"mode": "spot"}}
_LIMITS = {"cpu": 221, "memory_gib": 2900, "ephemeral_storage_gib": 1000}
_SMALLER = {"machine_type": "g2-standard-8", "nodes": 1}
# Each of them changes something in every stack with pools.
EFFECTS: list[dict[str, Any]] = [
    {"name": "other"},
    {"namespace": "rl"},
    {"labels__team": "research"},
    {"deletion_protection": True},
    {"network__mtu": 1460},
    {"network__subnet": "10.20.0.0/20"},
    {"network__pods": "10.24.0.0/16"},
    {"network__services": "10.21.0.0/20"},
    {"network__control_plane": "10.22.0.0/28"},
    {"cluster__name": "other"},
    {"cluster__release_channel": "RAPID"},
    {"cluster__version": "1.34.1"},
    {"cluster__authorized_networks": [{"name": "office", "cidr": "192.0.2.0/24"}]},
    {"cluster__maintenance": {"start": "2099-01-03T02:00:00Z", "end": "2099-01-03T08:00:00Z"}},
    {"cpu_pool__machine_type": "n2-standard-16"},
    {"cpu_pool__nodes": 3},
    {"cpu_pool__autoscaling": {"min": 0, "max": 7}},
    {"cpu_pool__capacity": {"mode": "any-reservation"}},
    {"cpu_pool__disk": {"size_gb": 250}},
    {"cpu_pool__disk__type": "pd-ssd"},
    {"cpu_pool__max_pods_per_node": 64},
    {"monitoring__dashboard": False},
]
# The same for stacks with Ray.
RAY_EFFECTS: list[dict[str, Any]] = [
    {"ray__name": "other"},
    {"ray__version": "2.55.0", "ray__image": "registry/name:1.2.3"},
    {"ray__image": "registry/name:1.2.3"},
]
# The same for stacks with Ray's head on a large machine.
HEAD_EFFECTS: list[dict[str, Any]] = [
    {"ray__operator": "helm"},
    {"ray__head__requests__cpu": 10},
    {"ray__head__requests__memory_gib": 30},
    {"ray__head__requests__ephemeral_storage_gib": 10},
    {"ray__head__shm_gib": 10},
]
# The same for stacks with Ray on small machines.
SMALL_RAY_EFFECTS: list[dict[str, Any]] = [
    {"ray__head__requests__cpu": 1.5},
    {"ray__head__requests__memory_gib": 5},
    {"ray__head__requests__ephemeral_storage_gib": 15},
    {"ray__head__limits": {"cpu": 3, "memory_gib": 7, "ephemeral_storage_gib": 20}},
    {"ray__head__shm_gib": 2},
    {"ray__worker__requests__cpu": 5},
    {"ray__worker__requests__memory_gib": 17},
    {"ray__worker__requests__ephemeral_storage_gib": 21},
    {"ray__worker__limits": {"cpu": 6, "memory_gib": 18, "ephemeral_storage_gib": 20}},
    {"ray__worker__shm_gib": 2},
]
# The same for stacks with a GPU pool.
POOL_EFFECTS: list[dict[str, Any]] = [
    {"gpu_pool__autoscaling": {"min": 0, "max": 9}},
    {"gpu_pool__capacity": {"mode": "reservation", "name": "other"}},
    {"gpu_pool__disk": {"size_gb": 200}},
    {"gpu_pool__max_pods_per_node": 64},
    {"gpu_pool__driver_version": "disabled"},
    {"gpu_pool__compact_placement": True},
]
# The same for a pool of small machines.
SMALL_POOL_EFFECTS: list[dict[str, Any]] = [
    *POOL_EFFECTS,
    {"extra_gpu_pools": {"more": _SMALLER}},
]
# The same for stacks with a GPU pool with RDMA.
GPU_EFFECTS: list[dict[str, Any]] = [
    *POOL_EFFECTS,
    {"network__accelerators": {"range": "172.16.0.0/16"}},
    {"network__accelerators": {"prefix_length": 25}},
    {"cluster__location": "zonal"},
    {"gpu_pool__nodes": 4},
    {"extra_gpu_pools": {"more": _MORE}},
    {"nccl_test": {}},
    {"ray__worker__requests__cpu": 90},
    {"ray__worker__requests__memory_gib": 900},
    {"ray__worker__requests__ephemeral_storage_gib": 500},
    {"ray__worker__limits": _LIMITS},
    {"ray__worker__shm_gib": 100},
]
# The same for stacks with a bucket.
BUCKET_EFFECTS: list[dict[str, Any]] = [
    {"bucket__name": "other-bucket"},
    {"bucket__hierarchical_namespace": True, "bucket__force_destroy": False},
    {"bucket__hierarchical_namespace": False, "bucket__versioning": True},
    {"bucket__soft_delete_days": 0},
    {"bucket__account": "other"},
    {"bucket__mount_path": "/bucket"},
    {"bucket__mount__implicit_dirs": False},
    {"bucket__mount__metadata_negative_ttl_s": 60},
    {"bucket__mount__metadata_ttl_s": 60},
    {"bucket__mount__stat_cache_mib": 64},
    {"bucket__mount__file_cache_mib": 64},
    {"bucket__mount__read_ahead_kib": 2048},
    {"bucket__mount__write_global_max_blocks": 100},
    {"bucket__mount__metadata_prefetch": True, "bucket__mount__metadata_ttl_s": 60},
    {"bucket__mount__only_dir": "runs/first"},
    {"bucket__mount__rename_dir_limit": 100},
    {"bucket__mount__kernel_list_cache_ttl_s": 60},
    {"bucket__mount__log_severity": "trace"},
    {"bucket__mount__skip_access_check": False},
    {"bucket__mount__sidecar": {"cpu": 0.5}},
    {"bucket__mount__sidecar": {"memory_gib": 2}},
    {"bucket__mount__sidecar": {"ephemeral_storage_gib": 7}},
    {"bucket__mount__uid": 2000},
    {"bucket__mount__gid": 2000},
    {"bucket__mount__directory_mode": "700"},
    {"bucket__mount__file_mode": "600"},
]

_START, _END = "2099-01-03T02:00:00Z", "2099-01-03T08:00:00Z"
_WINDOW = {"start": _START, "end": _END}
_FROM_A_RESERVATION = {"gpu_pool__capacity": {"mode": "reservation", "name": "r", "block": "b"}}
_ON_REQUEST = {
    "gpu_pool__capacity": {"mode": "flex-start"},
    "gpu_pool__autoscaling": {"min": 0, "max": 8},
}
# Keys of blocks that are not there unless they are asked for: the block, and a change within it.
EFFECTS_WITHIN: Within = [
    (_FROM_A_RESERVATION, {"gpu_pool__capacity__project": "shared-project"}),
    (_FROM_A_RESERVATION, {"gpu_pool__capacity__block": "c"}),
    (_FROM_A_RESERVATION, {"gpu_pool__capacity__sub_block": "s"}),
    (_ON_REQUEST, {"gpu_pool__capacity__max_run_hours": 24}),
    (_ON_REQUEST, {"gpu_pool__capacity__mode": "queued"}),
    ({"cluster__maintenance": _WINDOW}, {"cluster__maintenance__recurrence": "FREQ=DAILY"}),
    (
        {"cluster__maintenance": _WINDOW},
        {"cluster__maintenance__exclusions": [{"name": "launch", **_WINDOW}]},
    ),
    (
        {"cluster__maintenance": {**_WINDOW, "exclusions": [{"name": "launch", **_WINDOW}]}},
        {"cluster__maintenance__exclusions": [{"name": "launch", "start": _WINDOW["start"]}]},
    ),
]
# The same for stacks with a bucket.
_CACHED = {"bucket__mount__file_cache_mib": 64}
BUCKET_WITHIN: Within = [
    (_CACHED, {"bucket__mount__cache_file_for_range_read": False}),
    (_CACHED, {"bucket__mount__parallel_downloads": False}),
]
# The same for stacks with a GPU pool with RDMA.
GPU_WITHIN: Within = [
    ({"nccl_test": {}}, {"nccl_test__minimum_bus_bandwidth_gbps": 300}),
    (
        {"ray__worker__limits": _LIMITS},
        {"ray__worker__limits__ephemeral_storage_gib": 1100},
    ),
    ({"ray__autoscaling": {}}, {"ray__autoscaling__min_workers": 1}),
    ({"ray__autoscaling": {}}, {"ray__autoscaling__idle_seconds": 60}),
]

# What says which stack it is and where; and what is only held against other keys, or needs more
# than one key to have an effect.
_ELSEWHERE = {
    *("kind", "project", "region", "zone", "secrets_set"),
    *("acknowledge__resource", "acknowledge__property"),
    *("gpu_pool__capacity__zone", "gpu_pool__capacity__machine_type"),
    *("gpu_pool__machine_type", "gpu_pool__disk__type", "ray__worker__gpus", "ray__nightly"),
    *("tpu__capacity__zone", "tpu__capacity__machine_type", "tpu__machine_type"),
    *("tpu__disk__type", "job__finished_runs"),
    # What is agreed to is held against the engine's record, which no mock has.
    *("acknowledge__resource", "acknowledge__property"),
}


def leaves(model: type[BaseModel], prefix: str = "") -> set[str]:
    """Paths of all keys that are no blocks."""
    found: set[str] = set()
    for name, field in model.model_fields.items():
        inner = [it for it in models_in(field.annotation) if it.model_fields]
        if not inner:
            found.add(f"{prefix}{name}")
        for block in inner:
            found |= leaves(block, f"{prefix}{name}__")
    return found


def untried(model: type[BaseModel], tried: Iterable[Mapping[str, Any]]) -> set[str]:
    """Keys of the model that no entry of `tried` sets."""
    keys = {_of_model(model, path) for values in tried for path in _paths(values)}
    return {
        leaf
        for leaf in leaves(model) - _ELSEWHERE
        if not leaf.startswith("catalog__")
        and not any(
            leaf == key or leaf.startswith(f"{key}__") or key.startswith(f"{leaf}__")
            for key in keys
        )
    }


def _paths(values: Mapping[str, Any], prefix: str = "") -> set[str]:
    """Paths of what is set; an empty block, and a list, is set as a whole."""
    found: set[str] = set()
    for name, value in values.items():
        within = isinstance(value, dict) and value
        found |= _paths(value, f"{prefix}{name}__") if within else {f"{prefix}{name}"}
    return found


def _of_model(model: type[BaseModel], path: str) -> str:
    """The path without what the user names, and without places in lists."""
    blocks, parts = [model], list[str]()
    for part in path.split("__"):
        annotations = [it.model_fields[part].annotation for it in blocks if part in it.model_fields]
        if annotations:
            blocks = [inner for annotation in annotations for inner in models_in(annotation)]
            parts.append(part)
    return "__".join(parts)
