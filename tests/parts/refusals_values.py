"""Mistakes in single values of what a stack runs on, one a line: keys, numbers, words, names."""

from tests.parts.preset_samples import B200, CLASSIFIER, TPU, VERL, VERL_AUTOPILOT
from tests.parts.refusals import Refused, dcn

_SLICES = "pools__v6e-16"
_SLICES_FIELD = "pools.v6e-16"

PLACES = [
    Refused(
        B200, {"project": None}, "project", "set it with: pulumi config set gcp:project PROJECT"
    ),
    Refused(B200, {"zone": None}, "zone", "set it with: pulumi config set gcp:zone ZONE"),
    Refused(B200, {"project": "My_Project"}, "project", "nearest: my-project"),
    Refused(B200, {"region": "us-east9"}, "region", "nearest: us-east5, us-east4, us-east1"),
    Refused(B200, {"zone": "us-east1-c"}, "zone", "nearest: us-east1-b"),
    Refused(B200, {"zone": "useast1b"}, "zone", "is not a zone; nearest: us-east1-b"),
    Refused(VERL, {"zone": "us-central1-a"}, "zone", "nearest: us-central1-b"),
]

VALUES = [
    Refused(
        B200, {"pools__gpu__machine_typ": "x"}, "pools.gpu.machine_typ", "nearest: machine_type"
    ),
    Refused(B200, {"lustr": {}}, "lustr", "nearest: lustre"),
    Refused(B200, {"pools__gpu__capacity__zone": "a"}, "pools.gpu.capacity.zone", "only where"),
    Refused(
        B200,
        {"pools__gpu__nodes": "lots"},
        "pools.gpu.nodes",
        '"lots" is no whole number; nearest: 1',
    ),
    Refused(B200, {"pools__gpu__nodes": 0}, "pools.gpu.nodes", "0 is less than 1; nearest: 1"),
    Refused(B200, {"deletion_protection": "maybe"}, "deletion_protection", "nearest: true, false"),
    Refused(
        B200, {"network": "10.0.0.0/8"}, "network", "is no block of keys; nearest: {mtu: 8896}"
    ),
    Refused(
        B200,
        {"pools__gpu__capacity": {"mode": "spots"}},
        "pools.gpu.capacity.mode",
        "nearest: spot",
    ),
    Refused(
        B200, {"pools__gpu__driver_version": "lates"}, "pools.gpu.driver_version", "nearest: latest"
    ),
    Refused(B200, {"cluster": {"version": "new"}}, "cluster.version", "1.35.8, 1.35.8-gke.1225000"),
    Refused(B200, {"network": {"mtu": 9000}}, "network.mtu", "nearest: 8896"),
    Refused(B200, {"lustre__filesystem": "lustre-fs"}, "lustre.filesystem", "nearest: lustrefs"),
    Refused(
        B200,
        {"network": {"control_plane": "10.0.0.0/27"}},
        "network.control_plane",
        "too large for a control plane; nearest: 10.0.16.0/28",
    ),
    Refused(
        B200,
        {"network": {"peering": "10.10.0.0/24"}},
        "network.peering",
        "too small for private service access; nearest: 10.10.0.0/23",
    ),
    Refused(B200, {"network": {"subnet": "10.0.0.5/20"}}, "network.subnet", "nearest: 10.0.0.0/20"),
    Refused(
        B200, {"network": {"subnet": "ten"}}, "network.subnet", "nearest: one like 172.24.0.0/20"
    ),
    Refused(
        B200,
        {"name": "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"},
        "name",
        "a stack name has at most 40; nearest: aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa-c0f8bd",
    ),
    Refused(
        B200,
        {"lustre__name": "llllllllllllllllllllllllllllllllllllllllllllllllllllllllllllllll"},
        "lustre.name",
        "has at most 63; nearest: llllllllllllllllllllllllllllllllllllllllllllllllllllllll-6714e9",
    ),
    Refused(B200, {"namespace": "RL"}, "namespace", "nearest: rl"),
    Refused(B200, {"labels__Team": "x"}, "labels.Team", "nearest: team"),
    Refused(B200, {"labels__stack": "x"}, "labels.stack", "sets itself; nearest: my-stack"),
    Refused(
        VERL_AUTOPILOT,
        {"cluster": {"mode": "autopilot", "verson": "1"}},
        "cluster.verson",
        "nearest: version",
    ),
    Refused(
        CLASSIFIER,
        {"cluster__ray_operator": "both"},
        "cluster.ray_operator",
        "is not who runs KubeRay: one of them, never both; nearest: addon, helm",
    ),
    Refused(
        CLASSIFIER,
        {"cluster__ray_operator": ["addon", "helm"]},
        "cluster.ray_operator",
        "is not who runs KubeRay: one of them, never both; nearest: addon, helm",
    ),
    Refused(
        CLASSIFIER,
        {"cluster__ray_operator": True},
        "cluster.ray_operator",
        "is not who runs KubeRay: one of them, never both; nearest: addon, helm",
    ),
    Refused(
        CLASSIFIER,
        {"buckets__bucket__mount__implicit_dir": True},
        "buckets.bucket.mount.implicit_dir",
        "there is no such key; nearest: implicit_dirs",
    ),
    Refused(
        CLASSIFIER,
        {"buckets__bucket__mount__log_severity": "warn"},
        "buckets.bucket.mount.log_severity",
        "not one of them; nearest: warning",
    ),
    Refused(
        CLASSIFIER,
        {"buckets__bucket__role": "objectOwner"},
        "buckets.bucket.role",
        "nearest: objectUser",
    ),
    Refused(
        TPU, {f"{_SLICES}__topology": "16"}, f"{_SLICES_FIELD}.topology", "nearest: one like 4x4"
    ),
    Refused(
        TPU,
        {f"{_SLICES}__slices": 0},
        f"{_SLICES_FIELD}.slices",
        "nor a list of their numbers; nearest: 1",
    ),
    Refused(
        TPU,
        {f"{_SLICES}__slices": []},
        f"{_SLICES_FIELD}.slices",
        "nor a list of their numbers; nearest: 1",
    ),
    Refused(
        TPU,
        {f"{_SLICES}__slices": "two"},
        f"{_SLICES_FIELD}.slices",
        "nor a list of their numbers; nearest: 1",
    ),
    Refused(
        TPU,
        {f"{_SLICES}__slices": [-1]},
        f"{_SLICES_FIELD}.slices[0]",
        "-1 is less than 0; nearest: 0",
    ),
    Refused(
        TPU,
        {f"{_SLICES}__threads_per_core": 3},
        f"{_SLICES_FIELD}.threads_per_core",
        "not one of them; nearest: 1, 2",
    ),
    Refused(
        TPU,
        {f"{_SLICES}__libtpu_flags": [{"name": "--xla_x"}]},
        f"{_SLICES_FIELD}.libtpu_flags[0].name",
        "is not a flag of libtpu; nearest: one like xla_enable_async_all_gather",
    ),
    Refused(
        TPU,
        {f"{_SLICES}__libtpu_flags": [{"name": "xla_x", "value": "a b"}]},
        f"{_SLICES_FIELD}.libtpu_flags[0].value",
        "is not a value of a flag; nearest: one like true",
    ),
    Refused(
        TPU,
        dcn("net-1 10.50.0.1/16"),
        "network.dcn[0].range",
        "nearest: 10.50.0.0/16",
    ),
    Refused(
        TPU,
        dcn("net-1 10.50.0.0/16", "Net_2 10.60.0.0/16"),
        "network.dcn[1].name",
        "a letter first, no hyphen last); nearest: net-2",
    ),
    Refused(
        TPU,
        {"buckets__bucket__mount__file_mode": "rw"},
        "buckets.bucket.mount.file_mode",
        'nearest: one like "775"',
    ),
    Refused(
        VERL,
        {"network": {"accelerators": {"range": "192.168.5.0/16"}}},
        "network.accelerators.range",
        "nearest: 192.168.0.0/16",
    ),
    Refused(
        VERL,
        {"pools__gpu__capacity": {}},
        "pools.gpu.capacity.mode",
        "nearest: flex-start, queued, reservation, spot",
    ),
    Refused(
        VERL,
        {"pools__gpu__capacity": {"name": "r"}},
        "pools.gpu.capacity.mode",
        "missing; nearest: any-reservation, flex-start, on-demand, queued, reservation, spot",
    ),
    Refused(VERL, {"pools__gpu__capacity": "spot"}, "pools.gpu.capacity", "nearest: {mode: spot}"),
    Refused(
        VERL,
        {
            "pools__gpu__capacity": {"mode": "flex-start", "max_run_hours": 200},
            "pools__gpu__autoscaling": {"min": 0, "max": 4},
        },
        "pools.gpu.capacity.max_run_hours",
        "nearest: 168",
    ),
    Refused(
        VERL,
        {
            "pools": {
                "More": {"machine_type": "a4-highgpu-8g", "nodes": 1, "capacity": {"mode": "spot"}}
            }
        },
        "pools.More",
        "a letter first, no hyphen last); nearest: more",
    ),
    Refused(
        VERL,
        {
            "pools__more": {
                "machine_type": "a4-highgpu-8g",
                "nodes": 1,
                "capacity": {"mode": "sport"},
            }
        },
        "pools.more.capacity.mode",
        "nearest: spot",
    ),
    Refused(VERL, {"cluster": {"mode": "autopilt"}}, "cluster.mode", "nearest: autopilot"),
    Refused(VERL, {"cluster": {"mode": "Standard"}}, "cluster.mode", "nearest: standard"),
    Refused(
        VERL, {"cluster": {"mode": 7}}, "cluster.mode", "7: not one of them; nearest: autopilot"
    ),
    Refused(VERL, {"cluster": "autopilot"}, "cluster", "nearest: {mode: autopilot}"),
    Refused(VERL, {"cluster": {"mode": "standard", "nme": "x"}}, "cluster.nme", "nearest: name"),
    Refused(
        VERL,
        {
            "name": "vvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvv",
            "project": "pppppppppppppppppppppppppppppp",
        },
        "buckets.bucket.name",
        "a bucket name has at most 63; nearest: "
        "vvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvv-ppppppppppppppppppp-dcb78b",
    ),
    Refused(
        VERL,
        {"buckets__bucket__soft_delete_days": 91},
        "buckets.bucket.soft_delete_days",
        "nearest: 90",
    ),
    Refused(
        VERL,
        {"buckets__bucket__mount_path": "data"},
        "buckets.bucket.mount_path",
        "nearest: one like /lustre",
    ),
    Refused(
        VERL,
        {"buckets__bucket__mount__write_global_max_blocks": 200000},
        "buckets.bucket.mount.write_global_max_blocks",
        "nearest: 1600",
    ),
    Refused(
        VERL,
        {"buckets__bucket__mount__type_cache_mib": 4},
        "buckets.bucket.mount.type_cache_mib",
        "stat_cache_mib",
    ),
]
