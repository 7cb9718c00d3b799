"""How the parts of a combination are drawn."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, Protocol, TypeVar

from hypothesis import strategies as st

from catalog import Catalog, MachineType

_Value = TypeVar("_Value")


class Draw(Protocol):
    def __call__(self, strategy: st.SearchStrategy[_Value], /) -> _Value: ...


@dataclass
class Drawn:
    """What there is so far; `queued` where a job needs queues."""

    draw: Draw
    raw: dict[str, Any]
    facts: Catalog
    autopilot: bool
    first: str
    queued: bool = False

    def pool(self, name: str) -> str:
        """The machines of a pool."""
        return self.raw["pools"][name]["machine_type"]

    def machines(self) -> list[MachineType]:
        return [self.facts.machine(self.pool(it)) for it in self.raw["pools"]]

    def tpus(self) -> list[MachineType]:
        found = [(it, it.accelerator) for it in self.machines()]
        return [machine for machine, it in found if it is not None and it.kind == "tpu"]

    def accelerators(self, pool: str) -> int:
        machine = self.facts.machine(self.pool(pool))
        return 0 if machine.accelerator is None else machine.accelerator.count


def maybe(draw: Draw, one_in: int) -> bool:
    return draw(st.integers(0, one_in - 1)) == 0


def one_of(draw: Draw, values: Iterable[_Value]) -> _Value:
    return draw(st.sampled_from(list(values)))
