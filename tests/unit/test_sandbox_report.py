"""What is printed after a run: commands that can be pasted, and what to do about protection."""

from __future__ import annotations

import shlex
from pathlib import Path
from typing import Any

import pytest

from catalog import Catalog, Way
from catalog.prices import disk_rate, local_ssd_rate
from sandbox.bounds import Bounds
from sandbox.events import EngineReport
from sandbox.kube_mode import KubeMode
from sandbox.report import print_report
from sandbox.run import print_cost, usd_hour
from sandbox.run_result import RunResult
from sandbox.schedule import TimedStep, critical_path
from sandbox.workspace import Workspace

OVERRIDES = ["gpu_pool.nodes=4", "labels.of=my team"]


def result(**values: Any) -> RunResult:
    empty: dict[str, Any] = {
        "operation": "preview",
        "stack": "dev",
        "ok": True,
        "report": EngineReport(),
        "makespan_s": 0.0,
        "sequential_s": 0.0,
        "critical": critical_path([], {}),
        "wall_s": 1.0,
    }
    return RunResult(**{**empty, **values})


def commands(printed: str) -> dict[str, list[str]]:
    """The words of each printed command, as a shell takes them, by verb."""
    lines = [line.partition(" -m sandbox ")[2] for line in printed.splitlines()]
    words = [shlex.split(line) for line in lines if line]
    return {line[0]: line[1:] for line in words}


def test_the_next_commands_have_the_options_of_this_one(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    print_report(result(), tmp_path, OVERRIDES, KubeMode.real)
    found = commands(capsys.readouterr().out)
    place = ["--folder", str(tmp_path)]
    sets = ["--set", "gpu_pool.nodes=4", "--set", "labels.of=my team"]
    assert found == {
        "status": ["--stack", "dev", *place],
        "preview": ["--stack", "dev", *sets, *place],
        "up": ["--stack", "dev", *sets, "--kube", "real", *place],
    }


def test_the_default_folder_is_not_said(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    print_report(result(operation="up"), tmp_path / ".sandbox")
    found = commands(capsys.readouterr().out)
    assert found["destroy"] == ["--stack", "dev"]
    print_report(result(operation="up"), tmp_path / "other")
    assert commands(capsys.readouterr().out)["destroy"][-2:] == ["--folder", "other"]


def test_a_destroy_under_protection_says_how_to_take_it_off(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    report = EngineReport(diagnostics=["Resource has delete hooks ... Hooks: deletion-protection"])
    print_report(result(operation="destroy", ok=False, report=report), tmp_path, OVERRIDES[:1])
    printed = capsys.readouterr().out
    assert "the stack is protected: nothing was deleted" in printed
    assert commands(printed)["up"][2:6] == [
        *("--set", "gpu_pool.nodes=4"),
        *("--set", "deletion_protection=false"),
    ]
    assert "destroy" in commands(printed)


def test_a_refusals_commands_are_said_as_they_are_here_with_every_target(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    targets = [f"urn:pulumi:dev::p::kubernetes:ray.io/v1:RayCluster::{it}" for it in "ab"]
    printed = " ".join(f"--target '{it}'" for it in targets)
    said = f"refused\n  pulumi destroy --stack dev {printed} --target-dependents\n  pulumi up"
    print_report(result(ok=False, report=EngineReport(diagnostics=[said])), tmp_path, OVERRIDES[:1])
    found = commands(capsys.readouterr().out)
    one, other = (["--target", it] for it in targets)
    place = ["--folder", str(tmp_path)]
    assert found["destroy"] == ["--stack", "dev", *one, *other, "--target-dependents", *place]
    assert found["up"] == ["--stack", "dev", "--set", "gpu_pool.nodes=4", *place]


@pytest.mark.parametrize(
    ("high", "shown"),
    [(1800, "20:00 min (10:00 to 30:00 min)"), (4000, "(10:00 min to 1:06:40 h)")],
)
def test_a_time_is_shown_with_its_range_and_whose_table_it_is_by(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, high: float, shown: str
) -> None:
    step = TimedStep("urn:pulumi:dev::p::gcp:container/cluster:Cluster::gke", "create", 1200)
    times: dict[str, Any] = {
        "makespan_s": 1200.0,
        "sequential_s": 1200.0,
        "critical": critical_path([step], {}),
        "bounds": Bounds(600, high),
    }
    print_report(result(**times), tmp_path)
    assert "durations.yaml" not in capsys.readouterr().out
    print_report(result(**times, operation="up", own_durations=True), tmp_path)
    printed = capsys.readouterr().out
    assert shown in printed
    assert "times are those of durations.yaml, where it has them" in printed


def test_a_run_ends_with_what_the_stack_costs_before_and_after_it(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    pool = "urn:pulumi:dev::p::gcp:container/nodePool:NodePool::gpu-pool"
    config = {"machineType": "g2-standard-8", "diskType": "pd-balanced", "diskSizeGb": 73}
    inputs = {"nodeCount": 2, "location": "us-central1-a", "nodeConfig": config}
    ran = result(stood={}, stands={pool: inputs})
    workspace = Workspace(tmp_path, "dev")
    print_cost(ran, workspace)
    title, first, *more = capsys.readouterr().out.splitlines()
    rates = [
        (Catalog.load().machine_rate("g2-standard-8", Way.ON_DEMAND, "us-central1"), 2.0),
        (disk_rate("pd-balanced", "us-central1"), 2 * 73 / 730),
        (local_ssd_rate(Way.ON_DEMAND, "us-central1"), 2 * 375 / 730),
    ]
    hourly = sum(rate.low * amount for rate, amount in rates if rate)
    assert title == "what it costs:"
    assert first.startswith(f"  {hourly:.2f} USD an hour, 0.00 before; ")
    assert not more
    assert usd_hour(ran, workspace)["after"]["low"] == pytest.approx(hourly)
    print_cost(result(ok=False, stands={pool: inputs}), workspace)
    assert not capsys.readouterr().out
