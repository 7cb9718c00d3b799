"""The page of a day with a stack: every command in it, in its order, on a real control plane."""

from __future__ import annotations

import os
import re
import shlex
import subprocess
import sys
from collections.abc import Callable
from contextlib import ExitStack
from functools import partial
from pathlib import Path

import pytest

from kube.objects import JsonObject, dig, name_of
from tests.conftest import ROOT
from tests.kube.command_line import folder_of
from tests.kube.conftest import LiveSandbox, eventually
from tests.kube.kubelet import kubelet

PAGE = ROOT / "docs" / "a-day.md"
_LINE = re.compile(r"^\.venv/bin/aistack (.+?)(?:  # exits (\d))?$", re.MULTILINE)
# The stack is up before, and goes after it.
COMMANDS = [
    (shlex.split(words), int(code or 0))
    for words, code in _LINE.findall(PAGE.read_text())
    if not words.startswith("sandbox ")
]
# What they show comes with time; each of the others is done once.
LOOKS = ("events", "logs", "why")


@pytest.fixture(scope="module")
def live(live_sandbox: Callable[[str], LiveSandbox]) -> LiveSandbox:
    sandbox = live_sandbox("lab")
    sandbox.succeed("up")
    return sandbox


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """The user's."""
    (tmp_path / "train.py").write_text("print('step 1')\n")
    return tmp_path


def pods_of(live: LiveSandbox, name: str) -> list[JsonObject]:
    """Once they run."""
    return eventually(
        lambda: [it for it in live.server.list("v1", "Pod") if name_of(it).startswith(f"{name}-")],
        lambda found: bool(found) and all(dig(it, "status", "phase") == "Running" for it in found),
    )


def _ended(code: int, done: subprocess.CompletedProcess[str]) -> bool:
    return done.returncode == code and "is starting" not in done.stdout


def test_the_commands_of_the_page_do_what_it_says(live: LiveSandbox, folder: Path) -> None:
    def said(words: list[str]) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [sys.executable, "-m", "aistack", *words],
            capture_output=True,
            text=True,
            check=False,
            cwd=folder,
            env={**os.environ, "AISTACK_SANDBOX": folder_of(live), "PYTHONPATH": str(ROOT)},
        )

    shown: dict[str, str] = {}
    for words, code in COMMANDS:
        name = words[words.index("--name") + 1] if "--name" in words else words[1]
        with ExitStack() as stack:
            if words[0] == "logs":
                pods = pods_of(live, words[1])
                nodes = stack.enter_context(kubelet(live.plane.kubeconfig, folder, pods))
                nodes.say(name_of(pods[0]), "step 1")
            done = said(words)
            if words[0] in LOOKS:
                done = eventually(partial(said, words), partial(_ended, code))
        assert done.returncode == code, (words, done.stdout, done.stderr)
        shown[f"{words[0]} {name}"] = done.stdout
    assert shown["logs sweep-1"] == "step 1\n"
    assert "RayJob default/on-ray runs on the Ray cluster lab" in shown["submit on-ray"]
    assert "JobSet serving/theirs is running" in shown["why theirs"]
    assert "chat" in shown["why big"]
    assert "It runs, with 1 of 1 pods ready." in shown["why small"]
