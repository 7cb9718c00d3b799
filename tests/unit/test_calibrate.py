"""Logs of real runs as a table of durations: what counts, what is left out, and what is refused.
That a log of the engine has this form is shown in tests/stacks/test_calibrate.py."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from datetime import date
from pathlib import Path
from typing import Any

import pytest

from aistack.__main__ import main
from aistack.calibration import Runs, figures, own_table
from aistack.errors import VerbError
from catalog.durations import OWN, Durations
from catalog.durations_table import read_table

POOL = "gcp:container/nodePool:NodePool"
CLUSTER = "gcp:container/cluster:Cluster"
DAY = date(2026, 11, 23)
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


def write(folder: Path, *events: Mapping[str, Any]) -> Path:
    file = folder / "up.json"
    file.write_text("\n".join(json.dumps(it) for it in events))
    return file


def read(folder: Path, *events: Mapping[str, Any]) -> Runs:
    runs = Runs()
    runs.read(write(folder, *events))
    return runs


def seconds(runs: Runs) -> list[tuple[str, str, float]]:
    return [
        (token, operation, took)
        for (token, value, operation), found in runs.operations.items()
        for took, _ in found
        if not value
    ]


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
    runs = read(tmp_path, *both(100, 580, CLUSTER, operation), *both(1, 2, POOL))
    assert seconds(runs) == [(POOL, "create", 1)]


def test_what_the_run_planned_took_no_time(tmp_path: Path) -> None:
    runs = read(tmp_path, *both(10, 10, CLUSTER, planning=True), *both(100, 580, CLUSTER))
    assert seconds(runs) == [(CLUSTER, "create", 480)]


def test_components_and_providers_are_not_the_clouds(tmp_path: Path) -> None:
    others = [*both(1, 9, "gke-ai-stacks:net:Network"), *both(1, 9, "pulumi:providers:gcp")]
    assert seconds(read(tmp_path, *others, *both(1, 3, POOL))) == [(POOL, "create", 2)]


def test_what_nobody_waited_for_says_nothing_of_its_type(tmp_path: Path) -> None:
    deployment = "kubernetes:apps/v1:Deployment"
    runs = read(tmp_path, *both(1, 2, deployment, inputs=SKIPPED), *both(1, 9, deployment))
    assert seconds(runs) == [(deployment, "create", 8)]


def test_failed_and_unfinished_operations_are_counted_and_left_out(tmp_path: Path) -> None:
    failed = [event("resourcePreEvent", 1, POOL), event("resOpFailedEvent", 900, POOL)]
    cut = event("resourcePreEvent", 1, POOL, name="other")
    runs = read(tmp_path, *failed, cut, *both(1, 481, CLUSTER))
    assert (runs.failed, runs.unfinished, len(seconds(runs))) == (1, 1, 1)


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
        Runs().read(tmp_path / "up.json")


def test_a_log_in_which_nothing_was_made_is_refused(tmp_path: Path) -> None:
    with pytest.raises(VerbError, match="no operation in it went well; nearest"):
        read(tmp_path, event("resourcePreEvent", 1, POOL))


def pools(*spans: tuple[int, str]) -> Iterator[dict[str, Any]]:
    for took, machine in spans:
        yield from both(100, 100 + took, POOL, inputs={"nodeConfig": {"machineType": machine}})


def test_several_of_a_type_make_a_range_and_pools_one_by_machine_type(tmp_path: Path) -> None:
    runs = read(
        tmp_path, *pools((80, "e2-standard-4"), (90, "e2-standard-4"), (500, "a4-highgpu-8g"))
    )
    (tmp_path / OWN).write_text(own_table(figures(runs), runs.sources, DAY))
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


def test_a_figure_names_the_logs_that_it_is_of_and_what_is_shipped(tmp_path: Path) -> None:
    runs = read(tmp_path, *both(1, 401, CLUSTER))
    runs.read(write(tmp_path, *both(1, 501, CLUSTER), *both(1, 9, POOL)))
    cluster, pool = figures(runs)
    assert (cluster.count, cluster.seen, pool.seen) == (2, ("log-1", "log-2"), ("log-2",))
    assert cluster.shipped == Durations.load().seconds(CLUSTER, "create")


def test_the_verb_prints_the_table_and_writes_it(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    cut = event("resourcePreEvent", 1, POOL)
    log, out = write(tmp_path, *both(1, 481, CLUSTER), cut), tmp_path / "mine.yaml"
    words = ["aistack", "calibrate", "--event-log", str(log), "--out", str(out)]
    monkeypatch.setattr("sys.argv", words)
    assert main() == 0
    printed = capsys.readouterr().out
    for said in ("480 s", "the event log up.json", "left out: 1 not ended", f"written to {out}; "):
        assert said in printed
    assert read_table(out).durations[CLUSTER].create is not None
