"""Full disks, forgotten stacks, interrupted runs: nothing is lost, and nothing is left."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import pytest

from cli.errors import UserError
from cli.project import PROJECT_FOLDER
from cli.urns import name_of
from sandbox.faults import Crash, Faults
from sandbox.forget import forget
from tests.stacks.conftest import Sandbox
from tests.stacks.test_lifecycle import made_once

pytestmark = pytest.mark.thorough
SandboxOf = Callable[[str], Sandbox]


def test_a_full_disk_is_said_before_a_run_and_the_next_one_goes_on(
    brought_up: SandboxOf, monkeypatch: pytest.MonkeyPatch
) -> None:
    sandbox = brought_up("dev")
    with monkeypatch.context() as full:
        full.setattr("shutil.disk_usage", lambda _: SimpleNamespace(free=0))
        with pytest.raises(UserError, match="disk has 0 MiB left"):
            sandbox.run("up", "pools.gpu.max_pods_per_node=64")
    assert set(sandbox.succeed("up").report.changes) == {"same"}


def test_a_state_that_is_cut_leaves_reset_and_then_the_stack_begins_anew(
    brought_up: SandboxOf,
) -> None:
    sandbox = brought_up("dev")
    [state] = sandbox.workspace.state_files()
    text = state.read_text()
    for cut in (text[: len(text) // 2], ""):
        state.write_text(cut)
        for verb in ("preview", "up", "destroy"):
            with pytest.raises(UserError, match=r"ends in the middle.*reset --stack dev"):
                sandbox.run(verb)
    forget(sandbox.workspace)
    sandbox.succeed("up")
    assert made_once(sandbox)


def test_a_stack_that_is_up_is_forgotten_with_all_that_it_has(
    brought_up: SandboxOf, capsys: pytest.CaptureFixture[str]
) -> None:
    sandbox = brought_up("dev")
    forget(sandbox.workspace)
    assert "forgotten: dev, and " in capsys.readouterr().out
    assert sandbox.describe_everything() == {}
    assert not list(sandbox.workspace.state_files())
    sandbox.succeed("up")


def cut_off(sandbox: Sandbox, *names: str) -> None:
    """Make creates that ended well, and those after them, into ones that the engine died in."""
    [file] = sandbox.workspace.state_files()
    document = json.loads(file.read_text())
    latest = document["checkpoint"]["latest"]
    kept, pending, lost = list[Any](), list[Any](), set[str]()
    for one in latest["resources"]:
        needs = one.get("dependencies", [])
        if not one["custom"]:
            kept.append({**one, "dependencies": [urn for urn in needs if urn not in lost]})
        elif name_of(one["urn"]) in names or lost.intersection(needs):
            lost.add(one["urn"])
            bare = {key: value for key, value in one.items() if key not in ("id", "outputs")}
            pending.append({"type": "creating", "resource": bare})
        else:
            kept.append(one)
    latest["resources"], latest["pending_operations"] = kept, pending
    file.write_text(json.dumps(document))


def test_a_dashboard_and_a_release_that_were_under_way_are_found_again(
    brought_up: SandboxOf,
) -> None:
    sandbox = brought_up("dev")
    before = sandbox.describe_everything()
    cut_off(sandbox, "monitoring-dashboard", "kueue-release")
    made = sandbox.succeed("up")
    assert "create" not in {
        one.operation for one in made.report.resources if one.type.startswith(("gcp", "kube"))
    }
    assert sandbox.describe_everything() == before
    assert made_once(sandbox)


@pytest.mark.parametrize("after", [1, 2, 3])
def test_a_replacement_killed_in_any_half_converges(brought_up: SandboxOf, after: int) -> None:
    sandbox = brought_up("dev")
    change = "pools.gpu.max_pods_per_node=64"
    killed = sandbox.run("up", change, faults=Faults(rules=(Crash(kind="crash", after=after),)))
    assert not killed.ok
    sandbox.succeed("up", change)
    assert made_once(sandbox)
    assert set(sandbox.succeed("preview", change).report.changes) == {"same"}


@pytest.mark.parametrize("whom", ["the whole group", "the command alone"])
def test_ctrl_c_ends_what_is_under_way_and_the_next_up_goes_on(empty: SandboxOf, whom: str) -> None:
    sandbox = empty("dev")
    command = [sys.executable, "-m", "sandbox", "up", "--stack", "dev", "--kube", "memory"]
    command += ["--speed", "60"]
    process = subprocess.Popen(
        [*command, "--folder", str(sandbox.workspace.root)],
        cwd=PROJECT_FOLDER,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        start_new_session=True,
    )
    assert process.stdout is not None
    said: list[str] = []
    for line in process.stdout:
        said.append(line)
        if "network-vpc creating" in line:
            break
    (os.killpg if whom == "the whole group" else os.kill)(process.pid, signal.SIGINT)
    said += process.stdout.readlines()
    assert process.wait() == 130
    assert said[-1] == "interrupted; `up` again picks up from there\n"
    assert not any("Traceback" in line for line in said)
    sandbox.succeed("up")
    assert made_once(sandbox)
