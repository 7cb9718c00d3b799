"""`aistack recover` with the real CLI, as for a real stack: then `up` has nothing to recover."""

from __future__ import annotations

import json
import shlex
import sys
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

from sandbox.cloud.kinds.monitoring import Dashboard
from sandbox.faults import Crash, Faults
from sandbox.locks import stale_locks
from tests.stacks.conftest import Sandbox, changed
from tests.stacks.real_cli import with_providers
from tests.stacks.test_bad_days import cut_off
from tests.stacks.test_lifecycle import made_once

pytestmark = pytest.mark.thorough
SandboxOf = Callable[[str], Sandbox]


def recover(
    sandbox: Sandbox, programs: Path, words: Sequence[str] = (), says: str | None = None
) -> str:
    """What the command says, with `--yes` where nobody answers; dashboards are told by a `gcloud`
    that knows the simulated ones."""
    workspace, clusters = sandbox.workspace, sandbox.clusters
    clusters.cloud.begin_run()
    boards = [
        {"name": one.id, "displayName": json.loads(one["dashboardJson"])["displayName"]}
        for one in clusters.cloud.find(Dashboard.token)
    ]
    programs.mkdir()
    gcloud = programs / "gcloud"
    gcloud.write_text(f"#!/bin/sh\necho {shlex.quote(json.dumps(boards))}\n")
    gcloud.chmod(0o755)
    command = words or ("aistack", "recover", "--stack", workspace.stack, "--yes")
    return with_providers(sandbox, [sys.executable, "-m", *command], says, programs)


def goes_on(sandbox: Sandbox, capsys: pytest.CaptureFixture[str]) -> None:
    assert not stale_locks(sandbox.workspace.backend)
    assert not sandbox.state().get("pending_operations")
    capsys.readouterr()
    sandbox.succeed("up")
    assert "a killed run left" not in capsys.readouterr().out
    assert made_once(sandbox)
    assert changed(sandbox.succeed("preview")) == {}


@pytest.mark.parametrize("call", ["taken", "lost"])
def test_a_killed_up_goes_on(
    empty: SandboxOf, tmp_path: Path, capsys: pytest.CaptureFixture[str], call: str
) -> None:
    sandbox = empty("dev")
    crash = Crash.model_validate({"kind": "crash", "after": 14, "call": call})
    assert not sandbox.run("up", faults=Faults(rules=(crash,))).ok
    said = recover(sandbox, tmp_path / "bin")
    assert "a killed command left its lock" in said
    assert len(list(sandbox.workspace.work_dir.glob("dev-state-*.json"))) == 2
    goes_on(sandbox, capsys)


def test_a_dashboard_and_a_release_that_were_under_way_are_found(
    brought_up: SandboxOf, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    sandbox = brought_up("dev")
    before = sandbox.describe_everything()
    cut_off(sandbox, "monitoring-dashboard", "kueue-release")
    said = recover(sandbox, tmp_path / "bin")
    assert "monitoring-dashboard is there" in said
    assert "kueue-release is there" in said
    goes_on(sandbox, capsys)
    assert sandbox.describe_everything() == before


def test_the_delete_of_data_that_went_through_is_told_and_the_instance_is_made_again(
    brought_up: SandboxOf, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    sandbox = brought_up("b200-lustre")
    crash = Crash(kind="crash", after=0, type="gcp:lustre/instance:Instance")
    assert not sandbox.run("destroy", faults=Faults(rules=(crash,))).ok
    said = recover(sandbox, tmp_path / "bin")
    assert "deleting lustre-instance: to be looked up as projects/" in said
    assert "lustre-instance: its delete went through; lustre-instance and its data are gone" in said
    assert "now run: pulumi destroy --stack b200-lustre, where a destroy was killed" in said
    goes_on(sandbox, capsys)
