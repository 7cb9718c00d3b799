"""Property paths (`spec.ports[0].port`): what differs between two objects, and under which rule."""

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

_PLAIN = re.compile(r"[A-Za-z0-9_-]+\Z")


def join(path: str, step: str | int) -> str:
    if isinstance(step, int):
        return f"{path}[{step}]"
    if not _PLAIN.match(step):
        return f'{path}["{step}"]'
    return f"{path}.{step}" if path else step


def render(steps: Iterable[str | int]) -> str:
    path = ""
    for step in steps:
        path = join(path, step)
    return path


def differences(old: Any, new: Any, path: str = "") -> Iterator[str]:
    """Paths of the smallest parts that differ; null and absent are the same to an API server."""
    if isinstance(old, Mapping) and isinstance(new, Mapping):
        for step in sorted({*old, *new}):
            yield from differences(old.get(step), new.get(step), join(path, step))
    elif isinstance(old, list) and isinstance(new, list) and len(old) == len(new):
        for index, (before, after) in enumerate(zip(old, new, strict=True)):
            yield from differences(before, after, join(path, index))
    elif old != new:
        yield path


def under(path: str, rules: Iterable[str]) -> bool:
    """Whether a rule names the path or one of its parents; `[*]` in a rule is any index."""
    plain = re.sub(r"\[\d+\]", "[*]", path)
    return any(plain == rule or plain.startswith((f"{rule}.", f"{rule}[")) for rule in rules)


def holds(path: str, rules: Iterable[str]) -> bool:
    """Whether a rule names the path or something below it."""
    return any(rule == path or rule.startswith((f"{path}.", f"{path}[")) for rule in rules)
