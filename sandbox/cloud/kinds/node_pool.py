"""GKE node pools and the nodes that they bring."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from catalog import FactError, MachineType
from sandbox.cloud.kind import Inputs, Kind, Resource, check_name
from sandbox.cloud.kinds.cluster import Cluster
from sandbox.cloud.kinds.iam import ServiceAccount
from sandbox.errors import CloudError

if TYPE_CHECKING:
    from sandbox.cloud.cloud import Cloud


class NodePool(Kind):
    token = "gcp:container/nodePool:NodePool"
    api = "container.googleapis.com"

    def admit(self, inputs: Inputs, cloud: Cloud) -> None:
        check_name("node pool", inputs["name"], 40)
        cluster = cluster_of(inputs, cloud)
        node = inputs.get("nodeConfig") or {}
        machine = self._check_machine(inputs, cluster, cloud)
        self._check_accelerators(node, machine)
        self._check_account(node, cloud)
        self._check_autoscaling(inputs)

    def change(self, resource: Resource, news: Inputs, cloud: Cloud) -> None:
        del resource
        self._check_autoscaling(news)
        self._check_machine(news, cluster_of(news, cloud), cloud)

    def outputs(self, inputs: Inputs, cloud: Cloud, resource_id: str) -> dict[str, Any]:
        cluster = cluster_of(inputs, cloud)
        return {
            "version": inputs.get("version") or cluster.outputs["masterVersion"],
            "instanceGroupUrls": [
                f"zones/{zone}/instanceGroupManagers/gke-{cluster['name']}-{inputs['name']}"
                for zone in pool_zones(inputs, cluster, cloud)
            ],
        }

    def slots(self, inputs: Inputs) -> str | None:
        return self.identify(inputs).rsplit("/nodePools/", 1)[0]

    def _check_machine(self, inputs: Inputs, cluster: Resource, cloud: Cloud) -> MachineType:
        try:
            machine = machine_of(inputs, cloud)
            zones = pool_zones(inputs, cluster, cloud)
            missing = [zone for zone in zones if not cloud.catalog.offers(zone, machine.name)]
        except FactError as error:
            raise CloudError("INVALID_ARGUMENT", str(error)) from None
        if missing:
            raise CloudError(
                "INVALID_ARGUMENT",
                f"machine type {machine.name} does not exist in zone {missing[0]}",
            )
        for zone in zones:
            if wanted_nodes(inputs) and cloud.faults.out_of_stock(machine.name, zone):
                raise CloudError(
                    "RESOURCE_POOL_EXHAUSTED",
                    f"the zone {zone} does not have enough {machine.name} available",
                )
        return machine

    def _check_accelerators(self, node: Inputs, machine: MachineType) -> None:
        accelerators = node.get("guestAccelerators") or []
        gpu = (
            machine.accelerator
            if machine.accelerator and machine.accelerator.kind == "gpu"
            else None
        )
        for wanted in accelerators:
            if gpu is None or (wanted["type"], wanted["count"]) != (gpu.type, gpu.count):
                have = f"{gpu.count} x {gpu.type}" if gpu else "no GPU"
                raise CloudError(
                    "INVALID_ARGUMENT",
                    f"{wanted['count']} x {wanted['type']} does not fit {machine.name}: {have}",
                )

    def _check_account(self, node: Inputs, cloud: Cloud) -> None:
        email = node.get("serviceAccount")
        emails = {account.outputs["email"] for account in cloud.find(ServiceAccount.token)}
        if email not in (None, "default") and email not in emails:
            raise CloudError("INVALID_ARGUMENT", f'service account "{email}" does not exist')

    def _check_autoscaling(self, inputs: Inputs) -> None:
        low, high = bounds(inputs)
        if low > high:
            raise CloudError(
                "INVALID_ARGUMENT", f"autoscaling minimum {low} is above maximum {high}"
            )


def cluster_of(inputs: Inputs, cloud: Cloud) -> Resource:
    return cloud.require(Cluster.token, inputs["cluster"], "cluster")


def machine_of(inputs: Inputs, cloud: Cloud) -> MachineType:
    return cloud.catalog.machine((inputs.get("nodeConfig") or {}).get("machineType") or "e2-medium")


def pool_zones(inputs: Inputs, cluster: Resource, cloud: Cloud) -> list[str]:
    """The zones in which the pool makes nodes: its own, else the cluster's."""
    locations = inputs.get("nodeLocations") or cluster["nodeLocations"]
    if locations:
        return list(locations)
    location = cluster["location"]
    return [location] if location.count("-") == 2 else list(cloud.catalog.zones_in(location))


def bounds(inputs: Inputs) -> tuple[int, int]:
    """The pool's smallest and largest number of nodes; both the fixed size without autoscaling."""
    auto = inputs.get("autoscaling")
    if not auto:
        size = int(inputs.get("nodeCount") or inputs.get("initialNodeCount") or 0)
        return size, size
    low = auto.get("totalMinNodeCount", auto.get("minNodeCount", 0))
    high = auto.get("totalMaxNodeCount", auto.get("maxNodeCount", 0))
    return int(low), int(high)


def wanted_nodes(inputs: Inputs) -> int:
    """How many nodes a create asks for at once."""
    return max(int(inputs.get("initialNodeCount") or 0), bounds(inputs)[0])
