"""The wheels of the tree, and environments that have nothing of it but them."""

from __future__ import annotations

import os
import subprocess
import sys
import venv
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from cli.pulumi_cli import binary
from tests.conftest import ROOT

UV = str(Path(sys.executable).with_name("uv"))


def build(source: Path, folder: Path) -> Path:
    """The wheel of the program, or of the library."""
    own = ("--no-build-isolation", "--python", sys.executable)
    where = ("--offline", "--no-cache", "--out-dir", str(folder), str(source))
    subprocess.run([UV, "build", "--quiet", "--wheel", *own, *where], check=True)
    (made,) = folder.glob("*.whl")
    return made


@dataclass(frozen=True)
class Installed:
    """An environment with wheels, and a folder to work in."""

    environment: Path
    folder: Path

    @classmethod
    def of(cls, folder: Path, *wheels: Path, lent: Path) -> Installed:
        """With what the wheels need from other site-packages: that it is found, this does not
        show."""
        made = cls(folder / "environment", folder / "project")
        made.folder.mkdir()
        venv.create(made.environment, symlinks=True)
        install = ("pip", "install", "--quiet", "--offline", "--no-cache", "--no-deps", "--python")
        subprocess.run([UV, *install, str(made.python), *map(str, wheels)], check=True)
        # No further .pth is read there, so the clone that is installed for these tests is unseen.
        (own,) = made.environment.glob("lib/python*/site-packages")
        (own / "lent.pth").write_text(str(lent))
        return made

    @property
    def python(self) -> Path:
        return self.environment / "bin" / "python"

    def write(self, files: Mapping[str, str]) -> None:
        for name, text in files.items():
            (self.folder / name).parent.mkdir(parents=True, exist_ok=True)
            (self.folder / name).write_text(text, encoding="utf-8")

    def run(self, *words: str) -> subprocess.CompletedProcess[str]:
        path = (self.environment / "bin", binary().parent, "/usr/bin", "/bin")
        return subprocess.run(
            words,
            cwd=self.folder,
            env={"PATH": os.pathsep.join(map(str, path)), "HOME": str(self.environment)},
            capture_output=True,
            text=True,
            check=False,
        )

    def succeed(self, *words: str) -> str:
        done = self.run(*words)
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout


def tracked(*folders: str) -> set[str]:
    listed = subprocess.run(
        ["git", "ls-files", *folders], cwd=ROOT, capture_output=True, text=True, check=True
    )
    return {it for it in listed.stdout.splitlines() if (ROOT / it).exists()}
