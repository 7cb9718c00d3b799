"""Reading the YAML tables under `catalog/data/`, and the one error of what is not in them."""

from collections.abc import Iterable
from datetime import date
from difflib import get_close_matches
from functools import cache
from pathlib import Path
from typing import Any, TypeVar

import yaml
from pydantic import BaseModel, ConfigDict, Field

DATA = Path(__file__).parent / "data"
_LOADER = getattr(yaml, "CSafeLoader", yaml.SafeLoader)


class Fact(BaseModel):
    """Base of every catalog model: immutable, unknown fields refused."""

    model_config = ConfigDict(frozen=True, extra="forbid")


class Table(Fact):
    """A whole table: where its facts come from, and the day on which they were looked up."""

    source: str = Field(min_length=1)
    date: date


FactType = TypeVar("FactType", bound=Fact)
TableType = TypeVar("TableType", bound=Table)


@cache
def load_table(kind: type[TableType], name: str) -> TableType:
    """The table `data/<name>.yaml`, read and validated once a process."""
    return parse(kind, DATA / f"{name}.yaml")


def parse(kind: type[FactType], file: Path) -> FactType:
    return kind.model_validate(read_yaml(file))


def read_yaml(file: Path) -> Any:
    """Plain values, by libyaml where PyYAML has it, in a ninth of the time. Raises YAMLError."""
    return yaml.load(file.read_text(encoding="utf-8"), Loader=_LOADER)


_HINTS = 3
_NOTHING = "nothing like it"


class FactError(ValueError):
    """A value that contradicts the catalog; the message is one line: value, why, nearest."""


def nearest_names(value: str, known: Iterable[str], otherwise: str | None = None) -> str:
    """Up to three names like `value`, best first, joined by commas; else `otherwise`, or that
    nothing is near."""
    found = get_close_matches(value, list(known), n=_HINTS, cutoff=0.4)
    return ", ".join(found) or otherwise or _NOTHING


def nearest_numbers(value: int, known: Iterable[int]) -> str:
    """The (up to) two known numbers nearest to `value`, nearest first."""
    return ", ".join(str(n) for n in sorted(known, key=lambda n: (abs(n - value), n))[:2])
