"""Which file a run has its config from, as the command of the CLI says it."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from stacks import config_file
from tests.conftest import ROOT

ASK = """
from pathlib import Path
from stacks.config_file import config_file
print(config_file(Path("/project"), "mine"))
"""
# As the CLI starts the host, and the host the program.
START = "import subprocess, sys; subprocess.run([*sys.argv[1:4]], check=True)"


def read_from(folder: Path, *words: str, **variables: str) -> str:
    """What a program is told that `pulumi WORDS` started in the folder."""
    cli = folder / "pulumi"
    cli.symlink_to(sys.executable)
    host = [sys.executable, "-c", START, sys.executable, "-c", ASK]
    begin = f"import subprocess; subprocess.run({host!r}, check=True)"
    done = subprocess.run(
        [cli, "-c", begin, *words],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": str(ROOT), **variables},
        capture_output=True,
        text=True,
        check=True,
    )
    return done.stdout.strip()


@pytest.mark.parametrize(
    ("words", "variable", "read"),
    [
        (["up", "--yes"], "", "/project/Pulumi.mine.yaml"),
        (["up", "--config-file", "a b.yaml"], "", "{folder}/a b.yaml"),
        (["preview", "--config-file=../other.yaml"], "", "{folder}/../other.yaml"),
        (["up", "--config-file", "/etc/a.yaml"], "", "/etc/a.yaml"),
        (["up", "--config-file", "a.yaml", "--config-file=b.yaml"], "", "{folder}/b.yaml"),
        (["up"], "variable.yaml", "{folder}/variable.yaml"),
        (["up", "--config-file", "a.yaml"], "variable.yaml", "{folder}/a.yaml"),
        (["up", "--config", "a=b", "--config-path"], "", "/project/Pulumi.mine.yaml"),
    ],
)
def test_the_file_is_the_one_that_the_cli_was_given(
    tmp_path: Path, words: list[str], variable: str, read: str
) -> None:
    variables = {"PULUMI_OPTION_CONFIG_FILE": variable} if variable else {}
    assert read_from(tmp_path, *words, **variables) == read.format(folder=tmp_path)


def test_a_machine_without_proc_is_asked_by_ps(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(config_file.Path, "is_dir", lambda _: False)
    parent, words, _ = config_file._process(os.getpid())
    assert parent == os.getppid()
    assert any("python" in it or "pytest" in it for it in words)
    assert config_file._process(2**22 + 1)[0] == 0


def test_the_command_of_the_cli_is_that_of_a_process_above(monkeypatch: pytest.MonkeyPatch) -> None:
    above = {
        3: (2, ["python"], Path("/a")),
        2: (1, ["/bin/pulumi", "up", "--config-file", "b.yaml"], Path("/b")),
        1: (0, ["init"], Path("/")),
    }
    monkeypatch.setattr("os.getppid", lambda: 3)
    monkeypatch.setattr(config_file, "_process", above.__getitem__)
    assert config_file.config_file(Path("/project"), "mine") == Path("/b/b.yaml")
