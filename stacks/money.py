"""How a sum of money is said: the one place. What is not known is not small. Pure.

While machines are in it that no price is known of, a sum is no total: it is "at least" what the
rest costs, with those machines beside it, and there is no figure for a month.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from catalog import Catalog, MachineRate, MachineType, Way

_SAID = {
    Way.SPOT: "on spot",
    Way.FLEX_START: "by flex-start",
    Way.CALENDAR: "in calendar mode",
    Way.ON_DEMAND: "on demand",
}


@dataclass(frozen=True)
class Unpriced:
    """So many machines, of unknown price as they are had. `near` are the prices
    of one that are known of the same machine had in other ways."""

    what: str
    machine: str = ""
    near: tuple[MachineRate, ...] = ()

    def __str__(self) -> str:
        return self.what

    @property
    def nearest(self) -> str:
        """Empty where nothing is known of the machine at all."""
        if not self.near:
            return ""
        first, *more = (
            (span(it.low, it.high), f"{_SAID[it.way]}{' elsewhere' if it.elsewhere else ''}")
            for it in self.near
        )
        others = "".join(f", {amount} {way}" for amount, way in more)
        return f"one {self.machine} costs {first[0]} USD an hour {first[1]}{others}"


def unpriced(
    machine: MachineType | None, name: str, nodes: tuple[int, int], region: str, catalog: Catalog
) -> Unpriced:
    """Of machines had in a way that has no price."""
    low, high = nodes
    counted = " to ".join(dict.fromkeys((str(low), str(high))))
    has = machine.accelerator if machine is not None else None
    if has is None:
        return Unpriced(f"{counted} x {name}", name)
    devices = " to ".join(dict.fromkeys(f"{it * has.count:,}" for it in nodes))
    found = (catalog.machine_rate(name, way, region) for way in _SAID)
    near = tuple(it for it in found if it is not None)
    return Unpriced(f"{counted} x {name} ({devices} {has.model})", name, near)


def total(
    known: str, unit: str, missing: Sequence[Unpriced | str] = (), *, at_least: bool = False
) -> str:
    """`known` is the sum of what has a price, empty where nothing has. `at_least`: something else
    has none, too."""
    beside = " and ".join(map(str, missing))
    if not known:
        return f"an unknown sum, of {beside}"
    amount = f"{'at least ' if missing or at_least else ''}{known}{unit and f' {unit}'}"
    if not missing:
        return amount
    return f"{amount}, and {beside} of unknown price"


def nearest(missing: Iterable[Unpriced]) -> str:
    """What is known of the same machines instead, each once; empty where nothing is."""
    return "; ".join(dict.fromkeys(it.nearest for it in missing if it.nearest))


def span(low: float, high: float) -> str:
    """To the cent; both ends where they are said differently."""
    return " to ".join(dict.fromkeys(f"{it:,.2f}" for it in (low, high)))
