"""What a state says of how long its resources took to be made: no more than an upper bound.

The engine notes when a create was over (`created`; pulumi/pulumi pkg/resource/deploy/step.go,
v3.256.0) and not when it began. It began after the run did, and after the last of what it waits for
was made; it may have begun later. Of updates the state has an end alone, and of deletes nothing.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from aistack.calibration.observed import Observed, is_its_own, is_timed, value_of
from cli.urns import state_dependencies, token_of


@dataclass(frozen=True)
class Run:
    """When one `up` began and ended."""

    start: datetime
    end: datetime

    @classmethod
    def of_json(cls, found: Mapping[str, Any]) -> Run:
        return cls(_moment(found["startTime"]), _moment(found["endTime"]))


@dataclass
class StateTimes:
    """`unknown` are the resources of which nothing can be said: made before the history that there
    is, or of what was made anew after them."""

    observed: list[Observed] = field(default_factory=list[Observed])
    unknown: int = 0


def read_state(
    resources: Sequence[Mapping[str, Any]], runs: Sequence[Run], source: str
) -> StateTimes:
    found, times = StateTimes(), _Times(resources)
    for it in resources:
        made = times.made.get(it["urn"])
        if made is None or not is_timed(it["urn"]):
            continue
        run = next((one for one in runs if one.start <= made <= one.end), None)
        ready = times.ready(it["urn"])
        if run is None or (ready is not None and ready > made):
            found.unknown += 1
        elif is_its_own(token := token_of(it["urn"]), "create", it.get("inputs") or {}):
            seconds = (made - max(run.start, ready or run.start)).total_seconds()
            value = value_of(token, it.get("inputs") or {})
            found.observed.append(Observed(token, "create", seconds, source, value, at_most=True))
    return found


class _Times:
    """When each resource was made, and when what it waits for was."""

    def __init__(self, resources: Sequence[Mapping[str, Any]]) -> None:
        self.made = {it["urn"]: _moment(it["created"]) for it in resources if it.get("created")}
        self._needs = state_dependencies(resources)
        self._ready: dict[str, datetime | None] = {}

    def ready(self, urn: str) -> datetime | None:
        """Through what has no time of its own, such as components."""
        if urn not in self._ready:
            self._ready[urn] = None
            moments = [self._end(it) for it in self._needs.get(urn, ())]
            self._ready[urn] = max((it for it in moments if it is not None), default=None)
        return self._ready[urn]

    def _end(self, urn: str) -> datetime | None:
        made, before = self.made.get(urn), self.ready(urn)
        return made if made is not None and is_timed(urn) else before


def _moment(said: str) -> datetime:
    return datetime.fromisoformat(said)
