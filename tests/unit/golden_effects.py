"""What each change of a field changes of all that a stack registers.

`python -m tests.unit.golden_effects` writes the file anew.
"""

import tempfile
from collections.abc import Iterable, Mapping
from functools import cache
from pathlib import Path
from typing import Any

from tests.conftest import changed
from tests.unit import goldens
from tests.unit.effect_changes import CHANGES
from tests.unit.effect_stacks import BASES, bring_scripts

FILE = goldens.FOLDER / "effects.yaml"


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
    """Changes of one base that differ in other places share a build, which is what they cost."""
    found: list[tuple[str, list[int], set[tuple[str, str]]]] = []
    for number, (base, change) in enumerate(CHANGES):
        places = _places(recorded().get(base, {}).get(title(change), []))
        for of, numbers, taken in found:
            if of == base and places and taken and not places & taken:
                numbers.append(number)
                taken |= places
                break
        else:
            found.append((base, [number], places))
    return [(base, numbers) for base, numbers, _ in found]


def of_each(lines: Iterable[str]) -> set[tuple[str, str]]:
    """What a line says of each of the resources that it names."""
    split = [goldens.NAMED.fullmatch(it) for it in lines]
    return {(name, it[2]) for it in split if it for name in it[1].split(", ")}


def _places(lines: Iterable[str]) -> set[tuple[str, str]]:
    """Nothing where a resource comes or goes."""
    each = of_each(lines)
    if any(what.partition(" ")[0] in ("comes", "goes", "+") for _, what in each):
        return set()
    return {(name, what.partition(": ")[0].removesuffix(" goes")) for name, what in each}


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
