"""Combinations some of whose parts exist already: which ones is drawn, and what is there in their
place is as the stack would have made it."""

from copy import deepcopy
from dataclasses import dataclass
from random import Random
from typing import Any

from catalog import Catalog
from stacks.plan import Plan
from tests.parts.combinations import put_right
from tests.parts.existing_ground import (
    ExistingVpc,
    existing_bucket,
    existing_cluster,
    existing_lustre,
)

# What says how a part is made, by the part.
_OF_MADE = {
    "network": ("subnet", "pods", "services", "peering_on_destroy"),
    "cluster": ("name", "location", "version", "endpoint", "authorized_networks", "maintenance"),
    "buckets": ("name", "versioning", "soft_delete_days", "force_destroy", "lifecycle"),
    "lustre": ("name", "throughput_mbps_per_tib"),
}


@dataclass(frozen=True)
class Adopting:
    """A config with what it names; `adopted` are the blocks whose parts are there already, and
    `made` are logical names that their resources would have."""

    raw: dict[str, Any]
    existing: list[dict[str, Any]]
    adopted: frozenset[str]

    @property
    def made(self) -> frozenset[str]:
        found = {it.partition(".")[2] for it in self.adopted if it.startswith("buckets.")}
        found |= {"network"} if self.adopted & {"network", "cluster"} else set()
        found |= {"gke-cluster"} if "cluster" in self.adopted else set()
        found |= {"lustre", "services"} if "lustre" in self.adopted else set()
        return frozenset(found)


def adopting(raw: dict[str, Any], random: Random) -> Adopting:
    """One or more of the parts of a legal config, drawn."""
    found = put_right(raw)
    assert found is not None
    raw, plan = deepcopy(found[0]), found[1]
    ground = random.choice((("network",), ("cluster",), ("network", "cluster"), ()))
    if "cluster" in ground and plan.autopilot and plan.interface_sets:
        ground = ("network",)
    buckets = [it for it in raw.get("buckets", {}) if random.random() < 0.5]
    # An instance is on the network that it was made for.
    lustre = ["lustre"] if ground and "lustre" in raw and random.random() < 0.5 else []
    if not (ground or buckets):
        ground = ("network",)
    existing: list[dict[str, Any]] = []
    if ground:
        existing += _vpc_of(plan).resources()
    if "cluster" in ground:
        existing.append(_cluster_of(plan))
    existing += [_bucket_of(plan, it) for it in buckets]
    existing += [_lustre_of(plan) for _ in lustre]
    for block in ground:
        raw[block] = _named(raw.get(block, {}), block, plan)
    if ground:
        raw["network"] = _beside(raw.get("network", {}), plan, *ground, *lustre)
    for key in buckets:
        hierarchy = raw["buckets"][key].get("hierarchical_namespace", True)
        block = _without(raw["buckets"][key], "buckets")
        block |= {"existing": f"theirs-{key}", "hierarchical_namespace": hierarchy}
        raw["buckets"][key] = block
    if lustre:
        raw["lustre"] = {**_without(raw["lustre"], "lustre"), "existing": "theirs"}
    raw = {key: it for key, it in raw.items() if it != {}}
    return Adopting(
        raw, existing, frozenset((*ground, *(f"buckets.{it}" for it in buckets), *lustre))
    )


def _without(block: dict[str, Any], part: str) -> dict[str, Any]:
    return {key: it for key, it in block.items() if key not in _OF_MADE[part]}


def _named(block: dict[str, Any], part: str, plan: Plan) -> dict[str, Any]:
    named: dict[str, Any] = {"name": "theirs", "location": plan.location}
    if part == "network":
        ranges = {"pods_range": "their-pods", "services_range": "their-services"}
        named = {"network": "theirs", "subnetwork": "their-nodes", "mtu": 8896, **ranges}
    return {**_without(block, part), "existing": named}


def _beside(block: dict[str, Any], plan: Plan, *adopted: str) -> dict[str, Any]:
    """What a config says of the address plan beside a network or a cluster of others."""
    network = plan.stack.network
    found = _without(block, "network")
    if "cluster" in adopted:
        found.pop("control_plane", None)
    if not plan.multi_networking:
        found.pop("mtu", None)
    if plan.stack.lustre is not None:
        found["peering"] = network.peering
    return found


def _vpc_of(plan: Plan) -> ExistingVpc:
    stack = plan.stack
    wanted, peered = stack.network, stack.lustre is not None or stack.redis is not None
    return ExistingVpc(
        project=stack.project,
        region=stack.region,
        name="theirs",
        subnetwork="their-nodes",
        nodes=wanted.subnet,
        pods_range="their-pods",
        pods=wanted.pods,
        services_range="their-services",
        services=wanted.services,
        peering=wanted.peering if peered else None,
    )


def _cluster_of(plan: Plan) -> dict[str, Any]:
    """With all that the stack uses, and its operator only where the config says so."""
    stack = plan.stack
    addon = {"rayOperatorConfigs": [{"enabled": True}]} if "ray_operator" in plan.features else {}
    return existing_cluster(
        _vpc_of(plan),
        project=stack.project,
        name="theirs",
        location=plan.location,
        version=str(plan.gke_version or Catalog.load().versions.gke.version),
        channel=stack.cluster.release_channel.value,
        control_plane=stack.network.control_plane,
        addons=addon,
        # Of a cluster that is there nobody says that its GKE makes networks of further interfaces.
        enableMultiNetworking=any(it.machine.additional_interfaces for it in plan.pools.values()),
        podAutoscaling={"hpaProfile": "PERFORMANCE"},
        **({"enableAutopilot": True} if plan.autopilot else {}),
    )


def _bucket_of(plan: Plan, key: str) -> dict[str, Any]:
    hierarchy = plan.stack.buckets[key].hierarchical_namespace
    return existing_bucket(
        plan.stack.project,
        f"theirs-{key}",
        plan.stack.region,
        hierarchicalNamespace={"enabled": hierarchy},
    )


def _lustre_of(plan: Plan) -> dict[str, Any]:
    lustre = plan.stack.lustre
    assert lustre is not None
    assert lustre.capacity_gib is not None
    assert lustre.throughput_mbps_per_tib is not None
    return existing_lustre(
        _vpc_of(plan),
        project=plan.stack.project,
        name="theirs",
        zone=plan.stack.zone,
        capacity_gib=lustre.capacity_gib,
        throughput_mbps_per_tib=lustre.throughput_mbps_per_tib,
        filesystem=lustre.filesystem,
        **({"gkeSupportEnabled": True} if plan.lustre_legacy_port else {}),
    )
