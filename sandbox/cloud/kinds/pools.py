"""What a node pool's inputs say: machine type, zones, sizes and additional networks."""

from __future__ import annotations

from collections.abc import Iterator

from catalog import MachineType, Topology
from sandbox.cloud.resource import Inputs, Resource
from sandbox.cloud.view import View
from stacks.node_pool_facts import additional_networks

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


def bounds(inputs: Inputs) -> tuple[int, int]:
    """The pool's smallest and largest number of nodes; both the fixed size without autoscaling."""
    auto = inputs.get("autoscaling")
    if not auto:
        size = _first_nodes(inputs)
        return size, size
    low = auto.get("totalMinNodeCount", auto.get("minNodeCount", 0))
    high = auto.get("totalMaxNodeCount", auto.get("maxNodeCount", 0))
    return int(low), int(high)


def wanted_nodes(inputs: Inputs) -> int:
    """How many nodes a create asks for at once."""
    return max(_first_nodes(inputs), bounds(inputs)[0])


def _first_nodes(inputs: Inputs) -> int:
    """A fixed count; the count at birth says nothing where the pool got a fixed one later."""
    fixed = inputs.get("nodeCount")
    return int(inputs.get("initialNodeCount") or 0) if fixed is None else int(fixed)


def most_nodes(inputs: Inputs) -> int:
    """How many nodes the pool can ever have."""
    return max(bounds(inputs)[1], wanted_nodes(inputs))


def other_pools(cloud: View, own_id: str) -> Iterator[Resource]:
    return (pool for pool in cloud.find(POOL) if pool.id != own_id)


def pool_region(pool_id: str) -> str:
    """The region of the pool's cluster, which its id names by region or zone."""
    location = pool_id.split("/")[3]
    return "-".join(location.split("-")[:2])
