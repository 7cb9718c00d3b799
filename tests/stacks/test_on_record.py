"""What a program reads of its own stack, through the real engine and its file backend."""

from __future__ import annotations

from pathlib import Path

from tests.stacks.program_sandbox import ProgramSandbox
from tests.stacks.recording import SECRET

MODULE = "tests.stacks.recording"


def told(stack: ProgramSandbox) -> list[str]:
    """What the last run's program said of the record, once for each resource."""
    lines = [line.partition("recorded ")[2].strip() for line in stack.said if "recorded " in line]
    stack.said.clear()
    return sorted({line for line in lines if not line.startswith("pulumi:")})


def test_a_run_that_failed_has_left_a_record(tmp_path: Path) -> None:
    stack = ProgramSandbox(tmp_path, "mine", MODULE)
    assert stack.run("preview").ok
    assert told(stack) == []
    assert not stack.run("up", network="true").ok
    told(stack)
    assert stack.run("preview").ok
    found = told(stack)
    (api,) = [line for line in found if line.startswith("gcp:projects/service:Service api ")]
    assert "'service': 'iam.googleapis.com'" in api
    assert not any("Network" in line for line in found)


def test_it_is_whole_but_for_secrets_and_gone_after_a_destroy(tmp_path: Path) -> None:
    stack = ProgramSandbox(tmp_path, "mine", MODULE)
    assert stack.run("up").ok
    assert stack.run("preview").ok
    assert SECRET not in str(stack.said)
    (kept,) = [line for line in told(stack) if line.startswith("test:test:Kept ")]
    assert "'nested': {'nodes': 3}" in kept
    assert "'listed': [0.5]" in kept
    assert stack.run("destroy").ok
    assert stack.run("preview").ok
    assert told(stack) == []
