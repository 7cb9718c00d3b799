"""The facts about Google Cloud, Kubernetes and libraries that the program depends on."""

from datetime import date
from functools import cache

from pydantic import Field, model_validator

from catalog.table import DATA, Fact, parse


class RegisteredFact(Fact):
    """One fact, who says so, and the tests that fail where the program forgets it.

    `date` is the day of the source's commit or document, or the one on which it was read. `held_by`
    are pytest node ids. `source` is None only where nobody could verify the fact.
    """

    id: str = Field(pattern=r"[a-z0-9]+(-[a-z0-9]+)*")
    fact: str = Field(min_length=1)
    source: str | None = Field(min_length=1)
    date: date
    held_by: tuple[str, ...]
    verified: bool

    @model_validator(mode="after")
    def _verified_by_somebody(self) -> "RegisteredFact":
        if self.verified and (self.source is None or not self.held_by):
            raise ValueError(f"{self.id} is verified by no source, or held by no test")
        return self


class _Register(Fact):
    facts: tuple[RegisteredFact, ...]


@cache
def register() -> dict[str, tuple[RegisteredFact, ...]]:
    """The facts of each area, by the area's name."""
    files = sorted((DATA / "facts").glob("*.yaml"))
    return {file.stem: parse(_Register, file).facts for file in files}
