"""What pages show of `aistack`, asked of each preset on a real control plane: a sample of the
presets, another one for each commit; all with ALL_COMBINATIONS=1.

Commands that speak with a container (`logs`, `shell`, `tunnel`, `dashboard`, `checkpoints`) are run
in tests of their own, where something answers in its place; here and by default they are read.
"""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path

import pytest

from aistack.exit_codes import ExitCode
from cli.project import stack_names
from tests.conftest import ROOT
from tests.kube.command_line import folder_of
from tests.kube.conftest import LiveSandbox
from tests.pages.blocks import ALL, Command
from tests.pages.parsed import parse_aistack
from tests.parts.sampling import a_sample

# A day is run as a whole by test_a_day.py.
_OTHERS = ("docs/a-day.md",)
_VERBS = ("jobs", "status", "why", "events", "submit", "work")
_SAMPLE = 2


def commands_of(stack: str) -> list[Command]:
    """Those that only ask or submit, in the order of the pages."""
    found = [
        command
        for block in ALL
        if block.page not in _OTHERS
        for command in block.commands
        if command.program == "aistack" and command.words[1] in _VERBS
    ]
    asked = ("--stack", stack)
    return [it for it in found if asked in pairwise(it.words) and "--sandbox" not in it.words]


def have_secrets(live: LiveSandbox, command: Command) -> None:
    """What its `--secret` names is there before, as the page says."""
    after = dict(pairwise(command.words))
    if "--secret" in after:
        name, _, key = after["--secret"].partition("=")
        place = {"name": name, "namespace": after.get("--team", "default")}
        secret = {"apiVersion": "v1", "kind": "Secret", "metadata": place}
        live.server.acting_as("kubectl").apply({**secret, "data": {key: "c2VjcmV0"}}, force=True)


STACKS = [it for it in stack_names() if commands_of(it)]


def said(live: LiveSandbox, command: Command, folder: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "aistack", *command.words[1:]],
        capture_output=True,
        text=True,
        check=False,
        cwd=folder,
        env={**os.environ, "AISTACK_SANDBOX": folder_of(live), "PYTHONPATH": str(ROOT)},
    )


@pytest.mark.parametrize("stack", a_sample(STACKS, _SAMPLE))
def test_what_pages_ask_of_a_stack_is_answered(
    stack: str,
    live_sandbox: Callable[[str], LiveSandbox],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    (tmp_path / "train.py").write_text("print()\n")
    monkeypatch.chdir(tmp_path)
    live = live_sandbox(stack)
    live.succeed("up")
    for command in commands_of(stack):
        parse_aistack(command.words)
        have_secrets(live, command)
        done = said(live, command, tmp_path)
        # What is in a job's way is an answer, too, and what a destroy does not end.
        answers = (ExitCode.FINE, ExitCode.IN_THE_WAY, ExitCode.STOP_FIRST)
        assert done.returncode in answers, (command.text, done.stdout, done.stderr)
        assert done.stdout.strip(), (command.text, done.stderr)
