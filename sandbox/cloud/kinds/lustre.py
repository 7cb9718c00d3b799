"""Managed Lustre instances, and the block of the peering range that each of them takes."""

from __future__ import annotations

from typing import Any

from catalog import FactError, LustreTier, check_capacity, check_growth
from sandbox.cloud.kind import Kind, check_name, digest
from sandbox.cloud.kinds.network import find_network
from sandbox.cloud.kinds.peering import connection_of, free_blocks
from sandbox.cloud.resource import Inputs, Resource
from sandbox.cloud.view import View
from sandbox.errors import CloudError


class LustreInstance(Kind):
    token = "gcp:lustre/instance:Instance"
    api = "lustre.googleapis.com"

    def admit(self, inputs: Inputs, cloud: View) -> None:
        check_name("instance", inputs["instanceId"])
        network = find_network(cloud, inputs["network"])
        if connection_of(cloud, network) is None:
            raise CloudError(
                "FAILED_PRECONDITION",
                f"network {network.id} has no private services access connection",
            )
        try:
            check_capacity(_tier(inputs, cloud), int(inputs["capacityGib"]))
            cloud.catalog.check_lustre_zone(inputs["location"])
        except FactError as error:
            raise CloudError("INVALID_ARGUMENT", str(error)) from None
        prefix = cloud.catalog.lustre.range_prefix_length
        if next(free_blocks(cloud, network, prefix), None) is None:
            raise CloudError(
                "FAILED_PRECONDITION",
                f"couldn't find free blocks in allocated IP ranges of {network.id}: an instance "
                f"takes a /{prefix}; nearest: a peering range with a free /{prefix}",
            )

    def change(self, resource: Resource, news: Inputs, cloud: View) -> None:
        old_gib, new_gib = int(resource["capacityGib"]), int(news["capacityGib"])
        if new_gib == old_gib:
            return
        try:
            check_growth(_tier(news, cloud), old_gib, new_gib)
        except FactError as error:
            raise CloudError("INVALID_ARGUMENT", str(error)) from None

    def outputs(self, inputs: Inputs, cloud: View, resource_id: str) -> dict[str, Any]:
        made = cloud.get(resource_id)
        address = _first_address(inputs, cloud) if made is None else address_of(made)
        return {
            "name": resource_id,
            "mountPoint": f"{address}@tcp:/{inputs['filesystem']}",
            "state": "ACTIVE",
            "uid": digest(resource_id),
            "effectiveLabels": dict(inputs.get("labels") or {}),
        }

    def after_create(self, resource: Resource, cloud: View) -> None:
        network = find_network(cloud, resource["network"])
        if network.id not in cloud.producers:
            cloud.producers.append(network.id)


def address_of(instance: Resource) -> str:
    return instance.outputs["mountPoint"].partition("@")[0]


def port_of(instance: Resource, cloud: View) -> int:
    """The one port that the instance listens on."""
    return cloud.catalog.lustre.port_of(legacy=bool(instance["gkeSupportEnabled"]))


def _tier(inputs: Inputs, cloud: View) -> LustreTier:
    return cloud.catalog.lustre_tier(int(inputs.get("perUnitStorageThroughput") or 0))


def _first_address(inputs: Inputs, cloud: View) -> str:
    """The first host of the first free block that is not the network or its gateway."""
    network = find_network(cloud, inputs["network"])
    return str(next(free_blocks(cloud, network, cloud.catalog.lustre.range_prefix_length))[2])
