"""Quotas of queues in their cohorts: what is used, what is free, what could ever be had.

A pure model of kubernetes-sigs/kueue pkg/cache/scheduler/resource_node.go, v0.19.0 (read
2026-11-21): a queue keeps what its lending limit holds back, and shares the rest with its cohort.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from fractions import Fraction

FlavorResource = tuple[str, str]
Amounts = Mapping[FlavorResource, Fraction]
_ZERO = Fraction(0)


@dataclass(frozen=True, kw_only=True)
class Limits:
    """Of one resource in one flavor; None: no limit of that sort."""

    nominal: Fraction = _ZERO
    borrowing: Fraction | None = None
    lending: Fraction | None = None


@dataclass
class Holder:
    """A queue or a cohort; `used` is a queue's own use."""

    name: str
    parent: Holder | None = None
    limits: Mapping[FlavorResource, Limits] = field(default_factory=dict[FlavorResource, Limits])
    children: list[Holder] = field(default_factory=list["Holder"])
    used: dict[FlavorResource, Fraction] = field(default_factory=dict[FlavorResource, Fraction])

    def join(self, parent: Holder) -> None:
        """Cohorts that are each other's parents stay apart."""
        if parent.root() is not self:
            self.parent = parent
            parent.children.append(self)

    def take(self, amounts: Amounts) -> None:
        for key, amount in amounts.items():
            self.used[key] = self.used.get(key, _ZERO) + amount

    def give_back(self, amounts: Amounts) -> None:
        self.take({key: -amount for key, amount in amounts.items()})

    def quota(self, key: FlavorResource) -> Fraction:
        """Its own and what the holders under it share."""
        own = self._limits(key).nominal
        return own + sum((each.quota(key) - each._kept(key) for each in self.children), _ZERO)

    def usage(self, key: FlavorResource) -> Fraction:
        shared = (max(_ZERO, each.usage(key) - each._kept(key)) for each in self.children)
        return self.used.get(key, _ZERO) + sum(shared, _ZERO)

    def free(self, key: FlavorResource) -> Fraction:
        if self.parent is None:
            return self.quota(key) - self.usage(key)
        kept, borrowing = self._kept(key), self._limits(key).borrowing
        above = self.parent.free(key)
        if borrowing is not None:
            taken = max(_ZERO, self.usage(key) - kept)
            above = min(above, self.quota(key) - kept - taken + borrowing)
        return max(_ZERO, kept - self.usage(key)) + above

    def capacity(self, key: FlavorResource) -> Fraction:
        """What it could have if nothing else were used."""
        if self.parent is None:
            return self.quota(key)
        found, borrowing = self._kept(key) + self.parent.capacity(key), self._limits(key).borrowing
        return found if borrowing is None else min(found, self.quota(key) + borrowing)

    def borrowed(self, key: FlavorResource) -> Fraction:
        return max(_ZERO, self.usage(key) - self.quota(key))

    def borrows(self, keys: Iterable[FlavorResource]) -> bool:
        return any(self.borrowed(key) for key in keys)

    def root(self) -> Holder:
        return self if self.parent is None else self.parent.root()

    def _limits(self, key: FlavorResource) -> Limits:
        return self.limits.get(key, Limits())

    def _kept(self, key: FlavorResource) -> Fraction:
        lending = self._limits(key).lending
        return _ZERO if lending is None else max(_ZERO, self.quota(key) - lending)
