"""Commands of the sandbox that can be pasted into the shell that ran the last one."""

from __future__ import annotations

import shlex
import sys
from collections.abc import Sequence
from pathlib import Path

from cli.kube_mode import KubeMode
from cli.project import TEMPLATE

# The one command line of the project.
AISTACK = "aistack"
# In a new folder.
NEW_PROJECT = f"pulumi new --generate-only --yes {shlex.quote(str(TEMPLATE))}"
# Where the sandbox keeps what it knows, unless --folder says otherwise.
FOLDER = Path(".sandbox")


def command(
    verb: str,
    stack: str,
    root: Path,
    *,
    overrides: Sequence[str] = (),
    kube: KubeMode = KubeMode.auto,
    options: Sequence[str] = (),
) -> str:
    """One command line for the sandbox whose folder is `root`; `options` are those of Pulumi that
    the verb has, too."""
    words = [aistack(), "sandbox", *verb.split()]
    words += ["--stack", stack] if stack else []
    for override in overrides:
        words += ["--set", override]
    words += options
    words += ["--kube", kube] if kube is not KubeMode.auto else []
    if root.resolve() != FOLDER.resolve():
        words += ["--folder", _short(root.resolve())]
    return shlex.join(words)


def aistack() -> str:
    """By its path where it is of the project's own environment, else as the user's shell has it."""
    short = Path(_short(Path(sys.executable))).with_name(AISTACK)
    return AISTACK if short.is_absolute() else str(short)


def _short(path: Path) -> str:
    """Relative where it is below the current folder."""
    here = Path.cwd()
    return str(path.relative_to(here)) if path.is_relative_to(here) else str(path)
