"""The command line of `aistack` where nothing is up: exit codes, and errors in one line."""

from __future__ import annotations

from pathlib import Path

import pytest

from aistack.__main__ import main
from aistack.exit_codes import ExitCode


def run(monkeypatch: pytest.MonkeyPatch, *arguments: str) -> int:
    monkeypatch.setattr("sys.argv", ["aistack", *arguments])
    return main()


@pytest.mark.parametrize(
    ("words", "code", "end"),
    [
        (("frob",), ExitCode.USAGE, "No such command 'frob'."),
        (("jobs", "--frob"), ExitCode.USAGE, "No such option: --frob"),
        (("submit", "none.py"), ExitCode.USAGE, "'none.py' does not exist."),
        (("submit", "--as", "pod"), ExitCode.USAGE, "'pod' is not one of 'job', 'jobset'."),
        (("shell", "a", "--json"), ExitCode.USAGE, "nearest: COMMAND"),
        (("checkpoints", "a", "--copy", "1"), ExitCode.USAGE, "which one, and where to"),
        (("dashboard", "dev", "--queues"), ExitCode.USAGE, "nearest: leave it out"),
        (("dashboard", "--queues", "--port", "80"), ExitCode.USAGE, "--port: the page of the"),
        (("calibrate",), ExitCode.USAGE, "nearest: --event-log FILE of an `up`"),
        (("calibrate", "--event-log", "binary"), ExitCode.REFUSED, "--event-log FILE`"),
        (("calibrate", "--event-log", "none"), ExitCode.REFUSED, "No such file or directory"),
        (("fit", "--stack", "labb"), ExitCode.REFUSED, "nearest: lab"),
        (("fit", "--stack", "lab", "--job", "cifar"), ExitCode.NOT_FOUND, "nearest: cifar-10"),
        (("jobs", "--sandbox", "none"), ExitCode.REFUSED, "in none is meant? Up: none"),
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


def test_without_a_word_it_says_which_there_are(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(monkeypatch) == ExitCode.USAGE
    said = capsys.readouterr().err
    assert said.startswith("Usage: ")
    for verb in ("submit", "why", "status", "checkpoints"):
        assert f"\n  {verb}" in said
