"""What each change of a field changes of all that a stack registers.

`python -m tests.unit.golden_effects` writes the file anew.
"""

import tempfile
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

import yaml

from tests.conftest import changed
from tests.unit import goldens
from tests.unit.effect_changes import CHANGES
from tests.unit.effect_stacks import BASES, bring_scripts

FILE = goldens.FOLDER / "effects.yaml"


@cache
def of_base(base: str, folder: Path) -> dict[str, goldens.Leaves]:
    return goldens.leaves_by_name(goldens.record_of(BASES[base], folder))


def effect(number: int, folder: Path) -> list[str]:
    """A line for each path of a resource that differs, and for each resource that comes or goes."""
    base, change = CHANGES[number]
    made = goldens.record_of(changed(BASES[base], **change), folder)
    return goldens.differing(of_base(base, folder), goldens.leaves_by_name(made))


def title(change: Mapping[str, Any]) -> str:
    said = [f"{key.replace('__', '.')}={goldens.flow(value)}" for key, value in change.items()]
    return ", ".join(said)


@cache
def recorded() -> dict[str, dict[str, list[str]]]:
    """The lines of each change, by base and title."""
    return yaml.safe_load(FILE.read_text(encoding="utf-8"))


def main() -> None:
    said: dict[str, dict[str, list[str]]] = {}
    with tempfile.TemporaryDirectory() as folder:
        bring_scripts(Path(folder))
        for number, (base, change) in enumerate(CHANGES):
            said.setdefault(base, {})[title(change)] = effect(number, Path(folder))
    FILE.write_text(goldens.lines_text(said), encoding="utf-8")


if __name__ == "__main__":
    main()
