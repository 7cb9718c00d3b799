"""How a node pool's machines are had, in the provider's words. Pure."""

from dataclasses import dataclass
from enum import StrEnum

from .arguments import one_of, refuse

RESERVATION_KEY = "compute.googleapis.com/reservation-name"


class CapacityMode(StrEnum):
    """QUEUED is flex-start for all machines of a workload at once, by a ProvisioningRequest."""

    ON_DEMAND = "on-demand"
    SPOT = "spot"
    RESERVATION = "reservation"
    ANY_RESERVATION = "any-reservation"
    FLEX_START = "flex-start"
    QUEUED = "queued"


_ON_REQUEST = frozenset({CapacityMode.FLEX_START, CapacityMode.QUEUED})


@dataclass(frozen=True, kw_only=True)
class ReservationArgs:
    """`project` is the owner's where the reservation is shared."""

    name: str
    project: str | None = None
    block: str | None = None
    sub_block: str | None = None

    def check(self) -> None:
        if self.sub_block is not None and self.block is None:
            refuse(
                "sub_block",
                self.sub_block,
                "is a part of a block, and none is given",
                "block with the block's name",
            )

    @property
    def value(self) -> str:
        """What GKE finds the reservation, or the part of it, by."""
        parts = [self.name]
        if self.project is not None:
            parts = ["projects", self.project, "reservations", self.name]
        if self.block is not None:
            parts += ["reservationBlocks", self.block]
        if self.sub_block is not None:
            parts += ["reservationSubBlocks", self.sub_block]
        return "/".join(parts)


@dataclass(frozen=True, kw_only=True)
class CapacityArgs:
    """`mode` is one of CapacityMode; after `max_run_seconds` a machine is taken away. A node has
    `grace_seconds` to end when Google takes it back; None leaves them as GKE has them.
    """

    mode: str
    reservation: ReservationArgs | None = None
    max_run_seconds: int | None = None
    grace_seconds: int | None = None

    def check(self) -> None:
        one_of("mode", self.mode, CapacityMode, "is no way to have machines")
        named = self.mode == CapacityMode.RESERVATION
        if named and self.reservation is None:
            near = "any-reservation, which takes whatever fits"
            refuse("mode", self.mode, "names no reservation", near)
        if not named and self.reservation is not None:
            unused = f'never takes from reservation "{self.reservation.name}"'
            refuse("mode", self.mode, unused, "reservation")
        if self.grace_seconds is not None and not self.spot:
            refuse(
                "grace_seconds",
                self.grace_seconds,
                f'are of spot machines, and mode is "{self.mode}"',
                None,
            )

    @property
    def spot(self) -> bool:
        return self.mode == CapacityMode.SPOT

    @property
    def queued(self) -> bool:
        return self.mode == CapacityMode.QUEUED

    @property
    def on_request(self) -> bool:
        """Machines come when pods ask for them, from flex-start's own capacity."""
        return self.mode in _ON_REQUEST

    @property
    def reservation_type(self) -> str | None:
        """What `consume_reservation_type` is; None leaves the choice to GKE.

        Machines on request are refused unless they ask for no reservation.
        """
        if self.reservation is not None:
            return "SPECIFIC_RESERVATION"
        if self.mode == CapacityMode.ANY_RESERVATION:
            return "ANY_RESERVATION"
        return "NO_RESERVATION" if self.on_request else None

    @property
    def max_run_duration(self) -> str | None:
        return None if self.max_run_seconds is None else f"{self.max_run_seconds}s"
