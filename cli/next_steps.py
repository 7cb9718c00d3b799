"""Commands of the sandbox that can be pasted into the shell that ran the last one."""

from __future__ import annotations

import shlex
import sys
from collections.abc import Sequence
from pathlib import Path

from cli.kube_mode import KubeMode
from cli.project import TEMPLATE
from stacks.commands import AISTACK, aistack

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


def this_program() -> list[str]:
    """Runs `aistack` as this process was called, so that what it prints names it alike."""
    is_script = Path(sys.argv[0]).name == AISTACK and Path(sys.argv[0]).is_file()
    return [sys.executable, *([sys.argv[0]] if is_script else ["-m", AISTACK])]


def _short(path: Path) -> str:
    """Relative where it is below the current folder."""
    here = Path.cwd()
    return str(path.relative_to(here)) if path.is_relative_to(here) else str(path)
