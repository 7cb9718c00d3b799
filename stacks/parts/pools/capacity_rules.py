"""What goes with which way to have machines.

Sources: GKE documentation ("About GPU, TPU and H4D consumption with flex-start", "Run a large-scale
workload with flex-start with queued provisioning", "Consuming reservations"), the preconditions of
GoogleCloudPlatform/cluster-toolkit modules/compute/gke-node-pool, read 2026-11-21.
"""

from collections.abc import Iterator

from catalog import Catalog
from stacks.parts.pools.capacity import FlexStart, Queued, SpecificReservation
from stacks.parts.pools.nodes import GpuPool, NodePool, Nodes
from stacks.problems import Problem


def capacity_problems(facts: Catalog, zone: str, field: str, pool: Nodes) -> Iterator[Problem]:
    """The machine type can be had that way, and the pool is one that can be filled that way."""
    machine = facts.machines.get(pool.machine_type)
    if machine is None:
        return
    mode = pool.capacity.mode
    if mode not in machine.capacity_modes:
        yield Problem(
            f"{field}.capacity.mode",
            f"{mode} is not to be had for {machine.name}; "
            f"nearest: {', '.join(machine.capacity_modes)}",
        )
    if isinstance(pool.capacity, SpecificReservation):
        yield from _reservation_problems(pool.capacity, zone, field, pool)
    if isinstance(pool, NodePool) and isinstance(pool.capacity, FlexStart | Queued):
        yield from _waiting_problems(mode, field, pool)
    if isinstance(pool, GpuPool) and pool.compact_placement:
        yield from _placement_problems(facts, field, pool)


def _reservation_problems(
    reservation: SpecificReservation, zone: str, field: str, pool: Nodes
) -> Iterator[Problem]:
    where = f"{field}.capacity"
    if reservation.sub_block is not None and reservation.block is None:
        yield Problem(
            f"{where}.sub_block",
            f"{reservation.sub_block} is in a block, and none is named; nearest: set {where}.block",
        )
    if reservation.zone not in (None, zone):
        yield Problem(
            f"{where}.zone",
            f"the reservation {reservation.name} is in {reservation.zone}, and the nodes are in "
            f"{zone}; nearest: gcp:zone {reservation.zone}, or a reservation in {zone}",
        )
    if reservation.machine_type not in (None, pool.machine_type):
        yield Problem(
            f"{where}.machine_type",
            f"the reservation {reservation.name} is for {reservation.machine_type}, and the nodes "
            f"are {pool.machine_type}; nearest: {field}.machine_type {reservation.machine_type}",
        )


def _waiting_problems(mode: str, field: str, pool: NodePool) -> Iterator[Problem]:
    """Such a pool is empty until there is work and there are machines."""
    if pool.bounds.min > 0:
        yield Problem(
            f"{field}.autoscaling",
            f"{mode} machines come when pods wait for them, so the pool's minimum of "
            f"{pool.bounds.min} cannot be kept; nearest: {{min: 0, max: {pool.bounds.max}}}",
        )


def _placement_problems(facts: Catalog, field: str, pool: GpuPool) -> Iterator[Problem]:
    machine = facts.machine(pool.machine_type)
    if not machine.compact_placement:
        yield Problem(
            f"{field}.compact_placement",
            f"{machine.name} cannot be placed compactly; nearest: false",
        )
    elif pool.capacity.mode == "queued":
        yield Problem(
            f"{field}.compact_placement",
            "queued machines are placed by their request, not by the pool; nearest: false",
        )
    elif pool.capacity.mode == "flex-start" and not machine.rdma_nics:
        yield Problem(
            f"{field}.compact_placement",
            f"flex-start places only machines with RDMA compactly, not {machine.name}; "
            "nearest: false",
        )
    elif isinstance(pool.capacity, SpecificReservation) and pool.capacity.block is not None:
        yield Problem(
            f"{field}.compact_placement",
            f"the block {pool.capacity.block} already says where the nodes stand; nearest: false",
        )
