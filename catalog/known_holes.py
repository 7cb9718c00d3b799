"""Published holes of the software that images and components have, and which version has which."""

import datetime
from collections.abc import Collection, Iterator, Mapping
from enum import StrEnum
from typing import Annotated

from packaging.specifiers import SpecifierSet
from packaging.version import Version
from pydantic import AfterValidator, Field

from .table import Fact, Table


def _range(text: str) -> str:
    """A range of versions that ends, so that some version is without the hole."""
    if not any(it.operator == "<" for it in SpecifierSet(text)):
        raise ValueError(f'"{text}" has no version that closes the hole; nearest: <1.2.3')
    return text


class Way(StrEnum):
    """What somebody needs to use a hole."""

    PAGE = "page"
    REQUEST = "request"
    MODEL = "model"
    DATA = "data"


class Hole(Fact):
    """One hole. `affected` is a range of versions as pip writes one, `what` what an attacker can do
    by it."""

    id: str = Field(pattern=r"^CVE-\d{4}-\d+$")
    advisory: str = Field(pattern=r"^GHSA(-[23456789cfghjmpqrvwx]{4}){3}$")
    date: datetime.date
    affected: Annotated[str, AfterValidator(_range)]
    way: Way
    what: str

    def is_in(self, version: str) -> bool:
        return SpecifierSet(self.affected).contains(version, prereleases=True)

    @property
    def closed_by(self) -> Version:
        """The first version after those that have it."""
        ends = (it.version for it in SpecifierSet(self.affected) if it.operator == "<")
        return max(map(Version, ends))


class KnownHoles(Table):
    """By the software's name, the oldest first."""

    software: dict[str, tuple[Hole, ...]]

    def of(
        self, versions: Mapping[str, str], ways: Collection[Way] = tuple(Way)
    ) -> Iterator[tuple[str, Hole]]:
        """The holes of software in these versions that somebody uses by one of `ways`, with the
        software's name."""
        for name, version in versions.items():
            for hole in self.software.get(name, ()):
                if hole.way in ways and hole.is_in(version):
                    yield name, hole

    def closing(
        self, versions: Mapping[str, str], ways: Collection[Way] = tuple(Way)
    ) -> dict[str, str]:
        """Of software that has holes, the next version without any: what closes one may be the
        first with another."""
        found: dict[str, str] = {}
        while holes := list(self.of({**versions, **found}, ways)):
            for name, hole in holes:
                ends = [hole.closed_by, *(Version(found[it]) for it in found if it == name)]
                found[name] = str(max(ends))
        return found
