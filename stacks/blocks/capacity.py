"""How machines are had: the six ways, and what each needs to be told."""

from typing import Annotated, Any, Literal

from pydantic import Field, model_validator

from stacks.blocks.block import Block
from stacks.problems import ForeignKeysError
from stacks.types import MachineTypeName, ProjectId, ReservationPart, RunHours, Zone

_OF_A_RESERVATION = frozenset({"name", "project", "block", "sub_block", "reservation"})


class _WithoutReservation(Block, frozen=True):
    @model_validator(mode="before")
    @classmethod
    def _takes_no_reservation(cls, value: Any) -> Any:
        given: dict[str, Any] = value if isinstance(value, dict) else {}
        if foreign := sorted(_OF_A_RESERVATION & given.keys()):
            keys = " and ".join(foreign)
            raise ForeignKeysError(
                foreign,
                f"{given.get('mode')} machines never come from a reservation, so {keys} cannot "
                f"stand here; nearest: mode: reservation, or no {keys}",
            )
        return value


class OnDemand(_WithoutReservation, frozen=True):
    mode: Literal["on-demand"] = "on-demand"


class Spot(_WithoutReservation, frozen=True):
    """Cheaper, and taken away whenever Google wants it back."""

    mode: Literal["spot"] = "spot"


class SpecificReservation(Block, frozen=True):
    """Machines that were paid for beforehand; `project` is its owner's when it is shared.

    `zone` and `machine_type` are what the reservation says of itself. Given, they are held against
    the stack's before anything is made.
    """

    mode: Literal["reservation"]
    name: ReservationPart
    project: ProjectId | None = None
    block: ReservationPart | None = None
    sub_block: ReservationPart | None = None
    zone: Zone | None = None
    machine_type: MachineTypeName | None = None


class AnyReservation(_WithoutReservation, frozen=True):
    """Whatever open reservation fits, and on-demand machines when none does."""

    mode: Literal["any-reservation"]


class FlexStart(_WithoutReservation, frozen=True):
    """Machines come when there are any, each for at most `max_run_hours`."""

    mode: Literal["flex-start"]
    max_run_hours: RunHours = 168


class Queued(_WithoutReservation, frozen=True):
    """Flex-start for all machines of a workload at once, as its provisioning request asks."""

    mode: Literal["queued"]
    max_run_hours: RunHours = 168


Capacity = Annotated[
    OnDemand | Spot | SpecificReservation | AnyReservation | FlexStart | Queued,
    Field(discriminator="mode"),
]
