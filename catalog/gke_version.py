"""GKE versions: parsing, order, and whether one meets a minimum."""

import re
from dataclasses import dataclass
from functools import total_ordering
from typing import Annotated, Self

from pydantic import BeforeValidator, Field, PlainSerializer
from pydantic_core import PydanticKnownError

from .table import FactError

# A minor version, such as 1.35, as a key of a table.
MinorName = Annotated[str, Field(pattern=r"^\d+\.\d+$")]
_PATTERN = re.compile(r"(\d+)\.(\d+)(?:\.(\d+)(?:-gke\.(\d+))?)?")
# Of the minor that stacks have by default, so that Google still offers it.
EXAMPLES = ("1.35", "1.35.8", "1.35.8-gke.1225000")


@total_ordering
@dataclass(frozen=True)
class GkeVersion:
    """A GKE version, whole ("1.34.1-gke.1829001") or partial ("1.34", "1.34.1").

    A partial version sorts before every whole version that it covers.
    """

    major: int
    minor: int
    patch: int | None = None
    build: int | None = None

    @classmethod
    def parse(cls, text: object) -> Self:
        """Raises FactError on anything that is not a GKE version."""
        match = _PATTERN.fullmatch(text) if isinstance(text, str) else None
        if match is None:
            forms = ", ".join(EXAMPLES)
            raise FactError(f"{text!r} is not a GKE version; forms that work: {forms}")
        major, minor, patch, build = match.groups()
        return cls(
            int(major),
            int(minor),
            None if patch is None else int(patch),
            None if build is None else int(build),
        )

    def _key(self) -> tuple[int, int, int, int]:
        patch = -1 if self.patch is None else self.patch
        build = -1 if self.build is None else self.build
        return (self.major, self.minor, patch, build)

    def __lt__(self, other: object) -> bool:
        if not isinstance(other, GkeVersion):
            return NotImplemented
        return self._key() < other._key()

    def meets(self, minimum: "GkeVersion") -> bool:
        """Whether a cluster of this version can have what `minimum` brings.

        GKE resolves a partial version to the newest that it covers, so the parts left out of this
        version are taken as high enough; parts left out of `minimum` ask for nothing.
        """
        own = (self.major, self.minor, self.patch, self.build)
        wanted = (minimum.major, minimum.minor, minimum.patch, minimum.build)
        for have, need in zip(own, wanted, strict=True):
            if have is None or need is None:
                return True
            if have != need:
                return have > need
        return True

    def __str__(self) -> str:
        patch = "" if self.patch is None else f".{self.patch}"
        build = "" if self.build is None else f"-gke.{self.build}"
        return f"{self.major}.{self.minor}{patch}{build}"


def _from_config(value: object) -> GkeVersion:
    if isinstance(value, GkeVersion):
        return value
    if not isinstance(value, str):
        # 1.35 is a number to YAML, and says nothing of 1.350.
        raise PydanticKnownError("string_type")
    return GkeVersion.parse(value)


GkeVersionField = Annotated[
    GkeVersion,
    BeforeValidator(_from_config, json_schema_input_type=str),
    PlainSerializer(str, return_type=str),
]
"""A GKE version as a pydantic field, written as a string."""
