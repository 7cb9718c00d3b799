"""A stack waits for its platform where that is all that is wrong; of its words nobody judges."""

from __future__ import annotations

from pathlib import Path

import pulumi
import pytest

from stacks import waiting
from stacks.problems import BrokenRulesError, NotUpError, Problem
from stacks.survey import Survey

NOT_UP = NotUpError([Problem("cluster.stack", '"o/p/platform" is not there; nearest: one')])
# A value of a config may have any words, those of a platform that is not up, too.
ALIKE = BrokenRulesError(NOT_UP.problems[:])
OTHER = BrokenRulesError([Problem("network.existing", "is not there; nearest: another")])


@pytest.mark.parametrize(
    ("errors", "waits"),
    [
        ((NOT_UP,), True),
        ((NOT_UP, NOT_UP), True),
        ((ALIKE,), False),
        ((NOT_UP, OTHER), False),
        ((OTHER,), False),
        ((), False),
    ],
)
def test_a_stack_waits_where_nothing_else_is_wrong(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    errors: tuple[BrokenRulesError, ...],
    waits: bool,
) -> None:
    file = tmp_path / "waits"
    monkeypatch.setenv(waiting.VARIABLE, str(file))
    survey = Survey()

    def fail(error: BrokenRulesError) -> None:
        raise error

    for error in errors:
        survey.read("cluster.stack", lambda error=error: fail(error))
    if errors:
        with pytest.raises(pulumi.RunError):
            survey.close()
    else:
        survey.close()
    assert file.exists() is waits


def test_where_nobody_asks_nothing_is_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv(waiting.VARIABLE, raising=False)
    monkeypatch.chdir(tmp_path)
    waiting.note()
    assert not [*tmp_path.iterdir()]
