"""Mistakes in what a stack runs on, one a line: nodes, networks, the cluster."""

from typing import Any, NamedTuple

from tests.parts.samples import AUTOPILOT, BARE, CLASSIFIER, DEV, HARDENED, RL, TPU, TWO_ZONES, VERL


class Refused(NamedTuple):
    """`values` are set in `stack` by their paths; `words` are in the line about `field`."""

    stack: dict[str, Any]
    values: dict[str, Any]
    field: str
    words: str


def dcn(*networks: str) -> dict[str, Any]:
    """Networks of slices, each as its name and its range."""
    named = [dict(zip(("name", "range"), it.split(), strict=True)) for it in networks]
    return {"network": {"dcn": named}}


_SMALL = {"vcpus": 4, "memory_gib": 16, "boot_disk_types": ["pd-balanced"]}
_KEY = HARDENED["cmek"]
_TAINT = {"key": "team", "value": "a"}
_POOL_GOES = {"resource": "gpu-pool", "property": "maxPodsPerNode", "to": 32}
_FLAG = {"name": "xla_enable_async_all_gather", "value": "true"}
_QUEUED: dict[str, Any] = {"mode": "queued"}
# Room for the interfaces of one of the two sets of nodes.
_ONE_TOO_SMALL = {"range": "10.64.0.0/16", "prefix_length": 20}

POOLS = [
    Refused(BARE, {"name": "x"}, "name", "a stack name has at least 2; nearest: x-stack"),
    Refused(BARE, {"pools__gpu__machine_type": "g2-standard-9"}, "pools.gpu.machine_type", "knows"),
    Refused(BARE, {"pools__gpu__machine_type": "foo-bar"}, "pools.gpu.machine_type", "nothing"),
    Refused(BARE, {"pools__gpu__nodes": None}, "pools.gpu.nodes", "missing; nearest: 1"),
    Refused(
        DEV,
        {"pools__cpu__driver_version": "default"},
        "pools.cpu.driver_version",
        "e2-standard-4 has no accelerators, and takes none; nearest: leave it out",
    ),
    Refused(
        TPU,
        {"pools__tpu__compact_placement": True},
        "pools.tpu.compact_placement",
        "ct6e-standard-4t has TPUs, and takes none; nearest: leave it out",
    ),
    Refused(
        DEV,
        {"pools__cpu__when": "just-in-time"},
        "pools.cpu.when",
        "has no accelerators, and what those with some would wait for runs on such nodes; nearest: "
        "early",
    ),
    Refused(
        TPU,
        {"pools__tpu__when": "just-in-time", "pools__tpu__capacity": {"mode": "spot"}},
        "pools.tpu.when",
        "spot machines with TPUs come when pods ask for them, and none is paid for before; "
        "nearest: early",
    ),
    Refused(
        CLASSIFIER,
        {"pools__gpu__when": "just-in-time", "pools__gpu__capacity": {"mode": "flex-start"}}
        | {"pools__gpu__autoscaling": {"min": 0, "max": 4}},
        "pools.gpu.when",
        "flex-start machines with GPUs come when pods ask for them",
    ),
    Refused(BARE, {"pools__gpu__topology": "4x4"}, "pools.gpu.topology", "has GPUs, and takes"),
    Refused(BARE, {"pools__gpu__slices": 2}, "pools.gpu.slices", "nearest: leave it out"),
    Refused(BARE, {"pools__gpu__libtpu_flags": []}, "pools.gpu.libtpu_flags", "leave it out"),
    Refused(BARE, {"pools__gpu__threads_per_core": 2}, "pools.gpu.threads_per_core", "has GPUs"),
    Refused(TPU, {"pools__tpu__nodes": 4}, "pools.tpu.nodes", "say in slices how many there are"),
    Refused(
        TPU,
        {"pools__tpu__autoscaling": {"min": 0, "max": 4}},
        "pools.tpu.autoscaling",
        "has the nodes of its topology; nearest: leave it out",
    ),
    Refused(
        TPU, {"pools__tpu__topology": None}, "pools.tpu.topology", "missing; nearest: 2x2, 2x4, 4x4"
    ),
    Refused(TPU, {"pools__tpu__slices": None}, "pools.tpu.slices", "missing; nearest: 1"),
    Refused(TPU, {"pools__tpu__topology": "4x5"}, "pools.tpu.topology", "4x4"),
    Refused(TPU, {"pools__tpu__slices": [1, 1]}, "pools.tpu.slices", "twice; nearest: [1]"),
    Refused(
        TPU,
        {"pools__tpu__libtpu_flags": [_FLAG, _FLAG]},
        "pools.tpu.libtpu_flags[1]",
        "is there twice, and only the last counts; nearest: leave it out",
    ),
    Refused(BARE, {"zone": "us-central1-q"}, "zone", "is not a zone the catalog knows"),
    Refused(BARE, {"region": "us-east4"}, "zone", "is not in the region us-east4"),
    Refused(BARE, {"pools__gpu__zone": "us-east4-a"}, "pools.gpu.zone", "is not in the region"),
    Refused(BARE, {"pools__gpu__zone": "us-central1-q"}, "pools.gpu.zone", "the catalog knows"),
    Refused(
        VERL, {"pools__gpu__zone": "us-central1-a"}, "pools.gpu.machine_type", "does not offer"
    ),
    Refused(
        VERL,
        {"pools__gpu__disk": {"type": "pd-ssd"}},
        "pools.gpu.disk.type",
        "pd-ssd does not boot a4-highgpu-8g; nearest: hyperdisk-balanced",
    ),
    Refused(
        DEV,
        {"pools__cpu__autoscaling": {"min": 3, "max": 2}},
        "pools.cpu.autoscaling.min",
        "3 is more than the max of 2; nearest: 1",
    ),
    Refused(
        DEV,
        {"pools__gpu__autoscaling": {"min": 1, "max": 2}},
        "pools.gpu.autoscaling",
        "spot machines come when pods wait for them, so the pool's minimum of 1 cannot be kept; "
        "nearest: {min: 0, max: 2}",
    ),
    Refused(
        RL,
        {"pools__gpu__when": "just-in-time"},
        "pools.gpu.when",
        "spot machines with GPUs come when pods ask for them, and none is paid for before; "
        "nearest: early",
    ),
    Refused(
        BARE,
        {"pools__gpu__autoscaling": {"min": 2, "max": 3}},
        "pools.gpu.autoscaling.min",
        "at least 2 leaves out the 1 nodes that the workloads use; nearest: 1",
    ),
    Refused(
        VERL, {"pools__gpu__capacity": None}, "pools.gpu.capacity.mode", "on-demand is not to be"
    ),
    Refused(
        VERL,
        {"pools__gpu__capacity__sub_block": "s"},
        "pools.gpu.capacity.sub_block",
        "none is named; nearest: set pools.gpu.capacity.block",
    ),
    Refused(
        VERL,
        {"pools__gpu__capacity__zone": "us-central1-a"},
        "pools.gpu.capacity.zone",
        "the reservation mine is in us-central1-a, and the nodes are in us-central1-b",
    ),
    Refused(
        VERL,
        {"pools__gpu__capacity__machine_type": "a3-ultragpu-8g"},
        "pools.gpu.capacity.machine_type",
        "nearest: pools.gpu.machine_type a3-ultragpu-8g",
    ),
    Refused(
        VERL,
        {"pools__gpu__capacity": {"mode": "flex-start"}},
        "pools.gpu.autoscaling",
        "minimum of 2 cannot be kept; nearest: {min: 0, max: 10}",
    ),
    Refused(
        CLASSIFIER,
        {"pools__gpu__compact_placement": True, "pools__gpu__capacity": _QUEUED}
        | {"pools__gpu__autoscaling": {"min": 0, "max": 4}},
        "pools.gpu.compact_placement",
        "placed by their request, not by the pool; nearest: false",
    ),
    Refused(
        TPU, {"pools__tpu__capacity": _QUEUED}, "pools.tpu.capacity.mode", "nearest: flex-start"
    ),
    Refused(
        AUTOPILOT,
        {"pools__cpu": {"machine_type": "e2-standard-4", "nodes": 1}},
        "pools.cpu",
        "Autopilot makes nodes without accelerators as pods ask for them; nearest: leave it out",
    ),
    Refused(
        AUTOPILOT,
        {"pools__gpu__when": "just-in-time"},
        "pools.gpu.when",
        "Autopilot decides it for its nodes; nearest: leave it out",
    ),
    Refused(
        AUTOPILOT,
        {"pools__gpu__driver_version": "disabled"},
        "pools.gpu.driver_version",
        "Autopilot lets nobody install a driver of their own; nearest: latest",
    ),
    Refused(
        AUTOPILOT,
        {"pools__gpu__disk": {"size_gb": 200}},
        "pools.gpu.disk",
        "Autopilot decides it for its nodes; nearest: leave it out",
    ),
    Refused(
        AUTOPILOT,
        {"pools__gpu__capacity": {"mode": "flex-start"}},
        "pools.gpu.capacity.mode",
        "cannot be asked for by pods with interfaces on Autopilot; nearest: spot, reservation",
    ),
    Refused(
        TPU,
        {"cluster": {"mode": "autopilot"}, "pools__cpu": None}
        | {"pools__tpu__capacity": {"mode": "any-reservation"}},
        "pools.tpu.capacity.mode",
        "Autopilot takes TPUs only from a reservation that is named; nearest: reservation",
    ),
    Refused(BARE, {"pools__gpu__labels": {"a b": "c"}}, "pools.gpu.labels.a b", "nearest: a-b"),
    Refused(
        BARE,
        {"pools__gpu__labels": {"kubernetes.io/team": "a"}},
        "pools.gpu.labels.kubernetes.io/team",
        "which GKE and Kubernetes keep for themselves; nearest: team",
    ),
    Refused(BARE, {"pools__gpu__taints": [_TAINT, _TAINT]}, "pools.gpu.taints", "there twice with"),
]

CLUSTER = [
    Refused(
        BARE,
        {"network": {"subnet": "10.8.0.0/20"}},
        "network.pods",
        "overlaps subnet 10.8.0.0/20; nearest: 10.0.0.0/16",
    ),
    Refused(
        BARE,
        {"network": {"subnet": "10.0.0.0/29"}, "pools__gpu__nodes": 8},
        "network.subnet",
        "is too small for 12 nodes; nearest: a /28",
    ),
    Refused(
        BARE,
        {"network": {"pods": "10.8.0.0/22"}},
        "network.pods",
        "is too small for the pods of 5 nodes, which take 1280 addresses; nearest: a /21",
    ),
    Refused(
        VERL,
        {"network": {"accelerators": {"prefix_length": 29}}},
        "network.accelerators.prefix_length",
        "has addresses for 4 nodes, and the pool can grow to 10; nearest: 28",
    ),
    Refused(
        VERL,
        {"network": {"accelerators": {"range": "10.64.0.0/22"}}},
        "network.accelerators.range",
        "subnetworks of /24 that the interfaces of a4-highgpu-8g need",
    ),
    Refused(
        TWO_ZONES,
        {"network": {"accelerators": _ONE_TOO_SMALL}},
        "network.accelerators.range",
        "that the interfaces of 2 kinds of nodes need",
    ),
    Refused(
        TPU,
        dcn("a 10.50.0.0/16", "a 10.60.0.0/16"),
        "network.dcn[1].name",
        "a is there already; nearest: a-2",
    ),
    Refused(
        TPU,
        dcn("a 10.50.0.0/29"),
        "network.dcn[0].range",
        "is too small for 8 nodes",
    ),
    Refused(
        {**TPU, "cluster": {"mode": "autopilot"}, "pools": {"tpu": TPU["pools"]["tpu"]}},
        dcn(),
        "network.dcn",
        "Autopilot connects slices by networks of its own; nearest: leave it out",
    ),
    Refused(
        AUTOPILOT,
        {"cluster__location": "zonal"},
        "cluster.location",
        "Autopilot clusters are always regional; nearest: regional",
    ),
    Refused(
        VERL,
        {"cluster": {"version": "1.28.0"}},
        "cluster.version",
        "is older than ray_operator needs",
    ),
    Refused(
        {**TWO_ZONES, "region": "us-central1", "zone": "us-central1-b"},
        {"pools__second__zone": "us-central1-a"},
        "pools.second.zone",
        "has no RoCE network profile",
    ),
    Refused(
        HARDENED,
        {"cmek": None},
        "cmek",
        "missing: a hardened stack encrypts with a key of yours; nearest: projects/my-project/"
        "locations/us-central1/keyRings/my-ring/cryptoKeys/my-key",
    ),
    Refused(
        HARDENED,
        {"namespace": None},
        "namespace",
        "default is not the stack's, which sets no Pod Security level there; nearest: bare",
    ),
    Refused(
        HARDENED,
        {"cluster": {"endpoint": "public"}},
        "cluster.authorized_networks",
        "missing: the control plane of a hardened stack does not answer everywhere; nearest: the "
        "ranges of those who use it, or cluster.endpoint dns",
    ),
    Refused(
        BARE,
        {
            "cluster": {
                "endpoint": "dns",
                "authorized_networks": [{"name": "office", "cidr": "10.1.0.0/16"}],
            }
        },
        "cluster.authorized_networks",
        "the control plane answers by its name alone, which ranges do not narrow; nearest: leave "
        "it out, or cluster.endpoint public",
    ),
    Refused(
        BARE,
        {
            "cluster": {
                "endpoint": "private",
                "authorized_networks": [
                    {"name": "vpn", "cidr": "10.1.0.0/16"},
                    {"name": "home", "cidr": "8.8.8.0/24"},
                ],
            }
        },
        "cluster.authorized_networks[1].cidr",
        "8.8.8.0/24 is on the Internet, and a private address answers the VPC network alone; "
        "nearest: a range of yours such as 10.0.0.0/8",
    ),
    Refused(BARE, {"cluster": {"endpoint": "internal"}}, "cluster.endpoint", '"internal"'),
    Refused(
        HARDENED,
        {
            "cluster__authorized_networks": [
                {"name": "a", "cidr": "0.0.0.0/1"},
                {"name": "b", "cidr": "128.0.0.0/1"},
            ]
        },
        "cluster.authorized_networks",
        "together they are 4,004,313,856 addresses of the Internet, more than a /8 "
        "(16,777,216), a whole row of the IANA's registry, and a hardened stack does not answer "
        "everywhere; "
        "nearest: the ranges of those who use it, or cluster.endpoint dns without this key",
    ),
    Refused(
        BARE,
        {"cluster__authorized_networks": []},
        "cluster.authorized_networks",
        "an empty list lets in the cluster's own nodes alone, so that `up` fails at the first "
        "object in the cluster; nearest: the ranges of those who use it, or "
        "cluster.endpoint private, or cluster.endpoint dns without this key",
    ),
    Refused(
        BARE,
        {"service_account": "default"},
        "service_account",
        '"default": Kubernetes makes one of this name in every namespace, for pods that name none; '
        "nearest: pods",
    ),
    Refused(
        CLASSIFIER,
        {"name": "default"},
        "service_account",
        "missing: by default it has the stack's name, which Kubernetes has for pods that name "
        "none; nearest: pods",
    ),
    Refused(
        BARE,
        {"cmek": _KEY + "/cryptoKeyVersions/1"},
        "cmek",
        f'"{_KEY}/cryptoKeyVersions/1" has more than a key, such as a version of it, and Google\'s '
        f"services choose the version themselves; nearest: {_KEY}",
    ),
    Refused(
        BARE,
        {"cmek": _KEY.replace("my-keys", "p")},
        "cmek",
        f'"{_KEY.replace("my-keys", "p")}" is in no project: "p" is no project ID, which '
        f"has 6 to 30 of a-z, 0-9 and -; nearest: projects/my-project/",
    ),
    Refused(
        BARE,
        {"cmek": _KEY.replace("us-central1", "global")},
        "cmek",
        f"the key is in global, and what it encrypts in us-central1; nearest: {_KEY}",
    ),
    Refused(
        AUTOPILOT,
        {"cluster__intranode_visibility": True},
        "cluster.intranode_visibility",
        "Autopilot clusters always have it; nearest: leave it out",
    ),
    Refused(
        BARE,
        {"cluster__authorized_networks": [{"name": n, "cidr": "203.0.113.0/24"} for n in "ab"]},
        "cluster.authorized_networks[1]",
        "203.0.113.0/24 is there twice; nearest: leave it out",
    ),
    Refused(
        BARE,
        {"catalog": {"zones": {"us-central1-a": {"offers": ["zz-9"]}}}},
        "catalog.zones.us-central1-a.offers[0]",
        '"zz-9" is not a machine type the catalog knows',
    ),
    *(
        Refused(BARE, change, field, f"{why}; nearest: {nearest}")
        for machine, why, nearest in (
            ("a4x-maxgpu-4g-metal", "the asapd-lite installer", "a4x-highgpu-4g"),
            ("c4a-standard-4", "no pod here tolerates that", "n2-standard-8"),
        )
        for change, field in (
            ({"catalog__machine_types": {machine: _SMALL}}, f"catalog.machine_types.{machine}"),
            ({"pools__gpu__machine_type": machine}, "pools.gpu.machine_type"),
        )
    ),
    *(
        Refused(
            BARE,
            {"catalog__machine_types": {machine: {**_SMALL, **disks}}},
            f"catalog.machine_types.{machine}.local_ssd",
            f"nearest: {nearest}",
        )
        for machine, disks, nearest in (
            ("a3-highgpu-2g", {}, "local_ssd.count: 4"),
            ("c3-standard-8-lssd", {}, "local_ssd.count: 2"),
            ("a3-highgpu-16g", {}, "local_ssd with their number"),
            ("c5-standard-8-lssd", {}, "local_ssd with their number"),
        )
    ),
    Refused(
        BARE,
        {
            "catalog__machine_types": {
                "a3-highgpu-2g": {**_SMALL, "local_ssd": {"count": 2, "gib_each": 375}}
            }
        },
        "catalog.machine_types.a3-highgpu-2g.local_ssd.count",
        "nearest: 4",
    ),
    Refused(
        BARE,
        {"catalog__machine_types": {"a9-highgpu-8g": {**_SMALL, "nccl": "a9"}}},
        "catalog.machine_types.a9-highgpu-8g.nccl",
        '"a9" is not in the version lock; nearest: a3-ultra, a4, a4x',
    ),
    Refused(
        BARE,
        {"acknowledge": [_POOL_GOES, {**_POOL_GOES, "to": 64}]},
        "acknowledge[1]",
        "maxPodsPerNode of gpu-pool stands in acknowledge[0], too; nearest: one of them",
    ),
]
