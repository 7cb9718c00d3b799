"""How a pool's machines are asked for, as arguments of node pools and compute classes."""

from components.base.capacity import CapacityArgs, ReservationArgs
from stacks.parts.pools.config import Capacity, FlexStart, SpecificReservation


def capacity_of(capacity: Capacity, grace_seconds: int | None = None) -> CapacityArgs:
    reservation = None
    if isinstance(capacity, SpecificReservation):
        reservation = ReservationArgs(
            name=capacity.name,
            project=capacity.project,
            block=capacity.block,
            sub_block=capacity.sub_block,
        )
    # Queued machines are asked for with their time, so the pool does not say it.
    timed = isinstance(capacity, FlexStart)
    return CapacityArgs(
        mode=capacity.mode,
        reservation=reservation,
        max_run_seconds=capacity.max_run_hours * 3600 if timed else None,
        grace_seconds=grace_seconds,
    )
