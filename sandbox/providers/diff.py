"""The difference between two manifests, by property path, as the kubernetes provider reports it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from kube.paths import join
from sandbox.providers.schema import Difference


def compare(old: Any, new: Any) -> list[Difference]:
    """Every leaf that was added, deleted or changed; whether it replaces is decided elsewhere."""
    return list(_compare(old, new, ""))


def _compare(old: Any, new: Any, path: str) -> Iterator[Difference]:
    if isinstance(old, dict) and isinstance(new, dict):
        for key in {**old, **new}:
            where = join(path, key)
            if key not in old:
                yield Difference(where, "add", False)
            elif key not in new:
                yield Difference(where, "delete", False)
            else:
                yield from _compare(old[key], new[key], where)
    elif isinstance(old, list) and isinstance(new, list):
        for index in range(max(len(old), len(new))):
            where = join(path, index)
            if index >= len(old):
                yield Difference(where, "add", False)
            elif index >= len(new):
                yield Difference(where, "delete", False)
            else:
                yield from _compare(old[index], new[index], where)
    elif old != new:
        yield Difference(path, "update", False)


def is_within(path: str, parent: str) -> bool:
    """Whether a path is another one or leads below it."""
    return path == parent or path.startswith((f"{parent}.", f"{parent}["))


def same_fields(mine: Any, live: Any) -> Any:
    """The live values of the fields that the program sets, as server-side apply owns them."""
    if isinstance(mine, dict) and isinstance(live, dict):
        return {key: same_fields(mine[key], live[key]) for key in mine if key in live}
    if isinstance(mine, list) and isinstance(live, list) and len(mine) == len(live):
        return [same_fields(a, b) for a, b in zip(mine, live, strict=True)]
    return live
