"""What the README shows of runs: a picture, figures and a preview. `make inventory` writes it."""

from __future__ import annotations

import io
import math
import re
import shlex
from collections.abc import Iterable, Mapping
from contextlib import redirect_stdout
from typing import Any

from sandbox.kube_mode import KubeMode
from sandbox.run import run_verb
from sandbox.workspace import PROJECT_FOLDER
from tests.stacks.conftest import Sandbox
from tools.picture import picture

README = PROJECT_FOLDER / "README.md"
# Whose picture and preview it shows.
SHOWN = "b200-lustre"
_HEAD = ("stack", "resources", "`up`", "one after the other")
_COMMAND = re.compile(rf"-m sandbox preview --stack {SHOWN} \\\n(.*)\n")
# Of a preview's output what is the same in every run, and no step of a replacement.
_LINES = re.compile(
    r"^ \+- .*\n|^    warning: .*\n|^Resources:\n(?: .*\n)+"
    r"|^`up` would (?:.*\n)+?(?=next\n)|^what .*\n(?: .*\n)+",
    re.MULTILINE,
)


def shown(name: str) -> str:
    """What the README has between its two markers of a name."""
    _, found, _ = README.read_text().split(_marker(name))
    return found.strip()


def write(name: str, text: str) -> None:
    before, _, after = README.read_text().split(_marker(name))
    README.write_text(f"{before}{_marker(name)}\n{text}\n{_marker(name)}{after}")


def drawn(sandbox: Sandbox) -> str:
    return f"```mermaid\n{picture(sandbox.state()['resources'])}\n```"


def figures(ups: Mapping[str, Mapping[str, Any]]) -> str:
    """A table with a row for each stack, of the summary of its first `up`."""
    rows = [_HEAD, tuple("---" for _ in _HEAD), *(_row(stack, up) for stack, up in ups.items())]
    return "\n".join(_line(row) for row in rows)


def row_of(stack: str, up: Mapping[str, Any]) -> str:
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


def _row(stack: str, up: Mapping[str, Any]) -> tuple[str, ...]:
    path, every = up["critical_path_s"], up["sequential_s"]
    created = str(up["changes"]["create"])
    low, high = (math.floor(up[f"makespan_{it}_s"] / 60 + 0.5) for it in ("low", "high"))
    about = f"{_spoken(path)} ({low} to {high})"
    return stack, created, about, f"{_spoken(every)}, {every / path:.2f} x"


def _spoken(seconds: float) -> str:
    minutes, rest = divmod(round(seconds), 60)
    return f"{minutes} min {rest} s" if rest else f"{minutes} min"


def _line(cells: Iterable[str]) -> str:
    return f"| {' | '.join(cells)} |"


def _marker(name: str) -> str:
    return f"<!-- {name} -->"
