"""Managed Lustre instances."""

from __future__ import annotations

from ipaddress import ip_address
from typing import TYPE_CHECKING, Any

from catalog import FactError, LustreTier, check_capacity, check_growth
from sandbox.cloud.kind import Inputs, Kind, Resource, check_name, digest
from sandbox.cloud.kinds.network import find_network
from sandbox.cloud.kinds.peering import GlobalAddress, connection_of
from sandbox.errors import CloudError

if TYPE_CHECKING:
    from sandbox.cloud.cloud import Cloud


class LustreInstance(Kind):
    token = "gcp:lustre/instance:Instance"
    api = "lustre.googleapis.com"

    def admit(self, inputs: Inputs, cloud: Cloud) -> None:
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

    def change(self, resource: Resource, news: Inputs, cloud: Cloud) -> None:
        old_gib, new_gib = int(resource["capacityGib"]), int(news["capacityGib"])
        if new_gib == old_gib:
            return
        try:
            check_growth(_tier(news, cloud), old_gib, new_gib)
        except FactError as error:
            raise CloudError("INVALID_ARGUMENT", str(error)) from None

    def outputs(self, inputs: Inputs, cloud: Cloud, resource_id: str) -> dict[str, Any]:
        return {
            "name": resource_id,
            "mountPoint": f"{_address(inputs, cloud)}@tcp:/{inputs['filesystem']}",
            "state": "ACTIVE",
            "uid": digest(resource_id),
            "effectiveLabels": dict(inputs.get("labels") or {}),
        }

    def after_create(self, resource: Resource, cloud: Cloud) -> None:
        network = find_network(cloud, resource["network"])
        if network.id not in cloud.producers:
            cloud.producers.append(network.id)


def _tier(inputs: Inputs, cloud: Cloud) -> LustreTier:
    return cloud.catalog.lustre_tier(int(inputs.get("perUnitStorageThroughput") or 0))


def _address(inputs: Inputs, cloud: Cloud) -> str:
    """The instance's address: the first hosts of the peering range, in order of creation."""
    network = find_network(cloud, inputs["network"])
    connection = connection_of(cloud, network)
    assert connection is not None, "admit has seen the connection"
    name = connection["reservedPeeringRanges"][0]
    base = ip_address(
        next(a for a in cloud.find(GlobalAddress.token) if a["name"] == name).outputs["address"]
    )
    taken = {
        instance.outputs["mountPoint"].split("@")[0]
        for instance in cloud.find(LustreInstance.token)
        if instance["instanceId"] != inputs["instanceId"]
    }
    return str(next(base + host for host in range(2, 250) if str(base + host) not in taken))
