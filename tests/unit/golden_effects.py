"""What each change of a field changes of all that a stack registers.

`python -m tests.unit.golden_effects` writes the file anew.
"""

import re
import tempfile
from collections.abc import Iterable, Mapping
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

from tests.conftest import changed
from tests.unit import goldens
from tests.unit.effect_changes import CHANGES
from tests.unit.effect_stacks import BASES, bring_scripts

FILE = goldens.FOLDER / "effects.yaml"
Said = tuple[str, str, str]
_COMES_OR_GOES = ("comes", "goes", "+ ")
_NAMES = re.compile(r"[+-][^,]+(?:, [+-][^,]+)*")


@cache
def of_base(base: str, folder: Path) -> dict[str, goldens.Leaves]:
    return goldens.leaves_by_name(goldens.record_of(BASES[base], folder))


def effect(base: str, changes: Iterable[Mapping[str, Any]], folder: Path) -> list[str]:
    """A line for each path of a resource that differs, and for each resource that comes or goes."""
    config = BASES[base]
    for change in changes:
        config = changed(config, **change)
    made = goldens.record_of(config, folder)
    return goldens.differing(of_base(base, folder), goldens.leaves_by_name(made))


def batches() -> list[tuple[str, list[int]]]:
    """Changes of one base that touch other things share a build, which is what they cost."""
    found: list[tuple[str, list[int], list[Touched]]] = []
    for number, (base, change) in enumerate(CHANGES):
        its = touched(change, recorded().get(base, {}).get(title(change), []))
        for of, numbers, others in found:
            if of == base and not any(its.meets(it) for it in others):
                numbers.append(number)
                others.append(its)
                break
        else:
            found.append((base, [number], [its]))
    return [(base, numbers) for base, numbers, _ in found]


class Touched(NamedTuple):
    """What a change touches: keys of the config, what is said of resources, and resources that
    nothing else may touch, for they come or go."""

    keys: set[tuple[str, ...]]
    names: set[str]
    places: dict[tuple[str, str], set[str]]
    whole: set[str]

    def meets(self, other: "Touched") -> bool:
        return (
            any(one[: len(it)] == it[: len(one)] for one in self.keys for it in other.keys)
            or bool(self.whole & other.names or other.whole & self.names)
            or any(
                "" in self.places[it] or bool(self.places[it] & other.places[it])
                for it in self.places.keys() & other.places.keys()
            )
        )


def touched(change: Mapping[str, Any], lines: Iterable[str]) -> Touched:
    whole: set[str] = set()
    places: dict[tuple[str, str], set[str]] = {}
    said = parts(lines)
    for name, path, what in said:
        if path.startswith(_COMES_OR_GOES):
            # What comes is said by what it is like.
            whole |= {name, path.removeprefix("comes like ")}
        place = (name, path.removesuffix(" goes"))
        places.setdefault(place, set()).add(what if _NAMES.fullmatch(what) else "")
    keys = {tuple(it.split("__")) for it in change}
    return Touched(keys, whole | {name for name, _, _ in said}, places, whole)


def parts(lines: Iterable[str]) -> set[Said]:
    """Of a resource the path and what becomes of it; each name that comes or goes alone."""
    found: set[Said] = set()
    for name, what in goldens.each_of(lines):
        path, _, value = what.partition(": ")
        values = value.split(", ") if _NAMES.fullmatch(value) else [value]
        found |= {(name, path, it) for it in values}
    return found


def title(change: Mapping[str, Any]) -> str:
    said = [f"{key.replace('__', '.')}={goldens.flow(value)}" for key, value in change.items()]
    return ", ".join(said)


@cache
def recorded() -> dict[str, dict[str, list[str]]]:
    """The lines of each change, by base and title."""
    return goldens.loaded(FILE.read_text(encoding="utf-8"))


def main() -> None:
    said: dict[str, dict[str, list[str]]] = {}
    with tempfile.TemporaryDirectory() as folder:
        bring_scripts(Path(folder))
        for base, change in CHANGES:
            said.setdefault(base, {})[title(change)] = effect(base, [change], Path(folder))
    FILE.write_text(goldens.lines_text(said), encoding="utf-8")


if __name__ == "__main__":
    main()
