"""Reading the YAML tables under `catalog/data/`."""

from datetime import date
from functools import cache
from pathlib import Path
from typing import TypeVar

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
    return kind.model_validate(yaml.load(file.read_text(encoding="utf-8"), Loader=_LOADER))
