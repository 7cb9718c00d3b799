"""Reviews of changes: pure parts here, and small git repositories with this program in them.

The default tier shows what a review makes of the engine's events; the thorough one runs the engine
over commits. Neither can show what Google's APIs would do with a change.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from filelock import FileLock

from cli.pulumi_cli import binary

ROOT = Path(__file__).parent.parent.parent
# Not stacks, so a program without them reviews in the same way.
_ASIDE = ("tests/", "docs/")


def git(folder: Path, *arguments: str) -> str:
    """Run git as nobody in particular; returns what it prints."""
    who = ["-c", "user.name=nobody", "-c", "user.email=nobody@example.com"]
    done = subprocess.run(
        ["git", "-C", str(folder), *who, "-c", "init.defaultBranch=main", *arguments],
        capture_output=True,
        text=True,
        check=True,
    )
    return done.stdout.strip()


@dataclass(frozen=True)
class Done:
    """A review that was run as a command."""

    code: int
    log: str
    markdown: str
    report: dict[str, Any]
    folder: Path

    def stack(self, name: str) -> dict[str, Any]:
        return next(one for one in self.report["stacks"] if one["stack"] == name)

    def verbs(self, name: str) -> dict[str, str]:
        return {it["resource"]: it["verb"] for it in self.stack(name)["changes"]}

    def dangers(self, name: str) -> dict[str, list[str]]:
        """The properties that cause each danger, by resource."""
        return {it["resource"]: list(it["properties"]) for it in self.stack(name)["dangers"]}


@dataclass(frozen=True)
class Repository:
    """A git repository with this program in it."""

    folder: Path

    def edit(self, name: str, *changes: tuple[str, str]) -> None:
        """Replace texts in a file; each has to be there."""
        file = self.folder / name
        text = file.read_text()
        for old, new in changes:
            assert old in text, f"{name} has no {old!r}"
            text = text.replace(old, new)
        file.write_text(text)

    def commit(self) -> None:
        git(self.folder, "add", "--all")
        git(self.folder, "commit", "--quiet", "--message", "change")

    def review(
        self,
        base: str,
        *stacks: str,
        out: Path | None = None,
        env: Mapping[str, str] | None = None,
        before: tuple[str, ...] = (),
    ) -> Done:
        """Run the command; `before` is put in front of it."""
        out = out or self.folder.with_name("out")
        out.mkdir(exist_ok=True)
        command = [sys.executable, "-m", "review", "--base", base]
        command += [part for stack in stacks for part in ("--stack", stack)]
        command += ["--markdown", str(out / "report.md"), "--json", str(out / "report.json")]
        path = os.pathsep.join([str(binary().parent), os.environ.get("PATH", os.defpath)])
        done = subprocess.run(
            [*before, *command],
            cwd=self.folder,
            env={**(os.environ if env is None else env), "PATH": path},
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            check=False,
        )
        found = out / "report.json"
        report = json.loads(found.read_text()) if found.exists() else {}
        text = (out / "report.md").read_text() if found.exists() else ""
        return Done(done.returncode, done.stdout, text, report, out)


def copied(folder: Path) -> Repository:
    """A new repository whose only commit is this program as it is now."""
    listed = git(ROOT, "ls-files", "--cached", "--others", "--exclude-standard")
    for name in listed.splitlines():
        source, target = ROOT / name, folder / name
        if source.is_file() and not name.startswith(_ASIDE):
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(source, target)
    git(folder, "init", "--quiet")
    repository = Repository(folder)
    repository.commit()
    return repository


@pytest.fixture(scope="session")
def template(tmp_path_factory: pytest.TempPathFactory, worker_id: str) -> Path:
    """A repository to copy."""
    base = tmp_path_factory.getbasetemp()
    shared = base if worker_id == "master" else base.parent
    folder = shared / "review-repository"
    with FileLock(shared / "review-repository.lock"):
        if not folder.exists():
            copied(folder)
    return folder


@pytest.fixture
def repository(template: Path, tmp_path: Path) -> Repository:
    folder = tmp_path / "repository"
    shutil.copytree(template, folder)
    return Repository(folder)


Edit = Callable[[Repository], None]
