"""What `make bench` measures of a review of every stack, against a base that differs in all."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from cli.project import PROJECT_FOLDER
from cli.pulumi_cli import binary

# A file of every stack's program, and a line that changes nothing.
_EVERY_STACK, _LINE = "stacks/__init__.py", "# Another line.\n"
_LARGEST = """
import resource, subprocess, sys
code = subprocess.call(sys.argv[1:], stdout=subprocess.DEVNULL)
print(code, resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1024)
"""


@dataclass(frozen=True)
class Reviewed:
    """Seconds of the whole command and of its engine runs together; its largest process in MiB."""

    wall_s: float
    engine_s: float
    peak_mib: float


def review_times() -> Reviewed:
    """Review all stacks in a repository of its own, with this program in it."""
    with tempfile.TemporaryDirectory() as scratch:
        folder, out = Path(scratch) / "repository", Path(scratch) / "review.json"
        _copy(folder)
        _git(folder, "init", "--quiet")
        _git(folder, "add", "--all")
        _git(folder, "commit", "--quiet", "--message", "base")
        with (folder / _EVERY_STACK).open("a") as file:
            file.write(_LINE)
        path = os.pathsep.join([str(binary().parent), os.environ.get("PATH", os.defpath)])
        review = ["-m", "review", "--base", "HEAD", "--json", str(out)]
        began = time.monotonic()
        done = subprocess.run(
            [sys.executable, "-c", _LARGEST, sys.executable, *review],
            cwd=folder,
            env={**os.environ, "PATH": path},
            capture_output=True,
            text=True,
            check=True,
        )
        wall = time.monotonic() - began
        code, peak = done.stdout.split()
        if code != "0":
            raise RuntimeError(f"the review of an unchanged program ended with {code}")
        stacks = json.loads(out.read_text())["stacks"]
    return Reviewed(wall, sum(one["engine_s"] for one in stacks), float(peak))


def _copy(folder: Path) -> None:
    listed = _git(PROJECT_FOLDER, "ls-files", "--cached", "--others", "--exclude-standard")
    for name in listed.splitlines():
        source, target = PROJECT_FOLDER / name, folder / name
        if source.is_file():
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(source, target)


def _git(folder: Path, *arguments: str) -> str:
    who: Sequence[str] = ("-c", "user.name=nobody", "-c", "user.email=nobody@example.com")
    command = ["git", "-C", str(folder), *who, *arguments]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout
