"""Logs and states of real runs as a table of durations: what counts, what is left out, and what is
refused. That a log of the engine has this form is shown in tests/stacks/test_calibrate.py."""

from __future__ import annotations

import json
from collections.abc import Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from aistack.__main__ import main
from aistack.calibration.event_log import EventLog, read_event_log
from aistack.calibration.observed import Observed, figures, table_of, text_of
from aistack.calibration.state_times import Run, StateTimes, read_state
from aistack.errors import VerbError
from aistack.stack import Stack
from catalog.durations import OWN, TABLE
from catalog.durations_table import read_table

POOL = "gcp:container/nodePool:NodePool"
CLUSTER = "gcp:container/cluster:Cluster"
DAY = datetime(2026, 11, 23, 12, tzinfo=UTC)
SKIPPED = {"metadata": {"annotations": {"pulumi.com/skipAwait": "true"}}}


def urn(token: str, name: str = "it") -> str:
    return f"urn:pulumi:s::p::{token}::{name}"


def event(
    kind: str, at: float, token: str, operation: str = "create", **more: Any
) -> dict[str, Any]:
    inputs = more.pop("inputs", {})
    step = {"urn": urn(token, more.pop("name", "it")), "op": operation, "new": {"inputs": inputs}}
    return {"sequence": 1, "timestamp": at, kind: {"metadata": step, **more}}


def both(begun: float, ended: float, token: str, operation: str = "create", **more: Any) -> Any:
    return [
        event("resourcePreEvent", begun, token, operation, **more),
        event("resOutputsEvent", ended, token, operation, **more),
    ]


def read(folder: Path, *events: Mapping[str, Any]) -> EventLog:
    file = folder / "up.json"
    file.write_text("\n".join(json.dumps(it) for it in events))
    return read_event_log(file, "log-1")


def seconds(log: EventLog) -> list[tuple[str, str, float]]:
    return [(it.token, it.operation, it.seconds) for it in log.observed]


@pytest.mark.parametrize(
    ("operation", "counted"),
    [
        ("create", "create"),
        ("create-replacement", "create"),
        ("update", "update"),
        ("delete", "delete"),
        ("delete-replaced", "delete"),
    ],
)
def test_an_operation_takes_from_its_begin_to_its_end(
    tmp_path: Path, operation: str, counted: str
) -> None:
    found = read(tmp_path, *both(100, 580, CLUSTER, operation))
    assert seconds(found) == [(CLUSTER, counted, 480)]


@pytest.mark.parametrize("operation", ["same", "replace", "read", "refresh"])
def test_what_changes_nothing_is_no_operation(tmp_path: Path, operation: str) -> None:
    log = read(tmp_path, *both(100, 580, CLUSTER, operation), *both(1, 2, POOL))
    assert [it.token for it in log.observed] == [POOL]


def test_what_the_run_planned_took_no_time(tmp_path: Path) -> None:
    log = read(tmp_path, *both(10, 10, CLUSTER, planning=True), *both(100, 580, CLUSTER))
    assert seconds(log) == [(CLUSTER, "create", 480)]


def test_components_and_providers_are_not_the_clouds(tmp_path: Path) -> None:
    others = [*both(1, 9, "gke-ai-stacks:net:Network"), *both(1, 9, "pulumi:providers:gcp")]
    assert seconds(read(tmp_path, *others, *both(1, 3, POOL))) == [(POOL, "create", 2)]


def test_what_nobody_waited_for_says_nothing_of_its_type(tmp_path: Path) -> None:
    deployment = "kubernetes:apps/v1:Deployment"
    log = read(tmp_path, *both(1, 2, deployment, inputs=SKIPPED), *both(1, 9, deployment))
    assert seconds(log) == [(deployment, "create", 8)]


def test_failed_and_unfinished_operations_are_counted_and_left_out(tmp_path: Path) -> None:
    failed = [event("resourcePreEvent", 1, POOL), event("resOpFailedEvent", 900, POOL)]
    cut = event("resourcePreEvent", 1, POOL, name="other")
    log = read(tmp_path, *failed, cut, *both(1, 481, CLUSTER))
    assert (log.failed, log.unfinished, len(log.observed)) == (1, 1, 1)


@pytest.mark.parametrize(
    "text",
    [
        "nonsense",
        "{}",
        "[]",
        '{"timestamp": 1, "resourcePreEvent": {}}',
        '{"timestamp": 1}\n{"sequence": 2}',
    ],
)
def test_a_file_that_is_no_log_is_refused_by_its_line(tmp_path: Path, text: str) -> None:
    (tmp_path / "up.json").write_text(text)
    number = text.count("\n") + 1
    with pytest.raises(VerbError, match=rf"^--event-log: up.json: line {number} is no event"):
        read_event_log(tmp_path / "up.json", "log-1")


def test_a_log_in_which_nothing_was_made_is_refused(tmp_path: Path) -> None:
    with pytest.raises(VerbError, match="no operation in it went well; nearest"):
        read(tmp_path, event("resourcePreEvent", 1, POOL))


def test_several_of_a_type_make_a_range_and_pools_one_by_machine_type(tmp_path: Path) -> None:
    machines = {80: "e2-standard-4", 90: "e2-standard-4", 500: "a4-highgpu-8g"}
    observed = [
        Observed(POOL, "create", took, "log-1", machine) for took, machine in machines.items()
    ]
    table = table_of(figures(observed, read_table(TABLE)), {"log-1": "a log"}, DAY.date())
    (tmp_path / OWN).write_text(text_of(table))
    pool = read_table(tmp_path / OWN).durations[POOL]
    spans = {
        machine: pool.of("create", {"nodeConfig": {"machineType": machine}})
        for machine in ("e2-standard-4", "a4-highgpu-8g", "another")
    }
    assert {machine: (it.low, it.likely, it.high) for machine, it in spans.items() if it} == {
        "e2-standard-4": (80, 85, 90),
        "a4-highgpu-8g": (500, 500, 500),
        "another": (80, 90, 500),
    }


def test_a_log_comes_before_a_state(tmp_path: Path) -> None:
    said = [
        Observed(CLUSTER, "create", 400, "log-1"),
        Observed(CLUSTER, "create", 900, "state", at_most=True),
    ]
    (found,) = figures(said, read_table(TABLE))
    assert (found.count, found.seconds.high, found.seconds.seen) == (1, 400, ("log-1",))


def test_a_bound_leaves_the_shipped_shortest_time_as_it_is() -> None:
    (found,) = figures([Observed(CLUSTER, "create", 900, "state", at_most=True)], read_table(TABLE))
    shipped = read_table(TABLE).durations[CLUSTER].create
    assert shipped is not None
    assert (found.seconds.low, found.seconds.likely) == (shipped.low, 900)
    assert found.seconds.ours.startswith("at most")


def made(token: str, minute: int, *needs: str) -> dict[str, Any]:
    at = DAY.replace(minute=minute).isoformat()
    return {"urn": urn(token), "created": at, "dependencies": [urn(it) for it in needs]}


def state(*resources: dict[str, Any]) -> StateTimes:
    runs = [Run(DAY, DAY.replace(minute=30))]
    return read_state(resources, runs, "state")


def test_a_state_says_that_a_resource_took_no_longer_than_since_what_it_waits_for() -> None:
    found = state(made(CLUSTER, 8), made(POOL, 11, CLUSTER))
    assert [(it.token, it.seconds, it.at_most) for it in found.observed] == [
        (CLUSTER, 480, True),
        (POOL, 180, True),
    ]


def test_what_waits_for_a_component_waits_for_what_that_waits_for() -> None:
    component = {"urn": urn("gke-ai-stacks:net:Network"), "dependencies": [urn(CLUSTER)]}
    found = state(made(CLUSTER, 8), component, made(POOL, 11, "gke-ai-stacks:net:Network"))
    assert found.observed[1].seconds == 180


def test_nothing_is_said_of_what_is_older_than_the_history_or_than_what_it_needs() -> None:
    old = {**made(CLUSTER, 8), "created": "2026-01-01T00:00:00Z"}
    renewed = made(POOL, 5, "gcp:compute/network:Network")
    found = state(old, renewed, made("gcp:compute/network:Network", 9))
    assert (found.unknown, len(found.observed)) == (2, 1)


def test_the_verb_asks_the_engine_for_state_and_history(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    asked = Stack(name="mine", resources=[made(CLUSTER, 8)])
    history = [{"startTime": "2026-11-23T12:00:00.000Z", "endTime": "2026-11-23T12:30:00.000Z"}]
    monkeypatch.setattr("aistack.calibration.own_table.recorded_stack", lambda name: asked)
    monkeypatch.setattr("aistack.calibration.own_table.history_of", lambda stack: history)
    out = tmp_path / "mine.yaml"
    monkeypatch.setattr("sys.argv", ["aistack", "calibrate", "--from-state", "--out", str(out)])
    assert main() == 0
    printed = capsys.readouterr().out
    assert "<= 480 s" in printed
    assert "not when it began" in printed
    assert read_table(out).durations[CLUSTER].create is not None


@pytest.mark.parametrize(
    ("words", "code", "said"),
    [
        ((), 2, "--event-log or --from-state: say of what"),
        (("--event-log", "nowhere.json"), 1, "nowhere.json: No such file"),
    ],
)
def test_the_verb_ends_with_a_line_and_a_code(
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    words: tuple[str, ...],
    code: int,
    said: str,
) -> None:
    monkeypatch.setattr("sys.argv", ["aistack", "calibrate", *words])
    assert main() == code
    assert said in capsys.readouterr().err
