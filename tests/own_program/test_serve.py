"""`sandbox serve`: a plain `pulumi`, in its own folder and with its own config, finds the
stand-ins."""

from __future__ import annotations

import os
import shlex
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from cli.pulumi_cli import binary
from tests.conftest import ROOT
from tests.own_program.programs import ONLY_KUBERNETES, written

pytestmark = pytest.mark.thorough


@contextmanager
def served(folder: Path, *options: str) -> Iterator[str]:
    """The lines for a shell."""
    words = [sys.executable, "-m", "sandbox", "serve", "--folder", str(folder), "--speed", "inf"]
    process = subprocess.Popen([*words, *options], cwd=ROOT, stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    lines: list[str] = []
    for line in process.stdout:
        lines.append(line)
        if line.startswith("export PATH="):
            break
    try:
        yield "".join(lines)
    finally:
        process.send_signal(signal.SIGTERM)
        assert process.wait(timeout=60) == 0


def pulumi(exports: str, folder: Path, home: Path, *words: str) -> str:
    """What it said; as whoever pastes the lines has it."""
    done = subprocess.run(
        ["sh", "-ec", f"{exports}\npulumi {shlex.join(words)} --stack sandbox --non-interactive"],
        cwd=folder,
        env={**os.environ, "HOME": str(home), "PATH": f"{binary().parent}:{os.environ['PATH']}"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def test_a_plain_pulumi_lives_on_it(tmp_path: Path) -> None:
    folder, home = written(ONLY_KUBERNETES, tmp_path / "program"), tmp_path / "home"
    home.mkdir()
    with served(tmp_path / "sandbox", "--cluster") as exports:
        pulumi(exports, folder, home, "stack", "init")
        assert "+ 3 to create" in pulumi(exports, folder, home, "preview")
        pulumi(exports, folder, home, "up", "--yes")
        assert "3 unchanged" in pulumi(exports, folder, home, "preview")
    # It is another process that has them then.
    with served(tmp_path / "sandbox") as exports:
        assert "3 unchanged" in pulumi(exports, folder, home, "refresh", "--yes")
        assert "- 3 deleted" in pulumi(exports, folder, home, "destroy", "--yes")
    assert (folder / "Pulumi.sandbox.yaml").exists()
