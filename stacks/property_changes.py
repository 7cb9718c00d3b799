"""Which properties differ between two sets of inputs, by paths as the engine writes them. Pure."""

import re
from collections.abc import Iterator, Mapping
from typing import Any, Final

_SIMPLE = re.compile(r"[A-Za-z_]\w*")
# Where a bridged provider notes the keys that it filled in itself.
_DEFAULTS = "__defaults"


class Unknown:
    """A value that is known only once what it comes from exists."""


UNKNOWN: Final = Unknown()


def changed_paths(old: Mapping[str, Any], new: Mapping[str, Any]) -> list[str]:
    """Every leaf that was added, removed or changed; a value that is not known yet counts."""
    return sorted(_of_maps(old, new, ""))


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
    elif not _same(old, new):
        yield path


def _same(old: Any, new: Any) -> bool:
    """Whether the values are one to a provider, which takes "9000" for 9000."""
    scalars = (str, int, float)
    if isinstance(old, scalars) and isinstance(new, scalars):
        return old == new or str(old).lower() == str(new).lower()
    return old == new


def _join(path: str, key: str) -> str:
    if not _SIMPLE.fullmatch(key):
        quoted = key.replace('"', '\\"')
        return f'{path}["{quoted}"]'
    return f"{path}.{key}" if path else key
