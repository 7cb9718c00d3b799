"""What a node pool's inputs say: machine type, zones, sizes and additional networks."""

from __future__ import annotations

from collections.abc import Iterator

from catalog import MachineType, Topology
from kube.node_pools import additional_networks
from sandbox.cloud.resource import Inputs, Resource
from sandbox.cloud.view import View

POOL = "gcp:container/nodePool:NodePool"
# Where the state of an Autopilot cluster keeps the networks of its nodes' further interfaces.
HELD_NETWORKS = "held_networks"


def machine_of(inputs: Inputs, cloud: View) -> MachineType:
    return cloud.catalog.machine((inputs.get("nodeConfig") or {}).get("machineType") or "e2-medium")


def has_tpus(machine: MachineType) -> bool:
    return machine.accelerator is not None and machine.accelerator.kind == "tpu"


def topology_of(inputs: Inputs, machine: MachineType, cloud: View) -> Topology | None:
    """The TPU slice that the nodes make up, or that each is by itself; None without TPUs.

    Raises FactError for one that the machine type does not have.
    """
    name = (inputs.get("placementPolicy") or {}).get("tpuTopology")
    if name:
        return cloud.catalog.topology(machine.name, name)
    known = cloud.catalog.topologies(machine.name).values()
    return next((topology for topology in known if not topology.multi_host), None)


def network_profile(inputs: Inputs) -> str | None:
    """The profile by which GKE makes the networks of the additional interfaces, if any."""
    return (inputs.get("networkConfig") or {}).get("acceleratorNetworkProfile")


def attached(inputs: Inputs, machine: MachineType) -> int:
    """How many of the machine's additional interfaces are in a network."""
    if network_profile(inputs):
        return len(machine.additional_interfaces)
    return len(additional_networks(inputs))


def pool_zones(inputs: Inputs, cluster: Resource, cloud: View) -> list[str]:
    """The zones in which the pool makes nodes: its own, else the cluster's."""
    locations = inputs.get("nodeLocations") or cluster["nodeLocations"]
    if locations:
        return list(locations)
    location = cluster["location"]
    return [location] if location.count("-") == 2 else list(cloud.catalog.zones_in(location))


def other_pools(cloud: View, own_id: str) -> Iterator[Resource]:
    return (pool for pool in cloud.find(POOL) if pool.id != own_id)


def pool_region(pool_id: str) -> str:
    """The region of the pool's cluster, which its id names by region or zone."""
    location = pool_id.split("/")[3]
    return "-".join(location.split("-")[:2])
