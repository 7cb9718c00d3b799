"""The command line: exit codes, and errors in one line."""

from __future__ import annotations

import json
import os
import shlex
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest

from sandbox.__main__ import main
from sandbox.folder import claim, require_sandbox
from sandbox.workspace import Workspace


def run(monkeypatch: pytest.MonkeyPatch, *arguments: str) -> int:
    monkeypatch.setattr("sys.argv", ["sandbox", *arguments])
    return main()


@pytest.mark.parametrize(
    ("arguments", "end"),
    [
        (("preview", "--stack", "b200-luster"), "nearest: b200-lustre"),
        (("up", "--stack", "dev", "--speed", "0"), "must be above 0; nearest: 1"),
        (("up", "--stack", "dev", "--fault", "nothing.yaml"), "there is no such file"),
        (("up", "--stack", "dev", "--project", "nothing.yaml"), "there is no such file"),
        (("up", "--stack", "dev", "--json", "nowhere/run.json"), "nearest: run.json"),
        (("status", "--stack", "dev", "--json", "."), "nearest: run.json"),
        (("destroy", "--stack", "Pulumi.dev.yaml"), "not that of its file; nearest: dev"),
        (("status", "--stack", "devv"), "there is no Pulumi.devv.yaml; nearest: dev"),
        (("kube", "status", "--stack", "devv"), "there is no Pulumi.devv.yaml; nearest: dev"),
        (("up", "--stack", "dev", "--set", "ray=[1"), "nearest: quotes around it"),
        (("reset",), "nearest: the folder that `up` was given"),
        # As `--stack "$STACK"` with a variable that is not set.
        (("reset", "--stack", ""), "or no --stack, for every stack of the sandbox"),
    ],
)
def test_a_users_mistake_is_one_line_and_exit_code_1(
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    tmp_path: Path,
    arguments: tuple[str, ...],
    end: str,
) -> None:
    assert run(monkeypatch, *arguments, "--folder", str(tmp_path / "sandbox")) == 1
    error = capsys.readouterr().err
    assert error.startswith("error: ")
    assert error.endswith(f"{end}\n")
    assert error.count("\n") == 1


@pytest.mark.parametrize(
    ("words", "near"),
    [
        (("status", "-stack", "dev"), "--stack"),
        (("kube", "status", "-s=dev"), "-s dev"),
        (("up", "--stack", "dev", "-sped", "2"), "--speed"),
    ],
)
def test_after_one_dash_there_is_one_letter(
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    words: tuple[str, ...],
    near: str,
) -> None:
    """The library takes `-stack dev` for `-s tack`, and `dev` for an argument."""
    assert run(monkeypatch, *words) == 2
    assert capsys.readouterr().err.endswith(f"there is one letter; nearest: {near}\n")


def test_what_runs_goes_on_where_nobody_reads_its_output_any_more() -> None:
    program = """
import sys
from cli.lines import say
say("a line")
say("another one")
print("goes on", file=sys.stderr)
"""
    reads, writes = os.pipe()
    os.close(reads)
    done = subprocess.run(
        [sys.executable, "-c", program],
        stdout=writes,
        stderr=subprocess.PIPE,
        text=True,
        check=False,
    )
    os.close(writes)
    assert (done.returncode, done.stderr) == (0, "goes on\n")


@pytest.mark.parametrize("arguments", [("explode",), ("up",), ("up", "--stack", "dev", "--quick")])
def test_a_wrong_command_line_is_exit_code_2(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], arguments: tuple[str, ...]
) -> None:
    assert run(monkeypatch, *arguments) == 2
    assert capsys.readouterr().err.startswith("error: ")


@pytest.mark.parametrize(
    ("options", "line"),
    [
        (("--kube", "memroy"), '--kube: "memroy": not one of them; nearest: memory'),
        (("--kube=rael",), '--kube: "rael": not one of them; nearest: real'),
        (("--speed", "fast"), '--speed: "fast": no number; nearest: 150'),
        (("--spede", "2"), "--spede: there is no such option; nearest: --speed"),
    ],
)
def test_a_wrong_option_is_told_by_its_name_its_value_and_the_nearest(
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    options: tuple[str, ...],
    line: str,
) -> None:
    assert run(monkeypatch, "preview", "--stack", "dev", *options) == 2
    assert capsys.readouterr().err == f"error: {line}\n"


@pytest.mark.parametrize(
    ("option", "line"),
    [
        ("--kube", "--kube: it is an option of preview, up, refresh alone; nearest: leave "),
        ("--sped", "--sped: there is no such option; nearest: --speed"),
        ("--zzz", "--zzz: there is no such option; nearest: --stack, --speed, "),
    ],
)
def test_an_option_that_a_verb_does_not_have_is_told_with_what_it_has(
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    option: str,
    line: str,
) -> None:
    assert run(monkeypatch, "destroy", "--stack", "dev", option, "memory") == 2
    assert capsys.readouterr().err.startswith(f"error: {line}")


@pytest.mark.parametrize("verb", ["up", "preview", "refresh", "status", "untaint"])
@pytest.mark.parametrize(("name", "near"), [("devv", "dev\n"), ("nothere", "b200-lustre, dev, ")])
def test_only_a_stack_whose_name_is_like_it_is_offered_for_a_wrong_one(
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    tmp_path: Path,
    verb: str,
    name: str,
    near: str,
) -> None:
    assert run(monkeypatch, verb, "--stack", name, "--folder", str(sandbox(tmp_path / "box"))) == 1
    assert f"there is no Pulumi.{name}.yaml; nearest: {near}" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("verb", "said"),
    [
        ("destroy", "there is no Pulumi.devv.yaml, and nothing was deleted; stacks here: b200-lus"),
        ("reset", "was never run here, and nothing was deleted; stacks of this sandbox: none\n"),
    ],
)
def test_what_deletes_offers_no_other_stack(
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    tmp_path: Path,
    verb: str,
    said: str,
) -> None:
    folder = str(sandbox(tmp_path / "box"))
    assert run(monkeypatch, verb, "--stack", "devv", "--folder", folder) == 1
    printed = capsys.readouterr().err
    assert said in printed
    assert "nearest" not in printed


def test_an_error_names_a_command_that_can_be_pasted(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    folder = tmp_path / "its own folder"
    assert run(monkeypatch, "status", "--stack", "dev", "--folder", str(folder)) == 1
    words = shlex.split(capsys.readouterr().err.split("nearest: ")[1])
    assert words[1:] == ["sandbox", "up", "--stack", "dev", "--folder", str(folder)]
    assert Path(words[0]).name == "aistack"


@pytest.mark.parametrize(
    ("says", "line"),
    [
        ("echo organization/gke-ai-stacks/dev", '--stack: "dev" was never run here'),
        ("echo none; exit 1", "Pulumi has selected no stack; nearest: b200-lustre, dev, "),
    ],
)
def test_by_default_a_verb_is_for_the_stack_that_pulumi_has_selected(
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    tmp_path: Path,
    says: str,
    line: str,
) -> None:
    pulumi = tmp_path / "pulumi"
    pulumi.write_text(f'#!/bin/sh\n[ "$1 $2" = "stack --show-name" ] || exit 9\n{says}\n')
    pulumi.chmod(0o755)
    monkeypatch.setattr("cli.pulumi_cli.binary", lambda: pulumi)
    assert run(monkeypatch, "status", "--folder", str(tmp_path / "sandbox")) > 0
    assert line in capsys.readouterr().err


def sandbox(folder: Path) -> Path:
    claim(folder)
    for inside in ("stacks", "state", "home"):
        (folder / inside).mkdir(parents=True)
    return folder


def test_reset_forgets_everything(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    folder = sandbox(tmp_path / "sandbox")
    assert run(monkeypatch, "reset", "--folder", str(folder)) == 0
    assert not folder.exists()
    assert "every stack" in capsys.readouterr().out


def test_reset_deletes_no_folder_that_is_not_a_sandboxs(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    thesis = tmp_path / "thesis.txt"
    thesis.write_text("years of work")
    assert run(monkeypatch, "reset", "--folder", str(tmp_path)) == 1
    assert "no sandbox is there" in capsys.readouterr().err
    assert run(monkeypatch, "up", "--stack", "dev", "--folder", str(tmp_path)) == 1
    assert "other files are there" in capsys.readouterr().err
    assert list(tmp_path.iterdir()) == [thesis]


def test_a_folder_that_holds_the_demos_sandbox_alone_may_be_one(tmp_path: Path) -> None:
    sandbox(tmp_path / "demo")
    claim(tmp_path)
    require_sandbox(tmp_path)


def test_reset_leaves_what_somebody_put_beside_a_sandbox(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    notes = sandbox(tmp_path) / "notes.txt"
    notes.touch()
    assert run(monkeypatch, "reset", "--folder", str(tmp_path)) == 0
    assert list(tmp_path.iterdir()) == [notes]


@pytest.mark.parametrize("stack", [(), ("--stack", "dev")])
def test_reset_waits_for_the_command_that_is_at_work(
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    tmp_path: Path,
    stack: tuple[str, ...],
) -> None:
    folder = sandbox(tmp_path / "sandbox")
    with Workspace(folder, "dev").lock():
        assert run(monkeypatch, "reset", *stack, "--folder", str(folder)) == 1
    assert "a command is at work here" in capsys.readouterr().err
    assert (folder / "state").exists()


def test_reset_waits_for_an_engine_whose_command_was_killed(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    folder = sandbox(tmp_path / "sandbox")
    lock = folder / "state" / ".pulumi" / "locks" / "organization" / "p" / "dev" / "a.json"
    lock.parent.mkdir(parents=True)
    lock.write_text(json.dumps({"pid": os.getpid()}))
    assert run(monkeypatch, "reset", "--folder", str(folder)) == 1
    assert f"still at work here (process {os.getpid()})" in capsys.readouterr().err
    assert lock.exists()


def test_a_folder_that_cannot_be_written_is_one_line(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    file = tmp_path / "file"
    file.touch()
    assert run(monkeypatch, "preview", "--stack", "dev", "--folder", str(file / "in")) == 1
    assert capsys.readouterr().err.endswith("Not a directory; nearest: another --folder\n")


def test_a_cut_file_of_the_simulated_cloud_is_one_line(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    workspace = Workspace(sandbox(tmp_path / "sandbox"), "dev")
    workspace.prepare([])
    workspace.cloud_file.write_text('{"resources": {')
    assert run(monkeypatch, "status", "--stack", "dev", "--folder", str(workspace.root)) == 1
    assert "cloud.json: the simulated cloud cannot be read" in capsys.readouterr().err


def test_a_disk_with_no_room_for_a_run_is_refused_before_it_begins(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    monkeypatch.setattr("shutil.disk_usage", lambda _: SimpleNamespace(free=300 * 1024))
    assert run(monkeypatch, "up", "--stack", "dev", "--folder", str(tmp_path / "s")) == 1
    assert "its disk has 0 MiB left, and a run may need 64" in capsys.readouterr().err


@pytest.mark.parametrize("words", [("status",), ("kube", "status")])
def test_ctrl_c_is_one_word_and_exit_code_130(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], words: tuple[str, ...]
) -> None:
    def interrupted(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("sandbox.__main__._workspace", interrupted)
    assert run(monkeypatch, *words, "--stack", "dev") == 130
    assert capsys.readouterr().err == "interrupted\n"


@pytest.mark.parametrize(
    ("verb", "near"),
    [("plan", "preview"), ("apply", "up"), ("previw", "preview"), ("destory", "destroy")],
)
def test_an_unknown_verb_leads_to_the_one_that_is_meant(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], verb: str, near: str
) -> None:
    assert run(monkeypatch, verb, "--stack", "dev") == 2
    said = capsys.readouterr().err
    assert said == f"error: No such command '{verb}'; nearest: {near}\n"


@pytest.mark.parametrize("verb", ["destroy", "refresh", "status"])
def test_a_stack_that_was_never_run_here_is_told_so(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path, verb: str
) -> None:
    folder = ("--folder", str(tmp_path / "sandbox"))
    assert run(monkeypatch, verb, "--stack", "dev", *folder) == 1
    said = capsys.readouterr()
    assert said.err.startswith('error: --stack: "dev" was never run here')
    assert " sandbox up --stack dev " in said.err
    assert said.out == ""


def test_a_summary_is_written_over_no_other_file(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    """As with `--json` where `--project` was meant."""
    own = tmp_path / "project.yaml"
    own.write_text("existing: []\n")
    words = ("status", "--stack", "dev", "--folder", str(tmp_path / "sandbox"))
    assert run(monkeypatch, *words, "--json", str(own)) == 1
    assert "there is a file with something else in it" in capsys.readouterr().err
    assert own.read_text() == "existing: []\n"
    own.write_text("{}\n")
    run(monkeypatch, *words, "--json", str(own))
    assert "something else" not in capsys.readouterr().err


def test_the_options_of_the_users_own_pulumi_are_none_of_the_sandboxs(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """`pulumi config set` would write the sandbox's secrets into the user's file."""
    monkeypatch.setenv("PULUMI_OPTION_CONFIG_FILE", str(tmp_path / "own.yaml"))
    run(monkeypatch, "status", "--stack", "dev", "--folder", str(tmp_path / "sandbox"))
    assert "PULUMI_OPTION_CONFIG_FILE" not in os.environ
