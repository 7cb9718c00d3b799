"""Violations of the rules between a config's fields: collected, raised as one, and told by the
names that parts have in a stack. No Pulumi."""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import NamedTuple


class Problem(NamedTuple):
    """`field` is the path below the stack's config object; `message` is value, why, nearest; where
    that is `of_key` it is about the last name of the path, and offers another name."""

    field: str
    message: str
    of_key: bool = False


class BrokenRulesError(ValueError):
    """Every rule that a config breaks; pydantic carries it inside its ValidationError."""

    def __init__(self, problems: Iterable[Problem]) -> None:
        self.problems = tuple(problems)
        super().__init__("\n".join(f"{one.field}: {one.message}" for one in self.problems))


class NotUpError(BrokenRulesError):
    """The stack that a config stands on is not up: nothing of the config itself is wrong."""


class ForeignKeysError(ValueError):
    """Keys of a block that belong to another kind of it."""

    def __init__(self, keys: Iterable[str], message: str) -> None:
        self.keys = tuple(keys)
        super().__init__(message)


def problem_of(field: str, check: Callable[[], object], *, of_key: bool = False) -> list[Problem]:
    """What a check that raises ValueError finds wrong with a field: one problem or none."""
    try:
        check()
    except ValueError as error:
        return [Problem(field, str(error), of_key)]
    return []


def repeats(values: Iterable[str]) -> Iterator[tuple[int, str]]:
    """What was in the list before, with its place."""
    seen: set[str] = set()
    for place, value in enumerate(values):
        if value in seen:
            yield place, value
        seen.add(value)


def under(names: Mapping[str, str], problems: Iterable[Problem]) -> Iterator[Problem]:
    """The same problems where rules speak of the fields in `names` by other names.

    A rule that knows one job says `job.steps`; of a job called first it is `jobs.first.steps`.
    """
    longest_first = sorted(names, key=len, reverse=True)
    names_of_fields = "|".join(map(re.escape, longest_first))
    # What a slash follows is a group of an API, such as kueue.x-k8s.io/v1beta2.
    pattern = re.compile(rf"(?<![\w./-])({names_of_fields})(?=[.\[]|$)(?![\w.-]*/)")

    def renamed(text: str) -> str:
        return pattern.sub(lambda found: names[found[1]], text)

    for one in problems:
        yield Problem(renamed(one.field), renamed(one.message), one.of_key)
