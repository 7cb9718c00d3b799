"""A change that makes the cluster anew: refused before anything is touched, with commands that do
it."""

from __future__ import annotations

import math
import re
import shlex
from pathlib import Path
from typing import Any

import pytest

from sandbox.engine import RunResult, Verb
from sandbox.faults import Faults
from sandbox.report import print_report
from sandbox.run import run
from sandbox.workspace import Workspace
from stacks.refusal import SEAL_TYPE

LOCATION, NAME = "cluster.location=regional", "name=other"
RANGES = ("network.pods=10.64.0.0/14", "network.subnet=10.20.0.0/20")


def done(
    folder: Path, verb: Verb, *overrides: str, only: dict[str, Any] | None = None
) -> RunResult:
    workspace = Workspace(folder, "dev")
    return run(workspace, verb, math.inf, list(overrides), Faults(), only=only)


def follow(folder: Path, message: str, overrides: tuple[str, ...]) -> None:
    """What the message says, as it says it."""
    for line in re.findall(r"^ +pulumi (.*)$", message, re.MULTILINE):
        verb, _, stack, *rest = shlex.split(line)
        assert stack == "dev"
        only = {"target": [rest[1]], "target_dependents": rest[2:] != []} if rest else {}
        if verb == "destroy":
            assert done(folder, "destroy", only=only).ok
        else:
            assert done(folder, "up", *overrides).ok


@pytest.mark.thorough
@pytest.mark.parametrize("overrides", [(LOCATION,), RANGES, (NAME,)])
def test_its_commands_end_in_the_same_cloud_as_a_fresh_up(
    tmp_path: Path, overrides: tuple[str, ...]
) -> None:
    folder, fresh = tmp_path / "sandbox", tmp_path / "fresh"
    assert done(folder, "up").ok
    before = Workspace(folder, "dev").cloud().inventory("dev")
    for verb in ("preview", "up"):
        refused = done(folder, verb, *overrides)
        assert not refused.ok
        assert Workspace(folder, "dev").cloud().inventory("dev") == before
    follow(folder, "\n".join(refused.report.diagnostics), overrides)
    again = done(folder, "preview", *overrides)
    assert set(again.report.changes) == {"same"}
    assert done(fresh, "up", *overrides).ok
    found, wanted = (Workspace(it, "dev").cloud().inventory("dev") for it in (folder, fresh))
    assert found == wanted


@pytest.mark.thorough
@pytest.mark.parametrize("overrides", [(LOCATION,), RANGES[1:], (NAME,)])
@pytest.mark.parametrize("protected", [False, True])
def test_the_lines_for_the_sandbox_do_it_as_they_are_pasted(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], overrides: tuple[str, ...], protected: bool
) -> None:
    folder = tmp_path / "sandbox"
    on = (f"deletion_protection={str(protected).lower()}",)
    assert done(folder, "up", *on).ok
    refused = done(folder, "preview", *overrides, *on)
    capsys.readouterr()
    print_report(refused, folder, [*overrides, *on])
    _, lines = capsys.readouterr().out.split("on the sandbox:\n")
    pasted = [words for it in lines.splitlines() if (words := shlex.split(it, comments=True))]
    assert len(pasted) == (4 if protected else 2)
    for words in pasted:
        run_line(folder, words)
    again = done(folder, "preview", *overrides, *on)
    assert set(again.report.changes) == {"same"}
    seals = [it for it in again.stood if it.split("::")[2].endswith(SEAL_TYPE)]
    assert bool(seals) is protected


def run_line(folder: Path, words: list[str]) -> None:
    """A command line of the sandbox, with what its own parser makes of it."""
    assert words[1] == "sandbox"
    verb = "destroy" if words[2] == "destroy" else "up"
    assert words[2] == verb

    def values(option: str) -> list[str]:
        return [words[at + 1] for at, it in enumerate(words) if it == option]

    assert values("--stack") == ["dev"]
    assert values("--folder") == [str(folder)]
    target = values("--target")
    dependents = "--target-dependents" in words
    only = {"target": target, "target_dependents": dependents} if target else {}
    result = done(folder, verb, *values("--set"), only=only)
    assert result.ok, result.report.diagnostics
