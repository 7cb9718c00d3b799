"""Managed Lustre instances, and the block of the peering range that each of them takes."""

from __future__ import annotations

from ipaddress import IPv4Network
from typing import Any

from catalog import FactError, LustreTier, check_capacity, check_growth
from sandbox.cloud.kind import Kind, birth_digest, birth_time, check_name
from sandbox.cloud.kinds.network import find_network
from sandbox.cloud.kinds.peering import free_block
from sandbox.cloud.resource import Inputs, Resource
from sandbox.cloud.view import View
from sandbox.errors import CloudError


class LustreInstance(Kind):
    token = "gcp:lustre/instance:Instance"
    api = "lustre.googleapis.com"

    def admit(self, inputs: Inputs, cloud: View) -> None:
        check_name("instance", inputs["instanceId"])
        try:
            check_capacity(_tier(inputs, cloud), int(inputs["capacityGib"]))
            cloud.catalog.check_lustre_zone(inputs["location"])
        except FactError as error:
            raise CloudError("INVALID_ARGUMENT", str(error)) from None
        _block(inputs, cloud)

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
        # The first host that is not the gateway.
        address = str(_block(inputs, cloud)[2]) if made is None else address_of(made)
        return {
            "name": resource_id,
            "mountPoint": f"{address}@tcp:/{inputs['filesystem']}",
            "state": "ACTIVE",
            "uid": birth_digest(cloud, resource_id),
            "createTime": birth_time(cloud, resource_id),
            "effectiveLabels": dict(inputs.get("labels") or {}),
        }

    def after_create(self, resource: Resource, cloud: View) -> None:
        network = find_network(cloud, resource["network"], resource["project"])
        if network.id not in cloud.producers:
            cloud.producers.append(network.id)


def address_of(instance: Resource) -> str:
    return instance.outputs["mountPoint"].partition("@")[0]


def port_of(instance: Resource, cloud: View) -> int:
    """The one port that the instance listens on."""
    return cloud.catalog.lustre.port_of(legacy=bool(instance["gkeSupportEnabled"]))


def _tier(inputs: Inputs, cloud: View) -> LustreTier:
    return cloud.catalog.lustre_tier(int(inputs.get("perUnitStorageThroughput") or 0))


def _block(inputs: Inputs, cloud: View) -> IPv4Network:
    """The addresses that a new instance takes."""
    network = find_network(cloud, inputs["network"], inputs.get("project"))
    return free_block(cloud, network, cloud.catalog.lustre.range_prefix_length)
