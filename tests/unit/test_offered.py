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
from aistack.command_line import HANDED_OVER
from aistack.job import Job
from aistack.offered import SANDBOX_VARIABLE, asks, given, means, offered, offered_up
from aistack.verbs.submit import report
from aistack.why.verdict import verdict
from cli.lines import say
from cli.next_steps import command
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


def test_an_offered_command_asks_the_stack_and_the_sandbox_that_this_one_asked() -> None:
    assert offered("why", "train") == "aistack why train"
    given("lab", Path("my folder"))
    assert offered("why", "train") == "aistack why train --stack lab --sandbox 'my folder'"


def test_an_offered_command_names_the_job_as_this_one_was_given_it() -> None:
    asks("train", "red/JobSet/train")
    assert offered("why", "train") == "aistack why red/JobSet/train"
    assert offered("why", "other") == "aistack why other"


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
    assert offered_up() == "aistack sandbox up --stack lab --kube real --folder box"
    assert offered_up(refresh=True).startswith(
        "aistack sandbox refresh --stack lab --folder box && "
    )


def test_a_run_in_a_sandbox_is_for_the_stack_that_was_found_there() -> None:
    given(None, Path("box"))
    means("dev")
    assert " --stack dev " in offered_up()
    assert offered("jobs") == "aistack jobs --sandbox box"


VERBS = sorted(it.callback.__name__ for it in app.registered_commands if it.callback is not None)
# `pulumi login` and `pulumi stack ls` ask no stack.
COMMAND = re.compile(
    rf"(?<![\w./-])(aistack ({'|'.join(VERBS)})"
    r"|pulumi (up|preview|refresh|destroy|config|state|import|cancel|watch|stack (?!ls))"
    r"|kubectl (-|get|describe|logs|apply|create|delete|patch|rollout|exec|port-forward))"
    r"(?P<words>[^`\n]*)"
)
NAMES_WHAT_IT_ASKS = re.compile(r"--(stack|context|kubeconfig)\b")
# What brings the options with it.
HELPERS = ("of_stack",)
# Files that print such a command, how it begins, and why it asks none.
ALLOWED = {
    ("aistack/calibration.py", "pulumi up --event-log"): "any stack's log is read",
    ("stacks/exports.py", "kubectl"): "outputs, beside the one that makes the context the current",
    ("stacks/outputs.py", "kubectl"): "outputs, beside the one that makes the context the current",
    ("stacks/refusal.py", "pulumi"): "the words that states of earlier releases have",
    ("stacks/schema.py", "pulumi config"): "the schema is of the files of all stacks",
}
# They answer in the words of Google, of the providers and of controllers.
OF_OTHERS = ("sandbox/cloud", "sandbox/providers", "sandbox/control_plane", "sandbox/memory_kube")
PACKAGES = ("aistack", "cli", "components", "kube", "recovery", "review", "sandbox", "stacks")


def told(tree: ast.AST) -> Iterator[str]:
    """Text that a program may print, a value in it as an ellipsis: all but docstrings, help, and
    comments in files that it writes."""
    left_out: set[ast.AST] = set()
    for node in ast.walk(tree):
        match node:
            case ast.keyword(arg="epilog" | "help", value=value) | ast.Expr(value=value):
                left_out.add(value)
            case ast.Call(func=ast.Name(id=name), args=values) if name in HELPERS:
                left_out.update(values)
            case ast.JoinedStr(values=values):
                left_out.update(values)
            case _:
                pass
    for node in ast.walk(tree):
        text = ""
        if isinstance(node, ast.JoinedStr):
            parts = (it.value if isinstance(it, ast.Constant) else "…" for it in node.values)
            text = "".join(map(str, parts))
        elif node not in left_out and isinstance(node, ast.Constant):
            text = node.value if isinstance(node.value, str) else ""
        if node not in left_out and not text.startswith("# "):
            yield text


def unsaid(tree: ast.AST) -> Iterator[str]:
    """Commands that name no stack or no cluster."""
    for text in told(tree):
        for found in COMMAND.finditer(text):
            if not NAMES_WHAT_IT_ASKS.search(found[0]):
                yield found[0]


def test_no_message_names_a_command_without_the_stack_or_the_cluster_that_it_asks() -> None:
    root = Path(aistack.__file__).parent.parent
    found = [
        (str(file.relative_to(root)), words)
        for package in PACKAGES
        for file in sorted((root / package).rglob("*.py"))
        if not str(file.relative_to(root)).startswith(OF_OTHERS)
        for words in unsaid(ast.parse(file.read_text()))
    ]

    def allowed(file: str, words: str) -> bool:
        return any(file == name and words.startswith(begin) for name, begin in ALLOWED)

    assert [it for it in found if not allowed(*it)] == []
    assert {(name, begin) for name, begin in ALLOWED} == {
        it for it in ALLOWED for one in found if one[0] == it[0] and one[1].startswith(it[1])
    }


# Files whose words must not differ with who called them, and why.
FIXED = {
    "aistack/calibration.py": "the first line of a file, by which the command knows its own",
    "stacks/outputs.py": "an output, which the state keeps",
    "stacks/refusal.py": "words of a delete hook, which Pulumi has called",
}
OWN_COMMAND = re.compile(rf"aistack ({'|'.join([*VERBS, *HANDED_OVER])}|VERB)\b")


def test_no_message_writes_by_itself_how_aistack_is_called() -> None:
    root = Path(aistack.__file__).parent.parent
    found: set[str] = set()
    for package in PACKAGES:
        for file in sorted((root / package).rglob("*.py")):
            tree = ast.parse(file.read_text())
            docs = {it.value for it in ast.walk(tree) if isinstance(it, ast.Expr)}
            texts = (it for it in ast.walk(tree) if isinstance(it, ast.Constant))
            if any(it not in docs and OWN_COMMAND.search(str(it.value)) for it in texts):
                found.add(str(file.relative_to(root)))
    assert found == set(FIXED)


@pytest.mark.parametrize(
    ("called", "named"),
    [
        ("aistack", "aistack"),
        (".venv/bin/aistack", ".venv/bin/aistack"),
        ("./.venv/bin/aistack", ".venv/bin/aistack"),
        ("{here}/.venv/bin/aistack", ".venv/bin/aistack"),
        ("{here}/on-path/aistack", "aistack"),
        ("/elsewhere/aistack", "/elsewhere/aistack"),
        ("/elsewhere/sandbox/__main__.py", "aistack"),
        ("-c", "aistack"),
    ],
)
def test_a_message_calls_aistack_as_it_was_called(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, called: str, named: str
) -> None:
    program = tmp_path / "on-path" / "aistack"
    program.parent.mkdir()
    program.touch(0o755)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PATH", str(program.parent))
    monkeypatch.setattr("sys.argv", [called.format(here=tmp_path)])
    assert offered("why", "train") == f"{named} why train"
    assert command("up", "lab", Path(".sandbox")) == f"{named} sandbox up --stack lab"


@pytest.mark.parametrize(
    "text",
    [
        '"first `pulumi up`, then `pulumi destroy --stack x`"',
        'f"{first}; nearest: pulumi config set --secret {key}"',
        '"see `aistack why train`"',
        'f"`kubectl get node {node}`"',
    ],
)
def test_a_command_without_them_is_found(text: str) -> None:
    assert list(unsaid(ast.parse(f"print({text})")))


def test_what_why_advises_is_for_the_stack_and_the_sandbox_that_it_was_asked_of() -> None:
    given("lab", Path("box"))
    reasons = [verdict(it.snapshot).reason for it in REPORTS.values()]
    said = "\n".join(f"{it.sentence} {it.advice}" for it in reasons if it is not None)
    commands = re.findall(r"`(aistack [^`]*)`", said)
    assert len(commands) > 20
    assert [it for it in commands if not it.endswith(" --stack lab --sandbox box")] == []


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
