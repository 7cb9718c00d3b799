"""Parts that exist already, read and judged as a whole before the first resource is registered."""

from collections.abc import Callable, Iterable, Mapping
from types import MappingProxyType
from typing import TypeVar

import pulumi

from components.existing_part import ExistingPartError
from stacks.config import ConfigError
from stacks.problems import BrokenRulesError, Problem, under

_Found = TypeVar("_Found")
_NO_NAMES: Mapping[str, str] = MappingProxyType({})


class Survey:
    """Collects what is wrong, so that the user is told all of it at once."""

    def __init__(self) -> None:
        self._problems: list[Problem] = []
        self._advice: list[Problem] = []

    def read(
        self, field: str, call: Callable[[], _Found], names: Mapping[str, str] = _NO_NAMES
    ) -> _Found | None:
        """What the call reads, or None where it cannot; `field` is the part's block, and the part
        that is not there is named below it, or as `names` says."""
        try:
            return call()
        except ExistingPartError as error:
            problem = Problem(f"{field}.{error.part.kind}", str(error))
            self._problems.extend(under(names, [problem]) if names else [problem])
        except BrokenRulesError as error:
            # A reference to another stack names its own field.
            self._problems.extend(error.problems)
        return None

    def judge(self, problems: Iterable[Problem], advice: Iterable[Problem] = ()) -> None:
        """Take in what rules say of a part that was read."""
        self._problems.extend(problems)
        self._advice.extend(advice)

    def close(self) -> None:
        """Raises pulumi.RunError with every problem; without any, warns with the advice."""
        if self._problems:
            raise pulumi.RunError(str(ConfigError([_line(it) for it in self._problems])))
        for one in self._advice:
            pulumi.log.warn(_line(one))


def _line(problem: Problem) -> str:
    return f"{problem.field}: {problem.message}"
