"""The command line: exit codes, and errors in one line."""

from __future__ import annotations

from pathlib import Path

import pytest

from sandbox.__main__ import main


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
        (("status", "--stack", "dev"), "nearest: python -m sandbox up --stack dev"),
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


@pytest.mark.parametrize("arguments", [("explode",), ("up",), ("up", "--stack", "dev", "--quick")])
def test_a_wrong_command_line_is_exit_code_2(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], arguments: tuple[str, ...]
) -> None:
    assert run(monkeypatch, *arguments) == 2
    assert capsys.readouterr().err.startswith("error: ")


def test_reset_forgets_everything(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    folder = tmp_path / "sandbox"
    (folder / "stacks").mkdir(parents=True)
    assert run(monkeypatch, "reset", "--folder", str(folder)) == 0
    assert not folder.exists()
    assert "every stack" in capsys.readouterr().out
