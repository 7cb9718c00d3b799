"""Who has the quota that a job waits for, and for how long still. Pure."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction

from aistack.why.saying import spoken
from aistack.why.snapshot import Snapshot, listed
from kube import quantity
from kube.jobs import condition
from kube.objects import JsonObject, dig, maps, name_of
from kube.reading import amount, moment, whole


@dataclass(frozen=True)
class _Holder:
    name: str
    amount: Fraction
    seconds: int
    left: int | None

    def __str__(self) -> str:
        left = "" if self.left is None else f", for {spoken(self.left)} at the most still"
        return f"{self.name} {quantity.render(self.amount)} for {spoken(self.seconds)}{left}"


def holders_of(it: Snapshot, flavor: str, resource: str) -> str:
    """The largest first."""
    found = sorted(_holders(it, flavor, resource), key=lambda one: -one.amount)
    named = f": {listed([str(one) for one in found])}" if found else ""
    return f"others have it{named}"


def _holders(it: Snapshot, flavor: str, resource: str) -> Iterator[_Holder]:
    for workload in it.admitted:
        held = sum(
            (
                amount(dig(each, "resourceUsage", resource))
                for each in maps(dig(workload, "status", "admission", "podSetAssignments"))
                if (each.get("flavors") or {}).get(resource) == flavor
            ),
            Fraction(0),
        )
        reserved = condition(workload, "QuotaReserved")
        if held and reserved is not None:
            since = moment(reserved["lastTransitionTime"])
            seconds = int((it.now - since).total_seconds())
            most = dig(workload, "spec", "maximumExecutionTimeSeconds")
            left = None if most is None else max(0, whole(most) - seconds)
            yield _Holder(job_name(workload), held, seconds, left)


def job_name(workload: JsonObject) -> str:
    """The namespace and the name of the job that a workload stands for."""
    owners = maps(dig(workload, "metadata", "ownerReferences"))
    name = owners[0]["name"] if owners else name_of(workload)
    return f"{dig(workload, 'metadata', 'namespace')}/{name}"
