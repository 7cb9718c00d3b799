"""What the README shows of runs: a picture, figures and a preview. `make inventory` writes it."""

from __future__ import annotations

import io
import math
import re
import shlex
from collections.abc import Iterable
from contextlib import redirect_stdout

from cli.kube_mode import KubeMode
from cli.project import PROJECT_FOLDER, stack_names
from sandbox.run import run_verb
from tests.stacks.conftest import Sandbox
from tests.stacks.page_figures import Summary, first_up, spoken, spread
from tools.picture import picture

README = PROJECT_FOLDER / "README.md"
# Whose picture and preview it shows.
SHOWN = "b200-lustre"
_HEAD = ("stack", "resources", "`up`", "one after the other")
_COMMAND = re.compile(rf"-m sandbox preview --stack {SHOWN} \\\n(.*)\n")
# Of a preview's output what is the same in every run, and no step of a replacement.
_LINES = re.compile(
    r"^ \+- .*\n|^  warning: .*\n|^Resources:\n(?: .*\n)+"
    r"|^`up` would (?:.*\n)+?(?=next\n)|^what .*\n(?: .*\n)+",
    re.MULTILINE,
)


def drawn(sandbox: Sandbox) -> str:
    return f"```mermaid\n{picture(sandbox.state()['resources'])}\n```"


def figures() -> str:
    """A table with a row for each stack, of the summary of its first `up`."""
    rows = [_line(_HEAD), _line("---" for _ in _HEAD), *map(row_of, stack_names())]
    return "\n".join(rows)


def row_of(stack: str) -> str:
    up, _ = first_up(stack)
    return _line(_row(stack, up))


def preview(sandbox: Sandbox) -> str:
    """What the README's own command prints, but the steps of each replacement."""
    found = _COMMAND.search(README.read_text())
    assert found is not None
    overrides = [it for it in shlex.split(found[1]) if it != "--set"]
    printed = io.StringIO()
    with redirect_stdout(printed):
        run_verb(
            sandbox.workspace, "preview", math.inf, overrides, None, None, None, KubeMode.memory
        )
    lines = "".join(_LINES.findall(printed.getvalue())).splitlines()
    return "\n".join(["```text", *(it.rstrip() for it in lines), "```"])


def _row(stack: str, up: Summary) -> tuple[str, ...]:
    path, every = up["critical_path_s"], up["sequential_s"]
    created = str(up["changes"]["create"])
    return stack, created, spread(up), f"{spoken(every)}, {every / path:.2f} x"


def _line(cells: Iterable[str]) -> str:
    return f"| {' | '.join(cells)} |"
