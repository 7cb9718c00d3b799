"""A name that one stack alone can have, and where a config says it."""

from dataclasses import dataclass

from components.naming import NameKind


@dataclass(frozen=True)
class TakenName:
    """`place` is where there is one of the kind with a name: nothing for the whole project."""

    kind: str
    place: str
    name: str


@dataclass(frozen=True)
class Field:
    """`limit` is that of the names that it takes; where the path ends in a key, `key` is it."""

    path: str
    limit: NameKind
    key: str = ""


OF_STACK = Field("name", NameKind.STACK)
