"""Whether the quota that a job waits for is there, as Kueue counts it. Pure.

sigs.k8s.io/kueue v0.19.2 pkg/cache/scheduler/resource_node.go (available, and what of a queue's own
is lent), of a cohort that is in no other. A cohort may have more quota than its queues: then there
is more room than is found here.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction

from aistack.why.snapshot import Snapshot
from kube.objects import JsonObject, dig, maps, name_of
from kube.pod_requests import requests_of
from kube.reading import amount, whole

_NONE = Fraction(0)


@dataclass(frozen=True)
class Room:
    """Of one resource in one flavor: what its queue may have of the cohort at this moment, what it
    may take by its own limit on borrowing, and what the job asks for. `limit` is None where it may
    borrow whatever there is. `is_exact` where not several groups of its pods ask for it, of which
    some may have another flavor: then `wanted` is the most that it may need here."""

    free: Fraction
    limit: Fraction | None
    wanted: Fraction
    is_exact: bool

    @property
    def is_enough(self) -> bool:
        return self.wanted <= self.free and (self.limit is None or self.wanted <= self.limit)

    @property
    def is_kept_by_limit(self) -> bool:
        return self.is_exact and self.limit is not None and self.limit < self.wanted <= self.free


def room_for(it: Snapshot, flavor: str, resource: str) -> Room | None:
    """None where not all that share the quota may be seen."""
    if it.cohort is None or it.cluster_queue is None or it.workload is None:
        return None
    own, lent = _NONE, _NONE
    limit: Fraction | None = None
    for queue in it.cohort:
        amounts = _amounts(queue, flavor, resource)
        nominal = _parsed(amounts, "nominalQuota") or _NONE
        lending = _parsed(amounts, "lendingLimit")
        kept = _NONE if lending is None else max(_NONE, nominal - lending)
        used = _used(it.admitted, name_of(queue), flavor, resource)
        lent += nominal - kept - max(_NONE, used - kept)
        if name_of(queue) == name_of(it.cluster_queue):
            own = max(_NONE, kept - used)
            borrowing = _parsed(amounts, "borrowingLimit")
            limit = None if borrowing is None else nominal + borrowing - used
    asked = [one for one in _asked(it.workload, resource) if one]
    return Room(own + lent, limit, sum(asked, _NONE), is_exact=len(asked) == 1)


def _amounts(queue: JsonObject, flavor: str, resource: str) -> JsonObject:
    return next(
        (
            amounts
            for group in maps(dig(queue, "spec", "resourceGroups"))
            for each in maps(group.get("flavors"))
            for amounts in maps(each.get("resources"))
            if each["name"] == flavor and amounts["name"] == resource
        ),
        {},
    )


def _parsed(amounts: JsonObject, key: str) -> Fraction | None:
    return None if amounts.get(key) is None else amount(amounts[key])


def _used(admitted: Sequence[JsonObject], queue: str, flavor: str, resource: str) -> Fraction:
    return sum(
        (
            amount(dig(each, "resourceUsage", resource) or 0)
            for one in admitted
            if dig(one, "status", "admission", "clusterQueue") == queue
            for each in maps(dig(one, "status", "admission", "podSetAssignments"))
            if dig(each, "flavors", resource) == flavor
        ),
        start=_NONE,
    )


def _asked(workload: JsonObject, resource: str) -> Iterator[Fraction]:
    """Of each group of its pods."""
    for one in maps(dig(workload, "spec", "podSets")):
        amounts = requests_of(dig(one, "template", "spec") or {})
        yield whole(one.get("count"), 1) * amounts.get(resource, _NONE)
