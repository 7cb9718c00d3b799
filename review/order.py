"""Which stacks stand on the cluster of another, and the order in which that puts them.

A platform comes before its workloads: they read what it says of itself. As a command,
`python -m review.order '["work", "platform"]'`, it says that to a workflow.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Collection, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from cli.lines import say, say_aside
from cli.project import PROJECT
from stacks.names_beside import config_of

# The platform of each stack that stands on one.
On = Mapping[str, str]


def platforms_in(folder: Path, stacks: Iterable[str], known: Collection[str]) -> dict[str, str]:
    """The platforms that the configs of these stacks name in the folder, of those that are
    `known`."""
    configs = {it: config_of(folder / f"Pulumi.{it}.yaml", PROJECT) for it in stacks}
    named = {stack: _reference(config) for stack, config in configs.items()}
    # A stack that names itself is the program's to refuse.
    return {
        stack: platform
        for stack, (project, platform) in sorted(named.items())
        if project == PROJECT and platform in known and platform != stack
    }


def names_another_project(file: Path) -> bool:
    """Whether the config's platform is a stack of another Pulumi project."""
    project, _ = _reference(config_of(file, PROJECT))
    return project not in ("", PROJECT)


def platforms_first(stacks: Sequence[str], on: On) -> list[str]:
    """The same stacks, each behind what it stands on, and else in the order given."""
    found: dict[str, None] = {}
    for stack in stacks:
        for one in reversed([stack, *above(stack, on)]):
            if one in stacks:
                found.setdefault(one)
    return list(found)


def above(stack: str, on: On) -> list[str]:
    """The platform of a stack, and what that stands on in turn; a circle is gone through once."""
    found: list[str] = []
    while (platform := on.get(stack)) is not None and platform not in found:
        found.append(platform)
        stack = platform
    return found


def circles(on: On) -> dict[str, str]:
    """For each stack that stands on itself by way of others, what to say of it."""
    said: dict[str, str] = {}
    for stack in on:
        around = above(stack, on)
        if stack in around:
            each = " on ".join([stack, *around[: around.index(stack) + 1]])
            said[stack] = (
                f"Pulumi.{stack}.yaml: cluster.stack: it stands on itself, {each}, so none of "
                "them can be first; nearest: one of them without cluster.stack, which makes the "
                "cluster"
            )
    return said


def together(stacks: Iterable[str], *relations: On) -> list[list[str]]:
    """The stacks in groups, none of which has to do with another, by any of the relations."""
    group_of: dict[str, list[str]] = {stack: [stack] for stack in stacks}
    for on in relations:
        for pair in on.items():
            first, second = (group_of.get(it) for it in pair)
            if first is not None and second is not None and first is not second:
                first += second
                group_of.update(dict.fromkeys(second, first))
    return list({id(it): it for it in group_of.values()}.values())


def _reference(config: Mapping[str, Any]) -> tuple[str, str]:
    """Project and stack that `cluster.stack` names; empty where it names none."""
    here: Any = config
    for key in (f"{PROJECT}:stack", "cluster", "stack"):
        here = here.get(key) if isinstance(here, dict) else None
    parts = here.split("/") if isinstance(here, str) else []
    return (parts[1], parts[2]) if len(parts) == 3 else ("", "")


def main(stacks: Sequence[str], folder: Path) -> int:
    """Print the stacks that stand on none of the others, and then those that do, as outputs of a
    workflow's step."""
    on = platforms_in(folder, stacks, stacks)
    if wrong := circles(on):
        for circle in wrong.values():
            say_aside(f"error: {circle}")
        return 1
    ordered = platforms_first(stacks, on)
    say(f"first={json.dumps([it for it in ordered if it not in on])}")
    say(f"workloads={json.dumps([it for it in ordered if it in on])}")
    return 0


if __name__ == "__main__":
    sys.exit(main(json.loads(sys.argv[1]), Path()))
