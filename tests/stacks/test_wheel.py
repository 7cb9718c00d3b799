"""The wheel in an environment of its own: it has all of the code and its data, a new project of the
template lives, and a snapshot is explained. That pip finds the dependencies, this does not show:
those of these tests are lent to it."""

from __future__ import annotations

import os
import shlex
import subprocess
import sys
import sysconfig
import tomllib
import venv
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from zipfile import ZipFile

import pytest

from aistack.exit_codes import ExitCode
from cli.pulumi_cli import binary
from tests.conftest import ROOT

pytestmark = pytest.mark.thorough
_UV = str(Path(sys.executable).with_name("uv"))
_HERE_ONLY = ("tests", "tools")


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("wheel")
    build = ("build", "--wheel", "--offline", "--no-cache", "--out-dir", str(folder))
    subprocess.run([_UV, *build], cwd=ROOT, check=True)
    (made,) = folder.glob("*.whl")
    return made


@dataclass(frozen=True)
class Installed:
    """An environment with the wheel, and a folder to work in."""

    environment: Path
    folder: Path

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


@pytest.fixture
def installed(wheel: Path, tmp_path: Path) -> Installed:
    made = Installed(tmp_path / "environment", tmp_path / "project")
    made.folder.mkdir()
    venv.create(made.environment, symlinks=True)
    python = made.environment / "bin" / "python"
    install = ("pip", "install", "--offline", "--no-cache", "--no-deps", "--python", str(python))
    subprocess.run([_UV, *install, str(wheel)], check=True)
    # No further .pth is read there, so the clone that is installed for these tests stays unseen.
    (own,) = made.environment.glob("lib/python*/site-packages")
    (own / "lent.pth").write_text(sysconfig.get_path("purelib"))
    return made


def tracked(folders: Sequence[str]) -> set[str]:
    listed = subprocess.run(
        ["git", "ls-files", *folders], cwd=ROOT, capture_output=True, text=True, check=True
    )
    return {it for it in listed.stdout.splitlines() if (ROOT / it).exists()}


def test_the_wheel_has_every_file_of_the_code_and_no_others(wheel: Path) -> None:
    packages = {it.parent.name for it in ROOT.glob("*/__init__.py")} - {*_HERE_ONLY}
    version = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["version"]
    has = {it for it in ZipFile(wheel).namelist() if not it.endswith("/")}
    own = {it for it in has if ".dist-info/" in it}
    assert {it.partition("/")[0] for it in own} == {f"gke_ai_stacks-{version}.dist-info"}
    assert has - own == tracked(sorted(packages))


def test_a_new_project_lives(installed: Installed) -> None:
    done = installed.run("aistack", "sandbox", "preview", "--stack", "first")
    said, _, nearest = done.stderr.partition("; nearest: ")
    assert said == "error: Pulumi.yaml: not here, nor in a folder above"
    new = installed.run(*shlex.split(nearest))
    # It ends with a question to Python's host, which only `make stack-tools` builds here.
    assert new.returncode == 0 or "no language plugin 'pulumi-language-python'" in new.stderr
    made = {it.name for it in installed.folder.iterdir()}
    assert {"Pulumi.yaml", "Pulumi.first.yaml", "__main__.py"} <= made
    for verb in ("preview", "up", "status", "destroy"):
        speed = () if verb == "status" else ("--speed", "inf")
        installed.succeed("aistack", "sandbox", verb, "--stack", "first", *speed)
    again = installed.run("aistack", "sandbox", "up", "--stack", "second")
    assert again.stderr.endswith("there is no Pulumi.second.yaml; nearest: first\n")


def test_a_snapshot_is_explained_where_no_project_is(installed: Installed) -> None:
    done = installed.run("aistack", "why", "--snapshot", "quota-full")
    assert done.returncode == ExitCode.IN_THE_WAY, done.stderr
    assert done.stdout.startswith("Job default/quota-full is queued.")
