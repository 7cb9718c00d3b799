"""Of what takes long, a sample: another one for each commit, and all with ALL_COMBINATIONS=1."""

import os
import subprocess
from random import Random
from typing import Any, TypeVar

from cli.project import PROJECT_FOLDER

_One = TypeVar("_One", int, str, tuple[str, str], tuple[str, Any])


def everything_is_run() -> bool:
    return bool(os.environ.get("ALL_COMBINATIONS"))


def of_this_commit(everything: list[_One], count: int) -> list[_One]:
    """In their order."""
    if everything_is_run():
        return everything
    return sorted(Random(_commit()).sample(everything, count))


def _commit() -> str:
    """Empty where this is no repository."""
    said = subprocess.run(
        ["git", "rev-parse", "HEAD"],
        cwd=PROJECT_FOLDER,
        capture_output=True,
        text=True,
        check=False,
    )
    return said.stdout.strip()
