"""Finds the Pulumi CLI: the one that `make setup` built, else the user's own of the same version.

An own one comes second, for a program called pulumi may be anywhere on a PATH, and GitHub's runners
bring one of another version (actions/runner-images images/ubuntu/Ubuntu2404-Readme.md, 0116af07).
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from collections.abc import Mapping
from functools import cache
from pathlib import Path

from cli.errors import UserError
from cli.project import PROJECT_FOLDER

BUILT = PROJECT_FOLDER / ".tools"
_PINS = PROJECT_FOLDER / "tools" / "pulumi" / "go.mod"
_PIN = re.compile(r"^\s*github\.com/pulumi/pulumi/pkg/v3 (v\S+)", re.MULTILINE)


@cache
def binary() -> Path:
    """Raises UserError where there is none of the pinned version."""
    if (built := _built()).exists():
        return built
    nearest = "nearest: `make setup`, which builds it"
    own = shutil.which("pulumi")
    if own is None:
        raise UserError(f"pulumi: not found in .tools/bin nor on PATH; {nearest}")
    done = subprocess.run([own, "version"], capture_output=True, text=True, check=False)
    if (version := done.stdout.strip()) != (pinned := pinned_version()):
        raise UserError(
            f"pulumi: {own} is of version {version or 'unknown'}, and only {pinned} was tried "
            f"with this project; {nearest}"
        )
    return Path(own)


def pinned_version() -> str:
    """As the CLI says it, with a v."""
    found = _PIN.search(_PINS.read_text(encoding="utf-8"))
    assert found
    return found[1]


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
