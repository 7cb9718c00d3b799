"""What is printed after a run: commands that can be pasted, and what to do about protection."""

from __future__ import annotations

import shlex
from pathlib import Path
from typing import Any

import pytest

from catalog import Catalog, Way
from catalog.durations import Durations
from catalog.prices import disk_rate, local_ssd_rate
from cli.kube_mode import KubeMode
from sandbox.bounds import Bounds
from sandbox.estimate import Unknown, estimate_of
from sandbox.events import EngineReport
from sandbox.report import print_report
from sandbox.run import print_cost, usd_hour
from sandbox.run_result import RunResult
from sandbox.schedule import TimedStep, critical_path
from sandbox.workspace import Workspace
from stacks.refusal import off_first
from stacks.two_runs import back_on

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
    lines = [line.partition("aistack sandbox ")[2] for line in printed.splitlines()]
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


def test_of_a_protected_stack_the_next_destroy_takes_the_protection_off_first(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    print_report(result(operation="up"), tmp_path, OVERRIDES[:1], protected=True)
    printed = capsys.readouterr().out
    (line,) = [it for it in printed.splitlines() if it.strip().startswith("destroy")]
    off, destroy = line.split(" && ")
    assert " up --stack dev --set gpu_pool.nodes=4 --set deletion_protection=false " in off
    assert " destroy --stack dev " in destroy


def test_a_destroy_under_protection_says_how_to_take_it_off(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    hook = "Resource has delete hooks registered, but the program is not running. Hooks: protected"
    keyed = f"stack.pools.gpu: {hook}\n  the same for gke-cluster"
    report = EngineReport(diagnostics=[hook, keyed])
    print_report(result(operation="destroy", ok=False, report=report), tmp_path, OVERRIDES[:1])
    printed = capsys.readouterr().out
    assert "the stack is protected: nothing was deleted" in printed
    assert "hooks" not in printed
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


def test_what_is_made_anew_by_hand_has_all_of_its_commands_here(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    said = (
        "refused\n  pulumi state untaint --all --yes, where something is tainted\n"
        "  pulumi destroy --stack dev --run-program\n"
        "  pulumi up --stack dev --replace 'urn:a$b::c' --replace 'urn:d'"
    )
    print_report(result(ok=False, report=EngineReport(diagnostics=[said])), tmp_path)
    found = commands(capsys.readouterr().out)
    place = ["--folder", str(tmp_path)]
    assert found == {
        "untaint": ["--stack", "dev", *place],
        "destroy": ["--stack", "dev", "--run-program", *place],
        "up": ["--stack", "dev", "--replace", "urn:a$b::c", "--replace", "urn:d", *place],
    }


def test_what_is_there_already_is_imported_here_and_then_the_same_again(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    line = (
        "  nearest: pulumi import gcp:storage/bucket:Bucket data-bucket runs --stack dev --parent "
        "'parent=urn:a$b::data' --provider google=urn:c --protect=false --generate-code=false, "
        "where it is this stack's"
    )
    print_report(result(operation="up", ok=False, failure=[line]), tmp_path, OVERRIDES[:1])
    found = commands(capsys.readouterr().out.partition("on the sandbox:")[2])
    place = ["--folder", str(tmp_path)]
    above = ["--parent", "parent=urn:a$b::data", "--provider", "google=urn:c"]
    what = ["gcp:storage/bucket:Bucket", "data-bucket", "runs"]
    assert found == {
        "import": ["--stack", "dev", *what, *above, *place],
        "up": ["--stack", "dev", "--set", "gpu_pool.nodes=4", *place],
    }


@pytest.mark.parametrize("more", [[], ["deletion_protection=true"]])
def test_a_protected_stacks_commands_keep_the_protection_off_until_the_last(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, more: list[str]
) -> None:
    steps = [
        f"{off_first('dev')}, for the stack is protected",
        "pulumi destroy --stack dev --target 'urn' --target-dependents",
        "pulumi up --stack dev",
        back_on("dev"),
    ]
    said = "\n  ".join(["refused", *steps])
    report = EngineReport(diagnostics=[said])
    print_report(result(ok=False, report=report), tmp_path, [*OVERRIDES[:1], *more])
    _, here = capsys.readouterr().out.split("on the sandbox:\n")
    # A shell takes each line by itself.
    lines = [words for it in here.splitlines() if (words := shlex.split(it, comments=True))]
    change, off = ["--set", OVERRIDES[0]], ["--set", "deletion_protection=false"]
    back = [*change, *(word for it in more for word in ("--set", it))]
    options = [words[words.index("--stack") + 2 : words.index("--folder")] for words in lines]
    target = ["--target", "urn", "--target-dependents"]
    assert options == [off, target, [*change, *off], back]


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
    title, first, _, _, *more = capsys.readouterr().out.splitlines()
    rates = [
        (Catalog.load().machine_rate("g2-standard-8", Way.ON_DEMAND, "us-central1"), 2.0),
        (disk_rate("pd-balanced", "us-central1"), 2 * 73 / 730),
        (local_ssd_rate(Way.ON_DEMAND, "us-central1"), 2 * 375 / 730),
    ]
    hourly = sum(rate.low * amount for rate, amount in rates if rate)
    assert title == "what it costs:"
    assert first == f"  {hourly:.2f} USD an hour"
    assert more == [
        "  not in it, for the amount is not known: gpu-pool (each GiB of logs 0.5; samples of "
        "metrics and API reads; traffic out of the zone or the region)"
    ]
    assert usd_hour(ran, workspace)["after"]["low"] == pytest.approx(hourly)
    print_cost(result(ok=False, stands={pool: inputs}), workspace)
    assert not capsys.readouterr().out


def test_a_failed_up_ends_with_what_comes_next(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    failed = result(operation="up", ok=False, own={"gcp:storage/bucket:Bucket": ["b"]})
    failed.failure = ["stack.pools.gpu: none", "  nearest: another"]
    print_report(failed, tmp_path, OVERRIDES[:1])
    printed = capsys.readouterr().out
    assert "  stack.pools.gpu: none\n    nearest: another\n" in printed
    assert set(commands(printed)) == {"status", "preview", "up", "destroy"}


REFUSED = (
    "The config has 2 mistakes; nothing was changed.\n"
    '  stack.pools.gpu.machine_type: "g9" is not a machine type; nearest: g2-standard-8\n'
    '  gcp:zone: "nowhere" is no zone; nearest: us-central1-a'
)


@pytest.mark.parametrize(
    ("overrides", "kept"),
    [
        (["pools.gpu.machine_type=g9", "gcp:zone=nowhere", "pools.gpu.nodes=4"], ["nodes=4"]),
        (["stack.pools.gpu.machine_type=g9", "pools.cpu.nodes=1"], ["cpu.nodes=1"]),
        (["pools.gpu={machine_type: g9}"], []),
        (["pools.gpu.machine_type_of_mine=g9"], ["mine=g9"]),
    ],
)
@pytest.mark.parametrize("verb", ["preview", "up"])
def test_the_next_commands_leave_out_the_values_that_were_refused(
    capsys: pytest.CaptureFixture[str],
    tmp_path: Path,
    overrides: list[str],
    kept: list[str],
    verb: str,
) -> None:
    report = EngineReport(diagnostics=[REFUSED])
    print_report(result(operation=verb, ok=False, report=report), tmp_path, overrides)
    words = commands(capsys.readouterr().out)["preview"]
    sets = [word for at, word in enumerate(words) if at and words[at - 1] == "--set"]
    assert len(sets) == len(kept)
    assert all(it.endswith(end) for it, end in zip(sets, kept, strict=True))


@pytest.mark.parametrize(("seconds", "longer"), [(1200.0, ""), (1500.0, "05:00 min longer than ")])
def test_a_time_that_is_not_the_critical_paths_is_told_with_why(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, seconds: float, longer: str
) -> None:
    step = TimedStep("urn:pulumi:dev::p::gcp:container/cluster:Cluster::gke", "create", 1200)
    ran = result(
        operation="up",
        makespan_s=seconds,
        sequential_s=1500.0,
        critical=critical_path([step], {}),
        bounds=Bounds(seconds, seconds),
    )
    print_report(ran, tmp_path)
    (line,) = [it for it in capsys.readouterr().out.splitlines() if "longer" in it] or [""]
    assert line.startswith(longer)
    assert bool(line) == bool(longer)


def test_a_destroy_counts_what_is_left_of_its_own_stack_alone(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    cloud = {"gcp:container/cluster:Cluster": ["another's"]}
    print_report(result(operation="destroy", cloud=cloud), tmp_path)
    printed = capsys.readouterr().out
    assert "nothing of dev was up, so nothing was deleted" in printed
    assert "container.Cluster" not in printed
    report = EngineReport(changes={"delete": 3})
    print_report(result(operation="destroy", cloud=cloud, report=report), tmp_path)
    assert "nothing of dev is left in the simulated cloud" in capsys.readouterr().out
    print_report(result(operation="destroy", own=cloud, report=report), tmp_path)
    assert "container.Cluster" in capsys.readouterr().out


def test_warnings_of_a_run_that_succeeds_are_told_once(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    print_report(result(report=EngineReport(diagnostics=["data-bucket loses all"])), tmp_path)
    assert capsys.readouterr().out.count("data-bucket loses all") == 1


def fails() -> Any:
    raise KeyError("cpu-pool-images")


def test_an_estimate_that_fails_hides_nothing_of_the_change(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    unknown = Unknown()
    assert unknown.estimate("the pulls of images", fails, list[str]) == []
    circle = {"a": {"b"}, "b": {"a"}}
    steps = [TimedStep(it, "create", 30.0) for it in circle]
    found = estimate_of(steps, circle, {}, Durations.load(), unknown)
    seen = result(
        unknown=unknown, critical=found.critical, sequential_s=60.0, steps=steps, stack="dev"
    )
    print_report(seen, tmp_path)
    printed = " ".join(capsys.readouterr().out.split())
    assert "preview of dev succeeded" in printed
    assert "the pulls of images: not estimated" in printed
    assert "the time and the critical path: not estimated" in printed
    assert "01:00 min of cloud time, one after the other" in printed
    assert seen.to_json()["not_estimated"] == unknown.lines


def test_what_a_run_was_warned_of_is_no_reason_why_it_failed() -> None:
    report = EngineReport(failed=True)
    report.note("an image has a hole", None)
    report.note("no machines", None, is_error=True)
    report.note("no quota", None, is_error=True)
    assert report.errors == ["no machines", "no quota"]
    assert report.warnings == ["an image has a hole"]


def test_of_a_run_that_ended_without_an_error_of_the_program_all_is_told() -> None:
    report = EngineReport(diagnostics=["it was killed"], failed=True)
    assert report.errors == ["it was killed"]
    assert report.warnings == []
