"""Parts that exist already, read and judged as a whole before the first resource is registered."""

from collections.abc import Callable, Iterable, Mapping
from types import MappingProxyType
from typing import TypeVar

import pulumi

from components.base.existing import ExistingPartError
from stacks import waiting
from stacks.config import ConfigError
from stacks.mistakes import field_name
from stacks.problems import BrokenRulesError, NotUpError, Problem, under

_Found = TypeVar("_Found")
_NO_NAMES: Mapping[str, str] = MappingProxyType({})


class Survey:
    """Collects what is wrong, so that the user is told all of it at once."""

    def __init__(self) -> None:
        self._problems: list[Problem] = []
        self._advice: list[Problem] = []
        self._not_up: list[Problem] = []

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
            if isinstance(error, NotUpError):
                self._not_up.extend(error.problems)
        return None

    def judge(self, problems: Iterable[Problem], advice: Iterable[Problem] = ()) -> None:
        """Take in what rules say of a part that was read."""
        self._problems.extend(problems)
        self._advice.extend(advice)

    def close(self, way_out: str = "") -> None:
        """Raises pulumi.RunError with every problem, each once, and the way out of them; without
        any, warns with the advice."""
        if self._problems:
            if set(self._problems) == set(self._not_up):
                waiting.note()
            lines = dict.fromkeys(map(_line, self._problems))
            raise pulumi.RunError("\n".join(filter(None, [str(ConfigError([*lines])), way_out])))
        for one in self._advice:
            pulumi.log.warn(_line(one))


def _line(problem: Problem) -> str:
    # A place has its own key, `gcp:project`.
    field = problem.field if ":" in problem.field else field_name(problem.field)
    return f"{field}: {problem.message}"
