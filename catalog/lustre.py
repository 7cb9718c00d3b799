"""Managed Lustre: performance tiers, legal capacities, names."""

import re
from typing import Self

from pydantic import PositiveInt, model_validator

from .table import Fact, FactError, Table, nearest_numbers

_FILESYSTEM = re.compile(r"[A-Za-z0-9]{1,8}")


class LustreTier(Fact):
    """A performance tier; capacities in GiB, throughput in MB/s per TiB.

    Capacities are multiples of `step` up to `threshold`, and of `coarse_step` above it. The
    dynamic tier is asked for by its own API field, never by its throughput. An instance of a tier
    that is `slow` takes more than an hour to be made.
    """

    mbps_per_tib: PositiveInt
    minimum: PositiveInt
    maximum: PositiveInt
    step: PositiveInt
    threshold: PositiveInt | None = None
    coarse_step: PositiveInt | None = None
    dynamic: bool = False
    slow: bool = False

    @model_validator(mode="after")
    def _coarse_step_goes_with_threshold(self) -> Self:
        if (self.threshold is None) != (self.coarse_step is None):
            raise ValueError("threshold and coarse_step stand together or not at all")
        return self

    def fits(self, gib: int) -> bool:
        """Whether an instance of this capacity can be created."""
        return self.minimum <= gib <= self.maximum and gib % self._step_at(gib) == 0

    def nearest(self, gib: int) -> tuple[int, ...]:
        """The legal capacities around `gib`, lower first; one at the ends of the range."""
        if gib <= self.minimum:
            return (self.minimum,)
        if gib >= self.maximum:
            return (self.maximum,)
        step = self._step_at(gib)
        below = gib // step * step
        if self.threshold is not None and gib > self.threshold:
            below = max(below, self.threshold)
        above = below + step if below % step == 0 else (below // step + 1) * step
        return (below,) if below == gib else (below, above)

    def _step_at(self, gib: int) -> int:
        if self.threshold is not None and self.coarse_step is not None and gib > self.threshold:
            return self.coarse_step
        return self.step

    def _described(self) -> str:
        coarse = f", above {self.threshold} by {self.coarse_step}" if self.threshold else ""
        return (
            f"the {self.mbps_per_tib} MB/s per TiB tier "
            f"({self.minimum} to {self.maximum} GiB by {self.step}{coarse})"
        )


def check_capacity(tier: LustreTier, gib: int) -> None:
    """Raises FactError, with the nearest capacities, when `tier` has no instance of `gib` GiB."""
    if not tier.fits(gib):
        near = ", ".join(str(n) for n in tier.nearest(gib))
        raise FactError(f"{gib} GiB is not a capacity of {tier._described()}; nearest: {near}")


def check_growth(tier: LustreTier, old_gib: int, new_gib: int) -> None:
    """Raises FactError when an instance cannot go from `old_gib` to `new_gib`.

    Capacity never shrinks, and an instance made at or below the step threshold stays below it.
    """
    check_capacity(tier, new_gib)
    if new_gib < old_gib:
        raise FactError(
            f"{new_gib} GiB would shrink an instance, which cannot be; nearest: {old_gib}"
        )
    if tier.threshold is not None and old_gib <= tier.threshold < new_gib:
        raise FactError(
            f"{new_gib} GiB is out of reach for an instance made with {old_gib} GiB, which stays "
            f"at or below the step threshold; nearest: {tier.threshold}"
        )


def check_filesystem_name(name: str) -> None:
    """Raises FactError unless `name` is 1 to 8 letters and digits."""
    if not _FILESYSTEM.fullmatch(name):
        near = re.sub(r"[^A-Za-z0-9]", "", name)[:8] or "lustre"
        raise FactError(
            f'"{name}" is not a Lustre file system name (1 to 8 letters and digits); '
            f"nearest: {near}"
        )


class LustreTable(Table):
    """`port` is what clients and servers speak on; `legacy_port` with the legacy GKE switch.

    `range_prefix_length` is the block that an instance takes of a peering range.
    """

    range_prefix_length: PositiveInt
    port: PositiveInt
    legacy_port: PositiveInt
    csi_driver: str
    tiers: tuple[LustreTier, ...]

    def tier(self, mbps_per_tib: int) -> LustreTier:
        """Raises FactError, with the nearest, where there is no such tier."""
        tiers = {tier.mbps_per_tib: tier for tier in self.tiers}
        if mbps_per_tib not in tiers:
            raise FactError(
                f"{mbps_per_tib} MB/s per TiB is not a Managed Lustre tier; "
                f"nearest: {nearest_numbers(mbps_per_tib, tiers)}"
            )
        return tiers[mbps_per_tib]

    def port_of(self, *, legacy: bool) -> int:
        return self.legacy_port if legacy else self.port
