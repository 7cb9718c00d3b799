"""What is tainted, or destroyed by itself, is made again: by an `up` that ends and leaves nothing
to do, or by the commands with which the preview refuses it.

Each resource of the stacks by itself with ALL_COMBINATIONS=1; each commit has a share.
"""

from __future__ import annotations

import shlex
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
from typer.testing import CliRunner

import sandbox.__main__ as command_line
from sandbox.report import print_report
from sandbox.workspace import Workspace
from tests.parts.sampling import a_sample
from tests.stacks.agreed import brought
from tests.stacks.by_hand import WAYS, resources_of, taint
from tests.stacks.conftest import CANARY, Sandbox, changed
from tests.stacks.kills import PATIENCE_SECONDS

pytestmark = [pytest.mark.thorough, pytest.mark.timeout(PATIENCE_SECONDS)]

STACKS = ("b200-lustre", "lab", "tpu-elastic")
SHARES = 15
CASES = [f"{stack} {way} {share}" for stack in STACKS for way in WAYS for share in range(SHARES)]


@pytest.mark.parametrize("case", a_sample(CASES, 1))
def test_each_resource_that_is_made_anew_by_hand_leaves_nothing_to_do(
    templates: Callable[[str], Path],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    saved_at_the_end: None,
    case: str,
) -> None:
    monkeypatch.setenv("HUGGING_FACE_TOKEN", CANARY)
    stack, way, share = case.split()
    names = resources_of(Sandbox(Workspace(templates(stack), stack)))
    assert len(names) > SHARES
    failed: dict[str, str] = {}
    for name in names[int(share) :: SHARES]:
        folder = tmp_path / name
        shutil.copytree(templates(stack), folder)
        if why := WAYS[way](Sandbox(Workspace(folder, stack)), name):
            failed[name] = why
        shutil.rmtree(folder)
    assert not failed


@pytest.mark.parametrize(
    ("name", "verbs"),
    [
        ("volume-claim", ["untaint", "up"]),
        ("gke-cluster", ["untaint", "up", "destroy", "up", "up"]),
    ],
)
def test_the_commands_that_a_refusal_has_for_the_sandbox_do_it(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    saved_at_the_end: None,
    name: str,
    verbs: list[str],
) -> None:
    """As they are printed, one after the other, on a protected stack."""
    stack = brought(tmp_path)
    stack.succeed("up")
    taint(stack, name)
    refused = stack.run("preview")
    capsys.readouterr()
    print_report(refused, stack.workspace.root)
    _, printed = capsys.readouterr().out.split("on the sandbox:\n")
    lines = [it.partition("aistack sandbox ")[2] for it in printed.splitlines()]
    commands = [shlex.split(it) for it in lines if it]
    assert [words[0] for words in commands] == verbs
    monkeypatch.setattr(command_line, "_workspace", lambda *_: stack.workspace)
    for words in commands:
        fast = [] if words[0] == "untaint" else ["--speed", "inf"]
        kube = ["--kube", "memory"] if words[0] == "up" else []
        done = CliRunner().invoke(command_line.app, [*words, *fast, *kube])
        assert done.exit_code == 0, (words, done.output)
    assert changed(stack.succeed("preview")) == {}
