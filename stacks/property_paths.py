"""Paths of a resource's properties, as the engine writes them: `nodeConfig.taints[0].key`,
`metadata.labels["a/b"]`. No Pulumi import."""

import re
from collections.abc import Container, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Final

_SIMPLE = re.compile(r"[A-Za-z_]\w*")
_STEP = re.compile(r'\["([^"]*)"\]|\[(\d+|\*)\]|([^.\[\]]+)')
# Where a bridged provider notes the keys that it filled in itself.
_DEFAULTS = "__defaults"


class Unknown:
    """A value that is known only once what it comes from exists."""


UNKNOWN: Final = Unknown()


@dataclass(frozen=True)
class Secret:
    """A value that may be compared and never shown."""

    value: Any = field(repr=False)


def changed_paths(old: Mapping[str, Any], new: Mapping[str, Any]) -> list[str]:
    """Every leaf that was added, removed or changed; a value that is not known yet counts."""
    return sorted(_of_maps(old, new, ""))


def value_at(inputs: Mapping[str, Any] | None, path: str, opaque: Container[Any] = ()) -> Any:
    """The value at a path; None where there is none. All below an `opaque` value is that value."""
    current: Any = inputs
    for quoted, index, name in _STEP.findall(path):
        if isinstance(current, list | tuple):
            place = int(index) if index.isdecimal() else len(current)
            current = current[place] if place < len(current) else None
        elif isinstance(current, Mapping):
            current = current.get(quoted or name)
        else:
            opaque_here = isinstance(current, str | Unknown) and current in opaque
            return current if opaque_here else None
    return current


def same_value(old: Any, new: Any) -> bool:
    """Whether the values are one to a provider, which takes "9000" for 9000 and "true" for true."""
    scalars = (str, int, float)
    if isinstance(old, scalars) and isinstance(new, scalars):
        return old == new or str(old).lower() == str(new).lower()
    return old == new


def is_below(path: str, prefixes: Iterable[str]) -> bool:
    """Whether the path is one of the prefixes, or leads into one."""
    return any(path == one or path.startswith((f"{one}.", f"{one}[")) for one in prefixes)


def dotted(path: str) -> str:
    """The path with every key of a map behind a dot: engine and providers quote different ones."""
    return path.replace('["', ".").replace('"]', "")


def _of_maps(old: Mapping[str, Any], new: Mapping[str, Any], path: str) -> Iterator[str]:
    filled_in = {_DEFAULTS, *(old.get(_DEFAULTS) or ())}
    for key in {**old, **new}:
        if key in new or key not in filled_in:
            yield from _of_values(old.get(key), new.get(key), _join(path, key))


def _of_values(old: Any, new: Any, path: str) -> Iterator[str]:
    if new is UNKNOWN:
        yield path
    elif isinstance(old, Mapping) and isinstance(new, Mapping):
        yield from _of_maps(old, new, path)
    elif isinstance(old, list) and isinstance(new, list) and len(old) == len(new):
        for place, (before, after) in enumerate(zip(old, new, strict=True)):
            yield from _of_values(before, after, f"{path}[{place}]")
    elif not same_value(old, new):
        yield path


def _join(path: str, key: str) -> str:
    if not _SIMPLE.fullmatch(key):
        quoted = key.replace('"', '\\"')
        return f'{path}["{quoted}"]'
    return f"{path}.{key}" if path else key
