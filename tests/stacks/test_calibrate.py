"""A run of the real engine on the sandbox, and the table of durations that its event log makes: the
seconds that it ran with.

Events are the engine's own; their times are put in from the virtual clock, for the run itself is
over in moments. Cannot show how evenly a real cloud works.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from pulumi.automation import EngineEvent

from aistack.__main__ import main
from aistack.calibration import Runs, figures, own_table
from catalog.durations import OWN, TABLE, WITH_IMAGES, Durations
from catalog.durations_table import read_table
from cli.urns import token_of
from sandbox.run_result import RunResult
from tests.stacks.conftest import Sandbox

pytestmark = pytest.mark.thorough

BEGAN = datetime(2026, 11, 23, 12, tzinfo=UTC)
# A minute in which the run plans: nothing of it is an operation's.
PLANNED_S = 60
ENDS = ("resOutputsEvent", "resOpFailedEvent")


@pytest.fixture
def raw(monkeypatch: pytest.MonkeyPatch) -> list[dict[str, Any]]:
    """The engine's event log as it writes it, before anybody reads it."""
    seen: list[dict[str, Any]] = []
    read = EngineEvent.from_json

    def kept(data: dict[str, Any]) -> EngineEvent:
        seen.append(data)
        return read(data)

    monkeypatch.setattr(EngineEvent, "from_json", kept)
    return seen


def spans(result: RunResult) -> Mapping[tuple[str, str], tuple[float, float]]:
    """Simulated seconds of each operation by URN: asked for, and ended."""
    return {(it.urn, it.operation): (it.requested, it.span.end) for it in result.timeline}


def in_cloud_time(raw: list[dict[str, Any]], result: RunResult) -> Iterator[str]:
    """The log's lines with the times of the simulated cloud."""
    known = spans(result)
    for event in raw:
        at = 0.0
        for kind, place in (("resourcePreEvent", 0), *((it, 1) for it in ENDS)):
            if kind in event:
                step = event[kind]["metadata"]
                at = known.get((step["urn"], step["op"]), (0.0, 0.0))[place]
        yield json.dumps({**event, "timestamp": BEGAN.timestamp() + PLANNED_S + at})


@pytest.fixture
def up(
    empty: Callable[[str], Sandbox], raw: list[dict[str, Any]], tmp_path: Path
) -> tuple[Sandbox, RunResult, Path]:
    sandbox = empty("dev")
    result = sandbox.succeed("up")
    log = tmp_path / "events.json"
    log.write_text("\n".join(in_cloud_time(raw, result)))
    return sandbox, result, log


def test_the_event_log_of_a_run_gives_back_the_durations_that_it_ran_with(
    up: tuple[Sandbox, RunResult, Path],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    _, result, log = up
    out = tmp_path / OWN
    words = ["aistack", "calibrate", "--event-log", str(log), "--out", str(out), "--json"]
    monkeypatch.setattr("sys.argv", words)
    assert main() == 0
    said = json.loads(capsys.readouterr().out)
    shipped, own = read_table(TABLE), read_table(out)
    awaited = {it["type"] for it in said["figures"]}
    assert awaited == own.durations.keys() <= {token_of(it.urn) for it in result.timeline}
    # With Ray's pods Pulumi waits for their images.
    assert {"gcp:container/cluster:Cluster", "kubernetes:helm.sh/v3:Release"} <= awaited
    assert awaited.isdisjoint(WITH_IMAGES)
    for token in awaited:
        expected = (shipped.durations.get(token) or shipped.durations["default"]).create
        found = own.durations[token].create
        assert expected is not None
        assert found is not None
        assert {found.low, found.likely, found.high} == {expected.likely}, token
    assert set(own.durations["gcp:container/nodePool:NodePool"].by.of) == {  # type: ignore[union-attr]
        "e2-standard-4",
        "g2-standard-8",
    }


def test_a_project_that_has_the_table_runs_by_it(
    up: tuple[Sandbox, RunResult, Path], tmp_path: Path
) -> None:
    *_, log = up
    text = log.read_text().splitlines()
    slow = [json.loads(it) for it in text]
    for event in slow:
        event["timestamp"] = 2 * event["timestamp"]
    log.write_text("\n".join(json.dumps(it) for it in slow))
    runs = Runs()
    runs.read(log)
    (tmp_path / OWN).write_text(own_table(figures(runs), runs.sources, BEGAN.date()))
    token = "gcp:container/cluster:Cluster"
    twice = Durations.of(tmp_path).seconds(token, "create")
    assert twice == 2 * Durations.load().seconds(token, "create")
