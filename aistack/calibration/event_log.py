"""The engine's event log of a run, as `pulumi up --event-log FILE` writes it: a JSON object a line.

Its times are whole seconds (pulumi/pulumi sdk/go/common/apitype/events.go, v3.256.0), so each
operation is known to within one. What the provider itself waits for, such as a free place among
GKE's operations on a cluster, is in it.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from aistack.calibration.observed import OPERATIONS, Observed, is_its_own, is_timed, value_of
from aistack.errors import VerbError
from cli.urns import token_of

_BEGUN, _ENDED, _FAILED = "resourcePreEvent", "resOutputsEvent", "resOpFailedEvent"


@dataclass
class EventLog:
    """What a log has of operations; `unfinished` were begun and are not said to have ended."""

    observed: list[Observed] = field(default_factory=list[Observed])
    failed: int = 0
    unfinished: int = 0


def read_event_log(file: Path, source: str) -> EventLog:
    """Raises VerbError of a file that is none, or that has no operation in it."""
    log, begun = EventLog(), dict[tuple[str, str], float]()
    lines = file.read_text(encoding="utf-8", errors="replace").splitlines()
    for number, line in enumerate(lines, 1):
        try:
            _read(log, begun, json.loads(line), source)
        except (ValueError, KeyError, TypeError, AttributeError):
            raise VerbError(
                f"--event-log: {file.name}: line {number} is no event of the engine; "
                "nearest: the file of `PULUMI_DEBUG_COMMANDS=true pulumi up --event-log FILE`"
            ) from None
    log.unfinished = len(begun)
    if not log.observed:
        raise VerbError(
            f"--event-log: {file.name}: no operation in it went well; "
            "nearest: that of an `up` which made something"
        )
    return log


def _read(
    log: EventLog, begun: dict[tuple[str, str], float], event: Mapping[str, Any], source: str
) -> None:
    at = float(event["timestamp"])
    for kind in (_BEGUN, _ENDED, _FAILED):
        said = event.get(kind)
        # An `up` plans first, and those events take no time.
        if isinstance(said, Mapping) and not said.get("planning"):
            _take(log, begun, kind, said["metadata"], at, source)


def _take(
    log: EventLog,
    begun: dict[tuple[str, str], float],
    kind: str,
    step: Mapping[str, Any],
    at: float,
    source: str,
) -> None:
    urn, operation = step["urn"], OPERATIONS.get(step["op"])
    if operation is None or not is_timed(urn):
        return
    inputs = (step.get("new") or step.get("old") or {}).get("inputs") or {}
    if kind == _BEGUN:
        begun[urn, operation] = at
    elif (start := begun.pop((urn, operation), None)) is not None:
        if kind == _FAILED:
            log.failed += 1
        elif is_its_own(token := token_of(urn), operation, inputs):
            value = value_of(token, inputs)
            log.observed.append(Observed(token, operation, at - start, source, value))
