"""How machines are had: the six ways, and what each needs to be told."""

from typing import Annotated, Any, Literal

from pydantic import Field, model_validator

from stacks.block import Block
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
    """At the list price, if Google has some."""

    mode: Literal["on-demand"] = "on-demand"
    """The way to have machines."""


class Spot(_WithoutReservation, frozen=True):
    """Cheaper, and taken away whenever Google wants it back."""

    mode: Literal["spot"] = "spot"
    """The way to have machines."""


class SpecificReservation(Block, frozen=True):
    """Machines that were paid for beforehand.

    Given, `zone` and `machine_type` are held against the stack's before anything is made.
    """

    mode: Literal["reservation"]
    """The way to have machines."""
    name: ReservationPart
    """The reservation's name."""
    project: ProjectId | None = None
    """Its owner's project, where it is shared."""
    block: ReservationPart | None = None
    """One block of the reservation."""
    sub_block: ReservationPart | None = None
    """One sub-block of that block."""
    zone: Zone | None = None
    """Where the reservation says that it is."""
    machine_type: MachineTypeName | None = None
    """What the reservation says that it holds."""


class AnyReservation(_WithoutReservation, frozen=True):
    """Whatever open reservation fits, and on-demand machines when none does."""

    mode: Literal["any-reservation"]
    """The way to have machines."""


class FlexStart(_WithoutReservation, frozen=True):
    """Machines come when there are any, each for at most `max_run_hours`."""

    mode: Literal["flex-start"]
    """The way to have machines."""
    max_run_hours: RunHours = 168
    """Hours after which a machine goes; seven days is Google's limit."""


class Queued(_WithoutReservation, frozen=True):
    """Flex-start for all machines of a workload at once, as its provisioning request asks."""

    mode: Literal["queued"]
    """The way to have machines."""
    max_run_hours: RunHours = 168
    """Hours after which a machine goes; seven days is Google's limit."""


Capacity = Annotated[
    OnDemand | Spot | SpecificReservation | AnyReservation | FlexStart | Queued,
    Field(discriminator="mode"),
]
