"""A platform that has no work of its own, on a real control plane: two teams submit, watch and
cancel, and what people type as public repositories have it is let in."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from aistack.exit_codes import ExitCode
from kube.jobs import condition
from kube.objects import Ref
from tests.kube.command_line import aistack
from tests.kube.conftest import LiveSandbox, eventually
from tests.unit.test_submit_public import ALL, Typed, lie_in

STACK = "lab"
JOB_SETS = "jobset.x-k8s.io/v1alpha2"
TEAMS = ("research", "serving")
ON_PODS = ("--image", "python:3.12-slim", "--cpu", "1", "--memory", "2", "--pool", "l4")
NOTHING_OF_ITS_OWN = ("jobs={}", "ray={}", "servers={}")


@pytest.fixture(scope="module")
def live(live_sandbox: Callable[[str], LiveSandbox]) -> LiveSandbox:
    sandbox = live_sandbox(STACK)
    sandbox.succeed("up", *NOTHING_OF_ITS_OWN)
    return sandbox


def did(live: LiveSandbox, verb: str, *words: str) -> Any:
    sandbox = ("--sandbox", str(live.workspace.root))
    done = aistack(verb, "--json", "--stack", STACK, *sandbox, *words)
    assert done.returncode == ExitCode.FINE, (verb, words, done.stdout, done.stderr)
    return json.loads(done.stdout)


def states(live: LiveSandbox) -> dict[str, str]:
    return {it["name"]: it["state"] for it in did(live, "jobs")["jobs"]}


def test_each_team_submits_watches_and_cancels_where_nothing_else_runs(
    live: LiveSandbox, tmp_path: Path
) -> None:
    script = tmp_path / "train.py"
    script.write_text("print('step 1')\n")
    for team in TEAMS:
        words = ("submit", str(script), "--name", f"of-{team}", "--team", team, "--gpus", "1")
        submitted = did(live, *words, *ON_PODS)
        job = submitted["job"]
        assert (job["namespace"], job["queue"]) == (team, team)
        # What Kueue was told when the stack came up, with nobody in its queues.
        assert submitted["ready_minutes"] == 30
    assert set(states(live)) == {f"of-{it}" for it in TEAMS}
    eventually(lambda: states(live), lambda found: {*found.values()} <= {"starting", "running"})
    for team in TEAMS:
        assert f"of-{team}" in did(live, "why", f"of-{team}")["job"]["name"]
        assert "is stopped" in did(live, "cancel", f"of-{team}")["said"]
    eventually(lambda: states(live), lambda found: found == {})


ON_PODS_OF_ITS_OWN = {name: it for name, it in ALL.items() if not it.refused and it.fields}
WITHOUT_GPUS = {name: it for name, it in ON_PODS_OF_ITS_OWN.items() if "gpus" not in it.fields}
WITH_GPUS = {name: it for name, it in ON_PODS_OF_ITS_OWN.items() if "gpus" in it.fields}


def typed_as(typed: Typed, folder: Path) -> list[str]:
    """The words of a command line, for the pools of this stack."""
    fields = {**typed.fields, **typed.fields["requests"]}
    options = {key: fields.get(key) for key in ("image", "cpu", "gpus", "nodes")}
    options |= {"memory": fields["memory_gib"], "command": typed.command, "queue": "research"}
    options |= {"pool": "l4" if "pool" in fields else "cpu"}
    words = [it for key, value in options.items() if value for it in (f"--{key}", str(value))]
    words += [it for name, value in typed.variables.items() for it in ("--env", f"{name}={value}")]
    files = (str(folder / it) for it in typed.brought)
    return [*words, *files, "--", *typed.arguments]


def submitted(live: LiveSandbox, typed: Typed, name: str, folder: Path) -> Ref:
    folder.mkdir()
    lie_in(folder, typed)
    found = did(live, "submit", "--name", name, *typed_as(typed, folder))["job"]
    assert (found["kind"], found["queue"]) == ("JobSet", "research")
    return Ref(api_version=JOB_SETS, kind="JobSet", namespace="default", name=name)


def admitted(live: LiveSandbox) -> set[str]:
    """Names of what has quota of Kueue."""
    return {
        it["metadata"]["ownerReferences"][0]["name"]
        for it in live.server.list("kueue.x-k8s.io/v1beta2", "Workload")
        if condition(it, "Admitted")
    }


def test_what_people_type_is_let_in(live: LiveSandbox, tmp_path: Path) -> None:
    made = {
        f"typed-{at}": submitted(live, typed, f"typed-{at}", tmp_path / str(at))
        for at, typed in enumerate(WITHOUT_GPUS.values())
    }
    assert len(made) > 5
    eventually(lambda: admitted(live), lambda found: found >= made.keys())
    for it in made.values():
        live.server.delete(it)


@pytest.mark.parametrize("name", WITH_GPUS)
def test_so_is_what_asks_for_gpus(live: LiveSandbox, tmp_path: Path, name: str) -> None:
    made = submitted(live, WITH_GPUS[name], "typed-gpus", tmp_path / "files")
    eventually(lambda: admitted(live), lambda found: made.name in found)
    live.server.delete(made)
    eventually(lambda: admitted(live), lambda found: made.name not in found)
