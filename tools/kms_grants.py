"""The commands that let Google's services use the key of a stack's `cmek`, one a line.

    make kms-grants STACK=NAME [PROJECT=PROJECT]

Whoever administers the key runs them before `up`. They are those of the output `kms_grants`, which
a preview shows shortened. Without PROJECT the project is that of the stack's file.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryDirectory

from cli.errors import UserError
from sandbox.of_stacks.refused import planned
from sandbox.workspace import SANDBOX_PROJECT, Workspace
from stacks.config import ConfigError
from stacks.outputs import kms_grants


def commands(stack: str, project: str | None) -> list[str]:
    """Raises UserError for a stack without a key, and ConfigError for a config with mistakes."""
    with TemporaryDirectory() as folder:
        workspace = Workspace(Path(folder) / "sandbox", stack)
        with workspace.lock():
            plan = planned(workspace, workspace.prepare([]))
    config = plan.stack
    if config.cmek is None:
        raise UserError(f"stack.cmek: Pulumi.{stack}.yaml has none; nearest: the name of a key")
    if project is None and config.project == SANDBOX_PROJECT:
        raise UserError(f"gcp:project: Pulumi.{stack}.yaml has none; nearest: PROJECT=PROJECT")
    return kms_grants(plan, project or config.project)


def main(arguments: Sequence[str]) -> int:
    parser = argparse.ArgumentParser(prog="python -m tools.kms_grants", description=__doc__)
    parser.add_argument("stack")
    parser.add_argument("--project")
    given = parser.parse_args(arguments)
    print("\n".join(commands(given.stack, given.project)))
    return 0


if __name__ == "__main__":
    try:
        sys.exit(main(sys.argv[1:]))
    except (UserError, ConfigError) as error:
        sys.exit(f"error: {error}")
