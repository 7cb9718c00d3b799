"""How long Kueue leaves to what it has admitted until its pods are ready.

Since 0.19 Kueue stops what is not ready in time and admits it again later, whether it was told to
or not (kubernetes-sigs/kueue PR #11855, CHANGELOG-0.19.md). Pods whose machines are still to come
lose their place for them each time.
"""

from collections.abc import Iterator, Mapping

from components.kueue_manifest import READY_MINUTES
from stacks.parts.pools.capacity import Capacity, FlexStart
from stacks.problems import Problem

# As long as a flex-start machine may run; for how long one may be waited for Google does not say.
_FLEX_START_MINUTES = 7 * 24 * 60


def waiting_minutes(pools: Mapping[str, Capacity]) -> dict[str, int]:
    """For how long pods of queues wait for machines, by the field of the pool."""
    return {
        f"{field}.capacity.mode": _FLEX_START_MINUTES
        for field, capacity in pools.items()
        if isinstance(capacity, FlexStart)
    }


def least_minutes(needed: Mapping[str, int]) -> int:
    return max((READY_MINUTES, *needed.values()))


def readiness_problems(asked: int | None, needed: Mapping[str, int]) -> Iterator[Problem]:
    """`needed` are minutes by the field that says how many."""
    for field, minutes in needed.items():
        if asked is not None and asked < minutes:
            yield Problem(
                "queues.ready_minutes",
                f"after {asked} minutes Kueue stops what is not ready, and by {field} it may take "
                f"{minutes}; nearest: {least_minutes(needed)}",
            )
            return
