"""A choice stands once: what every stack says by its model has no default in a component."""

from __future__ import annotations

import ast
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent


def trees(folder: str) -> Iterator[ast.Module]:
    for file in sorted((ROOT / folder).rglob("*.py")):
        yield ast.parse(file.read_text(encoding="utf-8"))


def choices() -> Iterator[tuple[str, str]]:
    """Class and field of each default that is an amount or a name: 0, 1 and an empty text are what
    is meant where nothing is said."""
    for tree in trees("components"):
        for made in (it for it in ast.walk(tree) if isinstance(it, ast.ClassDef)):
            for line in made.body:
                if not isinstance(line, ast.AnnAssign) or not isinstance(line.target, ast.Name):
                    continue
                default = line.value.value if isinstance(line.value, ast.Constant) else None
                if default not in (None, True, False, 0, 1, ""):
                    yield made.name, line.target.id


def given() -> dict[str, list[set[str | None]]]:
    """The keywords of every call in the program, by the name of what is called."""
    found = defaultdict[str, list[set[str | None]]](list)
    for folder in ("stacks", "components"):
        for tree in trees(folder):
            for call in ast.walk(tree):
                if isinstance(call, ast.Call) and isinstance(call.func, ast.Name):
                    found[call.func.id].append({it.arg for it in call.keywords})
    return found


def test_no_default_of_a_component_is_said_by_every_stack() -> None:
    calls, found = given(), list(choices())
    assert ("KubeRayOperatorArgs", "namespace") in found
    twice = [
        f"{name}.{field}"
        for name, field in found
        if calls[name] and all(field in keywords for keywords in calls[name])
    ]
    assert twice == []
