"""Stacks that change what they stand on: parts that exist already, others of those, and parts of
their own."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any, Self

from cli.project import PROJECT
from tests.conftest import changed
from tests.parts.existing_ground import (
    ExistingVpc,
    existing,
    existing_bucket,
    existing_cluster,
    existing_lustre,
)
from tests.parts.existing_samples import IN_CLUSTER, ON_NETWORK
from tests.stacks.change_case import Change, case_of
from tests.stacks.change_rule import STACK, ChangingStack, Config
from tests.stacks.config_sandbox import config_sandbox
from tests.stacks.on_existing import EXISTING, HOST, REGION, VPC, ZONE, P
from tests.stacks.test_platform import PLATFORM, WORKLOAD

_PEERING = "10.22.0.0/22"
_SECOND = ExistingVpc(
    project="second-host",
    region=REGION,
    name="second",
    subnetwork="second-nodes",
    nodes="10.20.0.0/20",
    pods_range="second-pods",
    pods="10.24.0.0/16",
    services_range="second-services",
    services="10.21.0.0/20",
    peering=_PEERING,
)
_CLUSTER: dict[str, Any] = {"version": "1.35.2-gke.1842000", "channel": "REGULAR"}
_LUSTRE: dict[str, Any] = {
    "zone": ZONE,
    "capacity_gib": 9000,
    "throughput_mbps_per_tib": 1000,
    "filesystem": "lustre",
}
_MORE = {f"more-{it}": f"10.{at}.0.0/16" for at, it in enumerate(("pods", "other-pods"), start=32)}
_MORE |= {"more-services": "10.40.0.0/20", "more-other-services": "10.40.16.0/20"}
# Beside what one stack can stand on, as much again.
SECOND = [
    *_SECOND.resources(),
    existing(
        "compute/subnetwork:Subnetwork",
        HOST,
        name="more",
        region=REGION,
        network=VPC.id,
        ipCidrRange="10.41.0.0/20",
        privateIpGoogleAccess=True,
        secondaryIpRanges=[
            {"rangeName": name, "ipCidrRange": block} for name, block in _MORE.items()
        ],
    ),
    existing_cluster(
        VPC, project=P, name="second", location=REGION, control_plane="10.10.6.0/28", **_CLUSTER
    ),
    existing_cluster(
        VPC, project=P, name="platform", location=ZONE, control_plane="10.10.7.0/28", **_CLUSTER
    ),
    existing_lustre(VPC, project=P, name="other", **_LUSTRE),
    existing_lustre(_SECOND, project=P, name="second", **_LUSTRE),
    existing_bucket(P, "second-data", REGION),
]
_SECOND_NETWORK = {
    "network": "second",
    "subnetwork": "second-nodes",
    "pods_range": "second-pods",
    "services_range": "second-services",
    "project": "second-host",
}
_MORE_NETWORK = {
    **ON_NETWORK["network"]["existing"],
    "subnetwork": "more",
    "pods_range": "more-pods",
    "services_range": "more-services",
}
_OWN_BUCKET = {"hierarchical_namespace": False, "force_destroy": True}
_OWN_LUSTRE = {"name": "ours", "capacity_gib": 9000, "throughput_mbps_per_tib": 1000}
_AT = "network__existing"
_IN = "cluster__existing"
# With room for more instances of Lustre than there are.
_ROOMY = replace(VPC, peering="10.44.0.0/21")
_PEERED = {"network__peering": _ROOMY.peering}
_ON_NETWORK = changed(ON_NETWORK, **_PEERED)
_IN_CLUSTER = changed(IN_CLUSTER, **_PEERED)
_ON = "cluster__stack"
_PLATFORMS = {it: f"organization/{PROJECT}/{it}" for it in ("base", "second-base")}
_ON_PLATFORM: Config = {
    "project": P,
    "region": REGION,
    "zone": ZONE,
    **changed(WORKLOAD, **{_ON: _PLATFORMS["base"]}),
}
_SECOND_CLUSTER = {"name": "second", "location": REGION}


class OnExisting(ChangingStack):
    """A stack in a project with parts that no stack made."""

    def given(self, config: Config) -> dict[str, Any]:
        given = super().given(config)
        parts = [*_ROOMY.resources(), *EXISTING[len([*VPC.resources()]) :], *SECOND]
        return {**given, "existing": [*given["existing"], *parts]}

    def left(self) -> Any:
        self.sandbox.succeed("destroy")
        return self.sandbox.cloud.inventory(STACK)


class OnPlatform(OnExisting):
    """A stack beside those of two platforms."""

    @classmethod
    def new(cls, folder: Path, config: Config) -> Self:
        for name in _PLATFORMS:
            config_sandbox(folder, **changed(PLATFORM, name=name)).succeed("up")
        return super().new(folder, config)


_CHANGES: dict[str, tuple[type[ChangingStack], Config, list[Change]]] = {
    "on a network": (
        OnExisting,
        _ON_NETWORK,
        [
            {f"{_AT}__mtu": 8896},
            {"lustre__existing": "other"},
            {"lustre": _OWN_LUSTRE},
            {"lustre": None, "network__peering": None},
            {"buckets__data__existing": "second-data"},
            {"buckets__data": _OWN_BUCKET},
            {_AT: _MORE_NETWORK},
            {
                _AT: _SECOND_NETWORK,
                "lustre__existing": "second",
                "network__peering": _PEERING,
            },
            {"network": None, "lustre": None},
        ],
    ),
    "on a subnetwork": (
        OnExisting,
        changed(_ON_NETWORK, **{_AT: _MORE_NETWORK}),
        [
            {f"{_AT}__pods_range": "more-other-pods"},
            {f"{_AT}__services_range": "more-other-services"},
        ],
    ),
    "in a cluster": (
        OnExisting,
        _IN_CLUSTER,
        [
            {"buckets__data": _OWN_BUCKET},
            {"lustre__existing": "other"},
            {f"{_IN}__operators": ["jobset"]},
            {_IN: None, "lustre": None, "network": None},
            {_IN: None, "network": _ON_NETWORK["network"]},
            {f"{_IN}__name": "second"},
            {f"{_IN}__location": ZONE},
        ],
    ),
    "on a platform": (
        OnPlatform,
        _ON_PLATFORM,
        [
            {_ON: _PLATFORMS["second-base"]},
            {_ON: None, _IN: _SECOND_CLUSTER},
            {_ON: None},
            {"namespace": "elsewhere"},
            {"pools__gpu__machine_type": "g2-standard-12"},
            {"ray": None},
        ],
    ),
}
CASES = [
    case_of(stack, before, change, kind)
    for stack, (kind, before, changes) in _CHANGES.items()
    for change in changes
]
