"""Finds the Pulumi CLI: the user's own, else the one that `make setup` built."""

from __future__ import annotations

import os
import shutil
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from sandbox.errors import UserError
from sandbox.workspace import PROJECT_FOLDER, Workspace

if TYPE_CHECKING:
    from pulumi.automation import PulumiCommand

BUILT = PROJECT_FOLDER / ".tools"


@cache
def find_pulumi() -> PulumiCommand:
    # The path alone is found without Pulumi's SDK.
    from pulumi.automation import PulumiCommand

    if shutil.which("pulumi"):
        return PulumiCommand()
    if (BUILT / "bin" / "pulumi").exists():
        return PulumiCommand(root=str(BUILT))
    raise UserError("pulumi: not found on PATH nor in .tools/bin; nearest: run `make setup`")


def cli_environment(workspace: Workspace) -> dict[str, str]:
    """The environment for a CLI call beside the Automation API."""
    return {**os.environ, **workspace.environment, "PULUMI_HOME": str(workspace.home)}


def binary() -> Path:
    found = shutil.which("pulumi")
    return Path(found) if found else BUILT / "bin" / "pulumi"
