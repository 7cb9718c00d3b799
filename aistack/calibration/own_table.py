"""The table of durations that a user's logs and state make together."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import date
from pathlib import Path

from aistack.calibration.event_log import read_event_log
from aistack.calibration.observed import Figure, Observed, figures, table_of, text_of
from aistack.calibration.state_times import Run, read_state
from aistack.errors import VerbError
from aistack.stack import history_of, recorded_stack
from catalog.durations import TABLE
from catalog.durations_table import read_table


@dataclass(frozen=True, kw_only=True)
class OwnTable:
    """`failed` operations are left out, and so are those `unfinished` in a log and those `unknown`
    of a state."""

    figures: tuple[Figure, ...]
    sources: dict[str, str]
    text: str
    failed: int = 0
    unfinished: int = 0
    unknown: int = 0


def own_table(logs: Iterable[Path], stack: str | None, day: date, *, from_state: bool) -> OwnTable:
    """Raises VerbError."""
    observed: list[Observed] = []
    sources: dict[str, str] = {}
    failed = unfinished = unknown = 0
    for number, file in enumerate(logs, 1):
        name = f"log-{number}"
        log = read_event_log(file, name)
        observed += log.observed
        failed, unfinished = failed + log.failed, unfinished + log.unfinished
        sources[name] = f"the event log {file.name}, in whole seconds"
    if from_state:
        asked = recorded_stack(stack)
        runs = [Run.of_json(it) for it in history_of(asked)]
        state = read_state(asked.resources, runs, "state")
        observed += state.observed
        unknown = state.unknown
        sources["state"] = f"the state of {asked.name}: when each was made, not when it began"
    if not observed:
        raise VerbError("--from-state: no create of the runs in its history; nearest: --event-log")
    found = figures(observed, read_table(TABLE))
    used = {it for one in found for it in one.seconds.seen}
    sources = {name: what for name, what in sources.items() if name in used}
    return OwnTable(
        figures=tuple(found),
        sources=sources,
        text=text_of(table_of(found, sources, day)),
        failed=failed,
        unfinished=unfinished,
        unknown=unknown,
    )
