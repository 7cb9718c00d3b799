"""Mistakes beside parts that exist already, one a line."""

from typing import Any

from tests.conftest import changed
from tests.parts.existing_samples import (
    IN_CLUSTER,
    ON_NETWORK,
    ON_PLATFORM,
    PLATFORM,
)
from tests.parts.refusals import Refused
from tests.parts.samples import BARE, RL

_RDMA: dict[str, Any] = {
    "machine_type": "a4-highgpu-8g",
    "nodes": 1,
    "capacity": {"mode": "spot"},
    "zone": "us-central1-b",
}
_WINDOW = {"start": "2026-01-03T01:00:00Z", "end": "2026-01-03T05:00:00Z"}
_MADE: dict[str, Any] = {"name": "ours", "capacity_gib": 9000, "throughput_mbps_per_tib": 1000}


def _beside(stack: dict[str, Any], path: str, value: Any, words: str) -> Refused:
    """Keys that are not the stack's to decide are named each."""
    return Refused(stack, {path: value}, path.replace("__", "."), words)


_OF_THE_CLUSTER = "the cluster is there already, with its own; nearest: leave it out"
_OF_THE_NETWORK = "the network is there already, with its own; nearest: leave it out"
_OF_THE_BUCKET = "the bucket is there already, with its own; nearest: leave it out"
_OF_THE_INSTANCE = "the instance is there already, with its own; nearest: leave it out"

EXISTING = [
    _beside(ON_NETWORK, "network__subnet", "10.0.0.0/20", _OF_THE_NETWORK),
    _beside(ON_NETWORK, "network__pods", "10.8.0.0/16", _OF_THE_NETWORK),
    _beside(ON_NETWORK, "network__flow_logs", True, _OF_THE_NETWORK),
    _beside(ON_NETWORK, "network__services", "10.9.0.0/20", _OF_THE_NETWORK),
    _beside(ON_NETWORK, "network__peering_on_destroy", "abandon", _OF_THE_NETWORK),
    _beside(IN_CLUSTER, "network", {"control_plane": "10.10.5.0/28"}, "unused")._replace(
        field="network.control_plane", words=_OF_THE_NETWORK
    ),
    _beside(ON_NETWORK, "network__mtu", 8896, "networks that the stack makes, and it makes none"),
    Refused(
        ON_NETWORK,
        {"lustre": _MADE},
        "network.peering",
        "missing: servers of Lustre are let in from the range of the network's own private service",
    ),
    Refused(
        ON_NETWORK,
        {"network__control_plane": "10.10.0.0/28", "network__peering": "10.10.0.0/22"}
        | {"lustre": _MADE},
        "network.peering",
        "overlaps control_plane 10.10.0.0/28",
    ),
    Refused(
        changed(IN_CLUSTER, pools__cpu=None),
        {"cluster__mode": "autopilot", "pools__gpu": {**_RDMA, "interfaces": "own"}},
        "pools.gpu.machine_type",
        "a4-highgpu-8g has further interfaces, and nodes that Autopilot makes keep their networks",
    ),
    _beside(IN_CLUSTER, "cluster__name", "ours", _OF_THE_CLUSTER),
    _beside(IN_CLUSTER, "cluster__location", "zonal", _OF_THE_CLUSTER),
    _beside(IN_CLUSTER, "cluster__endpoint", "dns", _OF_THE_CLUSTER),
    _beside(IN_CLUSTER, "cluster__binary_authorization", True, _OF_THE_CLUSTER),
    _beside(IN_CLUSTER, "cluster__intranode_visibility", True, _OF_THE_CLUSTER),
    Refused(
        IN_CLUSTER,
        {"hardened": True},
        "hardened",
        "the cluster is there already, closed as its owner has it; nearest: false",
    ),
    _beside(IN_CLUSTER, "cluster__version", "1.35.2-gke.1842000", _OF_THE_CLUSTER),
    _beside(IN_CLUSTER, "cluster__maintenance", _WINDOW, _OF_THE_CLUSTER),
    _beside(
        IN_CLUSTER,
        "cluster__authorized_networks",
        [{"name": "a", "cidr": "203.0.113.0/24"}],
        _OF_THE_CLUSTER,
    ),
    _beside(
        ON_PLATFORM,
        "cluster__security_group",
        "gke-security-groups@example.com",
        _OF_THE_CLUSTER,
    ),
    _beside(
        IN_CLUSTER,
        "cluster__stack",
        PLATFORM,
        "the cluster is named by cluster.existing, too; nearest: one of both",
    ),
    _beside(IN_CLUSTER, "cluster__stack", "platform", "ORG/PROJECT/STACK"),
    _beside(IN_CLUSTER, "cluster__existing__location", "Iowa", "a region or a zone"),
    _beside(ON_NETWORK, "buckets__data__name", "ours", _OF_THE_BUCKET),
    _beside(ON_NETWORK, "buckets__data__versioning", True, _OF_THE_BUCKET),
    _beside(ON_NETWORK, "buckets__data__soft_delete_days", 7, _OF_THE_BUCKET),
    _beside(ON_NETWORK, "buckets__data__force_destroy", True, _OF_THE_BUCKET),
    _beside(
        ON_NETWORK,
        "buckets__data__lifecycle",
        [{"action": "delete", "num_newer_versions": 1}],
        _OF_THE_BUCKET,
    ),
    Refused(
        ON_NETWORK,
        {"buckets__more": {"existing": "platform-data", "mount_path": "/more"}},
        "buckets.more.existing",
        '"platform-data" is the name of buckets.data; nearest: another',
    ),
    _beside(ON_NETWORK, "buckets__data__existing", "Platform", "nearest: "),
    _beside(ON_NETWORK, "lustre__name", "ours", _OF_THE_INSTANCE),
    _beside(ON_NETWORK, "lustre__throughput_mbps_per_tib", 1000, _OF_THE_INSTANCE),
    Refused(
        BARE,
        {"lustre": {"existing": "fast"}},
        "lustre.existing",
        "reached from the network that it was made for, and the stack makes one of its own",
    ),
    Refused(RL, {"lustre__capacity_gib": None}, "lustre.capacity_gib", "missing; nearest: 9000"),
    Refused(RL, {"lustre__name": None}, "lustre.name", "missing; nearest: lustre"),
    Refused(
        RL,
        {"lustre__throughput_mbps_per_tib": None},
        "lustre.throughput_mbps_per_tib",
        "missing; nearest: 1000",
    ),
]
