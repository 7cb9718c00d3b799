"""Mistakes in the TPU stacks' configs, one a line, and how the message about each ends."""

from typing import Any

Bad = list[tuple[dict[str, Any], str, str]]

_FIRST = {"name": "net-1", "range": "10.50.0.0/16"}
_SECOND = {"name": "net-2", "range": "10.60.0.0/16"}
_THIRD = {"name": "net-3", "range": "10.70.0.0/16"}
# Newer than the catalog, with a topology of none.
_NEWER = {
    "machine_types": {
        "ct9-standard-4t": {
            "vcpus": 180,
            "memory_gib": 720,
            "accelerator": {
                "kind": "tpu",
                "type": "tpu-v9-slice",
                "count": 4,
                "memory_gib": 32,
                "marketing_name": "TPU v9",
            },
            "boot_disk_types": ["hyperdisk-balanced"],
        }
    },
    "zones": {"us-central1-b": {"offers": ["ct9-standard-4t"]}},
}


def _dcn(*networks: dict[str, str]) -> dict[str, Any]:
    return {"network": {"dcn": list(networks)}}


# (what is set in tpu-multislice, by path; the field that is named; the end of the message)
BAD_TPU: Bad = [
    # Slices
    ({"tpu__topology": "4x5"}, "stack.tpu.topology", "nearest: 4x8, 4x4"),
    (
        {"tpu__topology": "2x2x2"},
        "stack.tpu.topology",
        "is not a topology of ct6e-standard-4t that the catalog knows; nearest: 2x2, 2x4",
    ),
    ({"tpu__topology": "16"}, "stack.tpu.topology", "nearest: one like 4x4"),
    (
        {"tpu__machine_type": "e2-standard-4"},
        "stack.tpu.machine_type",
        "e2-standard-4 has no TPUs; nearest: ct6e-standard-1t, ct6e-standard-4t, ct6e-standard-8t",
    ),
    (
        {"tpu__machine_type": "a4-highgpu-8g"},
        "stack.tpu.machine_type",
        "has no TPUs; nearest: ct6e-standard-1t, ct6e-standard-4t, ct6e-standard-8t",
    ),
    (
        {"tpu__machine_type": "ct6e-standard-2t"},
        "stack.tpu.machine_type",
        'A newer one can be added under "catalog.machine_types"',
    ),
    (
        {"catalog": _NEWER, "tpu__machine_type": "ct9-standard-4t"},
        "stack.tpu.machine_type",
        "knows no topology of ct9-standard-4t; nearest: ct6e-standard-4t, ct6e-standard-8t, "
        "ct6e-standard-1t",
    ),
    (
        {
            "tpu": {"machine_type": "ct5p-hightpu-4t", "topology": "4x4x28", "slices": 2},
            "zone": "us-central1-a",
            "network": {"dcn": []},
        },
        "stack.tpu.topology",
        "workers would fail and start again for ever; nearest: 4x8x12, 8x8x8, 4x4x20",
    ),
    ({"tpu__slices": [1, 1]}, "stack.tpu.slices", "[1, 1] names a slice twice; nearest: [1]"),
    ({"tpu__slices": [2, 0, 2]}, "stack.tpu.slices", "names a slice twice; nearest: [0, 2]"),
    ({"tpu__slices": 0}, "stack.tpu.slices", "nor a list of their numbers; nearest: 1"),
    ({"tpu__slices": []}, "stack.tpu.slices", "nor a list of their numbers; nearest: 1"),
    ({"tpu__slices": "two"}, "stack.tpu.slices", "nor a list of their numbers; nearest: 1"),
    ({"tpu__slices": [-1]}, "stack.tpu.slices[0]", "-1 is less than 0; nearest: 0"),
    ({"tpu__threads_per_core": 3}, "stack.tpu.threads_per_core", "not one of them; nearest: 1, 2"),
    (
        {"tpu__libtpu_flags": [{"name": "--xla_x"}]},
        "stack.tpu.libtpu_flags[0].name",
        "is not a flag of libtpu; nearest: one like xla_enable_async_all_gather",
    ),
    (
        {"tpu__libtpu_flags": [{"name": "xla_x", "value": "a b"}]},
        "stack.tpu.libtpu_flags[0].value",
        "is not a value of a flag; nearest: one like true",
    ),
    ({"zone": "us-central1-f"}, "stack.tpu.machine_type", 'under "catalog.zones"'),
    ({"zone": "us-central1-z"}, "gcp:zone", 'can be added under "catalog.zones"'),
    (
        {"tpu__capacity": {"mode": "queued"}},
        "stack.tpu.capacity.mode",
        "which Ray's pods here do not make; nearest: flex-start",
    ),
    (
        {"tpu__capacity": {"mode": "reservation", "name": "r", "zone": "us-east5-a"}},
        "stack.tpu.capacity.zone",
        "or a reservation in us-central1-b",
    ),
    (
        {"tpu__disk": {"type": "pd-ssd"}},
        "stack.tpu.disk.type",
        "pd-ssd does not boot ct6e-standard-4t; nearest: hyperdisk-balanced",
    ),
    # Networks between slices
    (
        _dcn({"name": "net-1", "range": "10.8.0.0/17"}),
        "stack.network.dcn[0].range",
        "overlaps pods 10.8.0.0/16; nearest: 10.0.128.0/17",
    ),
    (
        _dcn(_FIRST, {"name": "net-2", "range": "10.50.4.0/22"}),
        "stack.network.dcn[1].range",
        "overlaps dcn[0].range 10.50.0.0/16; nearest: 10.0.16.0/22",
    ),
    (
        _dcn(_FIRST, {"name": "net-2", "range": "10.60.0.0/29"}),
        "stack.network.dcn[1].range",
        "10.60.0.0/29 is too small for 8 nodes; nearest: a /28",
    ),
    (
        _dcn({"name": "net-1", "range": "10.50.0.1/16"}),
        "stack.network.dcn[0].range",
        "nearest: 10.50.0.0/16",
    ),
    (
        _dcn(_FIRST, {**_SECOND, "name": "net-1"}),
        "stack.network.dcn[1].name",
        "net-1 is there already; nearest: net-1-2",
    ),
    (
        _dcn(_FIRST, {**_SECOND, "name": "Net_2"}),
        "stack.network.dcn[1].name",
        "is not a short name for a network; nearest: net-1-2",
    ),
    (
        _dcn(_FIRST, _SECOND, _THIRD),
        "stack.network.dcn",
        "more than the further interfaces of ct6e-standard-4t; nearest: 2",
    ),
    (
        {"tpu__machine_type": "ct5lp-hightpu-4t", "zone": "us-central1-a"},
        "stack.network.dcn",
        "more than the further interfaces of ct5lp-hightpu-4t; nearest: 0",
    ),
    # GKE
    (
        {"cluster__version": "1.34.1-gke.1829000"},
        "stack.cluster.version",
        "is older than dranet needs; nearest: 1.34.1-gke.1829001",
    ),
    (
        {"cluster__version": "1.31.2-gke.1115000", "network": {"dcn": []}},
        "stack.cluster.version",
        "is older than gcsfuse_streaming_writes needs; nearest: 1.32.1-gke.1753001",
    ),
    # Nodes and pods
    (
        {"cpu_pool__machine_type": "ct6e-standard-4t"},
        "stack.cpu_pool.machine_type",
        "that no pod of this pool asks for; nearest: e2-standard-2, e2-standard-4, e2-standard-8",
    ),
    (
        {"cpu_pool__machine_type": "zz-9"},
        "stack.cpu_pool.machine_type",
        'A newer one can be added under "catalog.machine_types"',
    ),
    ({"ray__operator": "helm"}, "stack.ray.operator", "would not know their slice; nearest: addon"),
    ({"ray__worker__gpus": 4}, "stack.ray.worker.gpus", "have no GPUs; nearest: leave it out"),
    (
        {"ray__worker__requests__cpu": 89},
        "stack.ray.worker.requests.cpu",
        "more than a node of ct6e-standard-4t leaves to pods; nearest: 88",
    ),
    (
        {"ray__worker__requests__cpu": 200, "tpu__threads_per_core": 2},
        "stack.ray.worker.requests.cpu",
        "more than a node of ct6e-standard-4t leaves to pods; nearest: 178",
    ),
    (
        {"ray__worker__requests__memory_gib": 700},
        "stack.ray.worker.requests.memory_gib",
        "more than a node of ct6e-standard-4t leaves to pods; nearest: 679",
    ),
    (
        {"ray__head__requests__cpu": 16},
        "stack.ray.head.requests.cpu",
        "more than a node of n1-standard-16 leaves to pods; nearest: 15",
    ),
    (
        {"ray__image": "rayproject/ray:nightly-py312-tpu"},
        "stack.ray.image",
        "nearest: rayproject/ray:2.56.0-py312, or ray.nightly true",
    ),
    (
        {"tpu__libtpu_flags": [{"name": "xla_a", "value": 1}, {"name": "xla_a", "value": 2}]},
        "stack.tpu.libtpu_flags[1]",
        "only the last counts; nearest: leave it out",
    ),
    # Bucket
    ({"bucket__mount__file_mode": "rw"}, "stack.bucket.mount.file_mode", 'nearest: one like "775"'),
    (
        {"bucket__capacity_gib": 100},
        "stack.bucket.capacity_gib",
        "there is no such key; nearest: account, force_destroy",
    ),
]

# The same for tpu-multislice on Autopilot.
BAD_TPU_AUTOPILOT: Bad = [
    ({"cpu_pool": {}}, "stack.cpu_pool", "from what pods ask for; nearest: leave it out"),
    (
        _dcn(_FIRST),
        "stack.network.dcn",
        "connects slices by networks of its own; nearest: leave it out",
    ),
    (
        {"cluster__location": "zonal"},
        "stack.cluster.location",
        "always regional; nearest: regional",
    ),
    *(
        ({f"tpu__{key}": value}, f"stack.tpu.{key}", "for its nodes; nearest: leave it out")
        for key, value in (
            ("disk", {"size_gb": 200}),
            ("max_pods_per_node", 64),
            ("threads_per_core", 1),
        )
    ),
    (
        {"tpu__capacity": {"mode": "any-reservation"}},
        "stack.tpu.capacity.mode",
        "only from a reservation that is named; nearest: reservation",
    ),
    (
        {"tpu__capacity": {"mode": "queued"}},
        "stack.tpu.capacity.mode",
        "which Ray's pods here do not make; nearest: flex-start",
    ),
    (
        {"cluster__version": "1.34.1-gke.1829001"},
        "stack.cluster.version",
        "is older than dranet_autopilot needs; nearest: 1.35.2-gke.1842000",
    ),
    (
        {"ray__head__requests__cpu": 30},
        "stack.ray.head.requests.cpu",
        "more than a node of c2-standard-30 leaves to pods; nearest: 29",
    ),
    ({"zone": "us-central1-f"}, "stack.tpu.machine_type", 'under "catalog.zones"'),
]
