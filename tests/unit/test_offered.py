"""Commands that messages offer, and the lines in which they stand."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import pytest
from typer.testing import CliRunner

import aistack
from aistack.__main__ import app
from aistack.job import Job
from aistack.offered import SANDBOX_VARIABLE, forget, given, means, offered, offered_up
from aistack.verbs.submit import report
from aistack.why.verdict import verdict
from cli.lines import say
from kube.jobs import State
from tests.unit.test_why_reports import REPORTS

JOB = Job(
    kind="Job",
    namespace="lab",
    name="train-1a2b",
    uid="1",
    state=State.STARTING,
    queue="",
    pods=1,
    accelerators=0,
    runs_on="",
    owner="",
    submitter="ada",
    created=datetime(2026, 1, 1, tzinfo=UTC),
)


@pytest.fixture(autouse=True)
def no_options() -> Iterator[None]:
    yield
    forget()


def test_an_offered_command_asks_the_stack_and_the_sandbox_that_this_one_asked() -> None:
    assert offered("why", "train") == "aistack why train"
    given("lab", Path("my folder"))
    assert offered("why", "train") == "aistack why train --stack lab --sandbox 'my folder'"


def test_a_sandbox_that_a_variable_names_needs_no_option(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(SANDBOX_VARIABLE, "here")
    given("lab", Path("here"))
    assert offered("jobs") == "aistack jobs --stack lab"


def test_a_run_is_offered_for_the_stack_and_the_sandbox_that_this_one_asked(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert offered_up() == "pulumi up"
    assert offered_up(refresh=True) == "pulumi up --refresh"
    given("lab")
    assert offered_up() == "pulumi up --stack lab"
    monkeypatch.chdir(tmp_path)
    given("lab", Path("box"))
    assert offered_up().endswith(" -m sandbox up --stack lab --kube real --folder box")
    assert " -m sandbox refresh --stack lab --folder box && " in offered_up(refresh=True)


def test_a_run_in_a_sandbox_is_for_the_stack_that_was_found_there() -> None:
    given(None, Path("box"))
    means("dev")
    assert " --stack dev " in offered_up()
    assert offered("jobs") == "aistack jobs --sandbox box"


VERBS = {it.callback.__name__ for it in app.registered_commands if it.callback is not None}
# By hand, what a run of the program needs; `login` and `config` ask no stack.
BY_HAND = re.compile(
    rf"\b(aistack ({'|'.join(sorted(VERBS))})|pulumi (up|preview|refresh|destroy))\b"
)
# Of no stack: what `calibrate` reads is the log of any run.
OF_ANY_STACK = "pulumi up --event-log FILE"


def told(tree: ast.AST) -> Iterator[str]:
    """Text that a program may print: all but docstrings, examples of `--help` and comments in files
    that it writes."""
    left_out: set[ast.AST] = set()
    for node in ast.walk(tree):
        match node:
            case ast.keyword(arg="epilog", value=value) | ast.Expr(value=value):
                left_out.add(value)
            case _:
                pass
    for node in ast.walk(tree):
        if node not in left_out and isinstance(node, ast.Constant):
            text = node.value
            if isinstance(text, str) and not text.startswith("# "):
                yield text


def test_no_message_of_a_verb_names_a_command_without_what_this_one_was_given() -> None:
    package = Path(aistack.__file__).parent
    found = [
        f"{file.relative_to(package)}: {text}"
        for file in sorted(package.rglob("*.py"))
        for text in told(ast.parse(file.read_text()))
        if BY_HAND.search(text.replace(OF_ANY_STACK, ""))
    ]
    assert not found


@pytest.mark.parametrize("name", REPORTS)
def test_what_why_advises_is_for_the_stack_and_the_sandbox_that_it_was_asked_of(name: str) -> None:
    given("lab", Path("box"))
    reason = verdict(REPORTS[name].snapshot).reason
    assert reason is not None
    for command in re.findall(r"`(aistack [^`]*)`", f"{reason.sentence} {reason.advice}"):
        assert command.endswith(" --stack lab --sandbox box")


def test_what_a_command_was_given_counts_for_no_later_one(tmp_path: Path) -> None:
    done = CliRunner().invoke(app, ["jobs", "--stack", "lab", "--sandbox", str(tmp_path / "none")])
    assert done.exit_code != 0
    assert offered("jobs") == "aistack jobs"


def test_what_a_submitted_job_is_told_with_has_lines_of_its_own(
    capsys: pytest.CaptureFixture[str],
) -> None:
    given("lab", None)
    short = ["2 CPUs that others have", "1 GPU\nthat is no line of ours"]
    said = {"waiting_before": 0, "hourly": "0.27 USD", "short_of": short, "ready_minutes": None}
    say(*report(JOB, said | {"installs": [], "disk_gib": None, "launch": None}))
    assert capsys.readouterr().out.splitlines() == [
        "Job lab/train-1a2b starts. An hour of its machines costs 0.27 USD.",
        "For now it waits, for 2 CPUs that others have.",
        "For now it waits, for 1 GPU\\nthat is no line of ours.",
        "  aistack logs train-1a2b -f --stack lab",
        "  aistack why train-1a2b --stack lab",
        "  aistack cancel train-1a2b --stack lab",
    ]
