"""The command line of `aistack` where nothing is up: exit codes, and errors in one line."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import tomllib
from contextlib import suppress
from pathlib import Path

import pytest

from aistack.__main__ import app, main
from aistack.command_line import HANDED_OVER, SECTIONS
from aistack.exit_codes import ExitCode
from aistack.people.look import Look
from kube.people.going import Going, effects
from kube.people.work import Work
from tests.conftest import ROOT
from tools.verbs import main as verbs_page


def run(monkeypatch: pytest.MonkeyPatch, *arguments: str) -> int:
    monkeypatch.setattr("sys.argv", ["aistack", *arguments])
    return main()


def test_help_has_each_verb_in_a_line_on_one_screen(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    assert run(monkeypatch, "--help") == ExitCode.FINE
    lines = capsys.readouterr().out.splitlines()
    shown = [(verb, said) for verbs in SECTIONS.values() for verb, said in verbs.items()]
    own = {it.callback.__name__ for it in app.registered_commands if it.callback is not None}
    assert sorted(verb for verb, _ in shown) == sorted({*own, *HANDED_OVER})
    for verb, said in shown:
        assert [it for it in lines if it.split() == [verb, *said.split()]]
    assert max(map(len, lines)) <= 80
    assert len(lines) <= 48


@pytest.mark.parametrize("verb", HANDED_OVER)
def test_another_command_line_is_a_verb_and_calls_itself_so(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], verb: str
) -> None:
    with suppress(SystemExit):
        assert run(monkeypatch, verb, "--help") == 0
    assert f"sage: aistack {verb} [" in capsys.readouterr().out


@pytest.mark.parametrize("module", HANDED_OVER.values())
def test_by_its_former_name_a_command_line_works_and_says_what_it_is_called(module: str) -> None:
    command = [sys.executable, "-m", module.removesuffix(".__main__"), "--help"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)
    assert re.match(r"\s*usage: aistack (sandbox|review|recover|schema) \[", done.stdout, re.I)


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("sandbox", "previw"), "nearest: preview"),
        (("sandbx",), "nearest: sandbox"),
        (("review", "--bse", "main"), "nearest: --base"),
    ],
)
def test_a_mistake_in_a_verb_of_another_command_line_is_told_as_there(
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    words: tuple[str, ...],
    said: str,
) -> None:
    assert run(monkeypatch, *words) == ExitCode.USAGE
    assert capsys.readouterr().err.strip().endswith(said)


def test_the_version_is_that_of_the_package(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(monkeypatch, "--version") == ExitCode.FINE
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    assert capsys.readouterr().out == f"{project['version']}\n"


def test_the_page_has_every_exit_code() -> None:
    page = (ROOT / "docs" / "aistack.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| (\d+) +\| (.*) \|$", page, re.MULTILINE)
    assert rows == [(str(it.value), it.meaning) for it in ExitCode]


def test_the_page_has_the_verbs_of_the_help() -> None:
    assert verbs_page(["--check"]) == 0, "run: make inventory"


@pytest.mark.parametrize(
    ("words", "code", "end"),
    [
        (("frob",), ExitCode.USAGE, "No such command 'frob'; nearest: submit"),
        (("jobs", "--frob"), ExitCode.USAGE, "--frob: there is no such option"),
        (("jobs", "-stack", "lab"), ExitCode.USAGE, "one letter; nearest: --stack\n"),
        (("jobs", "-stakc=lab"), ExitCode.USAGE, "one letter; nearest: --stack=lab\n"),
        (("jobs", "-s=lab"), ExitCode.USAGE, "one letter; nearest: -s lab\n"),
        (("jobs", "-slab"), ExitCode.USAGE, "one letter; nearest: -s lab\n"),
        (("jobs", "-json"), ExitCode.USAGE, "one letter; nearest: --json\n"),
        (("logs", "a", "-fp"), ExitCode.USAGE, "one letter; nearest: -f -p\n"),
        (("logs", "a", "-s", "lab", "-followw"), ExitCode.USAGE, "nearest: --follow\n"),
        (("jobs", "-help"), ExitCode.USAGE, "one letter; nearest: --help\n"),
        (("jobs", "-qqq"), ExitCode.USAGE, "one letter; nearest: --"),
        (
            ("submit", "none.py"),
            ExitCode.USAGE,
            "'none.py' does not exist; nearest: `aistack submit --help`",
        ),
        (
            ("submit", "binary", "alexnet"),
            ExitCode.USAGE,
            "nearest: -- before alexnet, where it is",
        ),
        (("submit", "--as", "pod"), ExitCode.USAGE, '"pod": not one of them; nearest: job'),
        (("shell", "a", "--json"), ExitCode.USAGE, "nearest: COMMAND"),
        (("checkpoints", "a", "--copy", "1"), ExitCode.USAGE, "which one, and where to"),
        (("calibrate",), ExitCode.USAGE, "--event-log: missing"),
        (("calibrate", "--event-log", "binary"), ExitCode.REFUSED, "--event-log FILE`"),
        (("calibrate", "--event-log", "none"), ExitCode.REFUSED, "No such file or directory"),
        (("fit", "--stack", "labb"), ExitCode.REFUSED, "nearest: lab"),
        (("fit", "--stack", "lab", "--job", "cifar"), ExitCode.NOT_FOUND, "nearest: cifar-10"),
        (("jobs", "--sandbox", "none"), ExitCode.REFUSED, "in none; nearest: aistack sandbox up "),
        (("jobs", "--sandbox", "none", "--stack", "labb"), ExitCode.REFUSED, "nearest: lab"),
        (("jobs", "--sandbox", "none", "--stack", "dev"), ExitCode.REFUSED, "--folder "),
    ],
)
def test_a_mistake_is_one_line_and_an_exit_code(
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    tmp_path: Path,
    words: tuple[str, ...],
    code: int,
    end: str,
) -> None:
    (tmp_path / "binary").write_bytes(b"a\xff\xfe")
    monkeypatch.chdir(tmp_path)
    assert run(monkeypatch, *words) == code
    said = capsys.readouterr()
    assert (said.out, said.err.count("\n")) == ("", 1)
    assert said.err.startswith("error: ")
    assert end in said.err


def test_who_is_not_logged_in_is_told_so_and_of_the_sandbox(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    pulumi = tmp_path / "pulumi"
    said = "error: PULUMI_ACCESS_TOKEN must be set for login during non-interactive CLI sessions"
    pulumi.write_text(f"#!/bin/sh\necho '{said}' >&2\nexit 255\n")
    pulumi.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:{os.environ['PATH']}")
    assert run(monkeypatch, "jobs", "--stack", "lab") == ExitCode.REFUSED
    assert capsys.readouterr().err == (
        "error: pulumi: nobody is logged in; nearest: `pulumi login`, or for a stack of the "
        "sandbox with a real control plane --sandbox .sandbox\n"
    )


@pytest.mark.parametrize("verb", [("jobs",), ("logs", "train"), ("recover",)])
def test_a_mistyped_stack_is_told_before_that_nobody_is_logged_in(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    verb: tuple[str, ...],
) -> None:
    pulumi = tmp_path / "pulumi"
    pulumi.write_text("#!/bin/sh\necho 'error: PULUMI_ACCESS_TOKEN must be set' >&2\nexit 255\n")
    pulumi.chmod(0o755)
    for module in ("aistack.stack", "recovery.__main__"):
        monkeypatch.setattr(f"{module}.binary", lambda: pulumi)
    assert run(monkeypatch, *verb, "--stack", "labb") == ExitCode.REFUSED
    assert capsys.readouterr().err == (
        'error: --stack: "labb": there is no Pulumi.labb.yaml; nearest: lab\n'
    )


@pytest.mark.parametrize(
    ("namespace", "code"), [("elsewhere", ExitCode.FINE), ("default", ExitCode.STOP_FIRST)]
)
def test_work_that_a_destroy_does_not_end_has_an_exit_code(
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    namespace: str,
    code: ExitCode,
) -> None:
    work = Work(api_version="batch/v1", kind="Job", namespace=namespace, name="train")
    goes = Going(cluster=True, namespaces=frozenset({"elsewhere"}))
    monkeypatch.setattr("aistack.verbs.work.opened", lambda stack, sandbox: (stack, sandbox))
    (effect,) = effects([work], goes)
    monkeypatch.setattr("aistack.people.look.look", lambda *_: Look([(work, effect)], False))
    assert run(monkeypatch, "work", "--stack", "lab") == code
    told = capsys.readouterr().out
    assert "Job train" in told
    stops = f"kubectl delete job.batch/train --namespace {namespace}"
    assert (stops in told) is (code is ExitCode.STOP_FIRST)
    assert run(monkeypatch, "work", "--stack", "lab", "--json") == code


def test_where_others_hold_a_network_is_told_with_the_commands(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    command = "gcloud compute firewall-rules list --project=p '--filter=network:(lab-net)'"
    monkeypatch.setattr("aistack.verbs.work.opened", lambda stack, sandbox: (stack, sandbox))
    monkeypatch.setattr("aistack.people.look.look", lambda *_: Look([], False, [command]))
    assert run(monkeypatch, "work", "--stack", "lab") == ExitCode.FINE
    assert f"\n  {command}\n" in capsys.readouterr().out
    assert run(monkeypatch, "work", "--stack", "lab", "--json") == ExitCode.FINE
    assert json.loads(capsys.readouterr().out)["look_for"] == [command]


def test_without_a_word_it_says_which_there_are(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(monkeypatch) == ExitCode.USAGE
    said = capsys.readouterr().err
    assert said.startswith("Usage: ")
    for verb in ("submit", "why", "status", "checkpoints"):
        assert f"\n  {verb}" in said


def test_ctrl_c_is_one_word_and_exit_code_130(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def interrupted(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("aistack.verbs.jobs.opened", interrupted)
    assert run(monkeypatch, "jobs") == ExitCode.INTERRUPTED
    assert capsys.readouterr().err == "interrupted\n"
