"""Problems as the lines that a user reads."""

from collections.abc import Iterable

from stacks.problems import Problem

NETWORK_ID = "projects/host/global/networks/shared"


def lines(problems: Iterable[Problem]) -> list[str]:
    return [f"{one.field}: {one.message}" for one in problems]


def only(problems: Iterable[Problem]) -> str:
    (line,) = lines(problems)
    return line
