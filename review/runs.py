"""The engine runs of a review: the base up with its own code, then the working tree's preview."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from review.preview import Preview
from review.worker import Worker

# How the program says that a config is wrong: `stacks.config.ConfigError`.
_INVALID = re.compile(r"The config has \d+ mistakes?; nothing was changed\.")


@dataclass(frozen=True)
class Brought:
    """The base in a sandbox folder; `invalid` when its own program refuses its config."""

    ok: bool
    invalid: bool
    errors: tuple[str, ...]
    state: tuple[Mapping[str, Any], ...]
    seconds: float


def bring_up(base: Worker, stack: str, folder: Path) -> Brought:
    """Bring the stack up with the code and the config of the base, on a sandbox in `folder`."""
    out = folder.parent / f"{stack}.up.json"
    where = ["up", "--stack", stack, "--folder", str(folder)]
    code, log, seconds = base.run("sandbox", [*where, "--speed", "inf", "--json", str(out)])
    if code == 0:
        return Brought(True, False, (), _opened(stack, folder), seconds)
    told = json.loads(out.read_text())["diagnostics"] if out.exists() else []
    errors = tuple(told or [line for line in log.splitlines() if line.strip()][-5:])
    invalid = any(_INVALID.search(line) for line in errors)
    return Brought(False, invalid, errors, (), seconds)


def preview(head: Worker, stack: str, folder: Path) -> tuple[Preview, float]:
    """The preview of the working tree on the state in `folder`, and its seconds."""
    out = folder.parent / f"{stack}.preview.json"
    arguments = [stack, str(folder), str(out)]
    code, log, seconds = head.run("review.preview", arguments)
    if code or not out.exists():
        last = tuple(line for line in log.splitlines() if line.strip())[-5:]
        return Preview(False, last, (), {}, 0.0, 0.0, ()), seconds
    return Preview.of_json(json.loads(out.read_text())), seconds


def _opened(stack: str, folder: Path) -> tuple[Mapping[str, Any], ...]:
    """The base's resources, with protection and the program's own guard taken off the record.

    Both would end the preview at the first danger, and a review has to show all of them.
    """
    file = next(folder.glob(f"state/.pulumi/stacks/*/{stack}.json"))
    document = json.loads(file.read_text())
    resources = document["checkpoint"]["latest"].get("resources") or []
    for resource in resources:
        resource.pop("protect", None)
        resource.pop("resourceHooks", None)
    file.write_text(json.dumps(document))
    return tuple(resources)
