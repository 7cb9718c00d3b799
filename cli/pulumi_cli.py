"""Finds the Pulumi CLI: the one that `make setup` built, else the user's own of the same version.

An own one comes second, for a program called pulumi may be anywhere on a PATH, and GitHub's runners
bring one of another version (actions/runner-images images/ubuntu/Ubuntu2404-Readme.md, 0116af07).
"""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Mapping
from functools import cache
from pathlib import Path

from cli.errors import UserError
from cli.project import CODE_FOLDER, PROJECT_FOLDER

BUILT = CODE_FOLDER / ".tools"
# As the CLI says it, and tools/pulumi/go.mod.
PINNED = "v3.256.0"


@cache
def binary() -> Path:
    """Raises UserError where there is none of the pinned version."""
    if (built := _built()).exists():
        return built
    nearest = f"nearest: {_way_to_have_it()}"
    own = shutil.which("pulumi")
    if own is None:
        raise UserError(f"pulumi: there is none on the PATH; {nearest}")
    done = subprocess.run([own, "version"], capture_output=True, text=True, check=False)
    if (version := done.stdout.strip()) != PINNED:
        raise UserError(
            f"pulumi: {own} is of version {version or 'unknown'}, and only {PINNED} was tried "
            f"with this project; {nearest}"
        )
    return Path(own)


def _way_to_have_it() -> str:
    if (CODE_FOLDER / "Makefile").exists():
        return "`make setup`, which builds it"
    return f"that of https://github.com/pulumi/pulumi/releases/tag/{PINNED}, on the PATH"


def without_options(environment: Mapping[str, str]) -> dict[str, str]:
    """For a command of the CLI that has the options which it says alone: to the CLI a variable is
    one, too, such as the file that a state is written to or read from (pulumi/pulumi
    pkg/cmd/pulumi/pulumi.go, declareFlagsAsEnvironmentVariables, v3.256.0, 2026-11-29)."""
    return {key: it for key, it in environment.items() if not key.startswith("PULUMI_OPTION_")}


def selected_stack() -> str:
    """The stack that is selected in the project's folder, as its config file is named; empty where
    nobody is logged in, or none is selected."""
    done = subprocess.run(
        [str(binary()), "stack", "--show-name", "--non-interactive", "--color=never"],
        cwd=PROJECT_FOLDER,
        env={**without_options(os.environ), "PULUMI_SKIP_UPDATE_CHECK": "true"},
        capture_output=True,
        text=True,
        check=False,
    )
    return "" if done.returncode else done.stdout.strip().rpartition("/")[2]


def is_built(program: Path) -> bool:
    """Whether it is the one that `make setup` built."""
    return program == _built()


def _built() -> Path:
    return BUILT / "bin" / "pulumi"
