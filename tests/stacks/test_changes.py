"""A preview that passes is a promise, for a change of every field, there and back."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from filelock import FileLock

from tests.parts.commit_sample import of_this_commit
from tests.stacks.change_rule import ChangingStack, there_and_back
from tests.stacks.changes import CASES, REFUSED, Case
from tests.stacks.conftest import CANARY

SAMPLE = 20
DONE_OF_TEN = 9


@pytest.fixture
def running(
    tmp_path: Path,
    tmp_path_factory: pytest.TempPathFactory,
    worker_id: str,
    monkeypatch: pytest.MonkeyPatch,
) -> Callable[[Case], ChangingStack]:
    """A copy of the case's stack, which is brought up once for all cases of it."""
    base = tmp_path_factory.getbasetemp()
    shared = base if worker_id == "master" else base.parent
    monkeypatch.setenv("HUGGING_FACE_TOKEN", CANARY)
    monkeypatch.setenv("WANDB_API_KEY", CANARY)

    def copy(case: Case) -> ChangingStack:
        folder = shared / f"{case.stack.replace(' ', '-')}-changing"
        done = folder.with_suffix(".done")
        with FileLock(folder.with_suffix(".lock")):
            if not done.exists():
                ChangingStack.new(folder).up(case.before)
                done.touch()
        return ChangingStack(folder).copied(tmp_path / "running")

    return copy


@pytest.mark.thorough
@pytest.mark.parametrize("name", of_this_commit(list(CASES), SAMPLE))
def test_a_change_is_refused_with_what_to_do_or_does_what_its_preview_shows(
    running: Callable[[Case], ChangingStack], name: str
) -> None:
    case = CASES[name]
    outcomes = there_and_back(running(case), case.before, case.after)
    ways = [way for way, it in zip(("there", "back"), outcomes, strict=True) if it.refused]
    assert ways == list(REFUSED.get(name, {}))


def test_of_ten_changes_nine_are_done() -> None:
    refused = sum(len(ways) for ways in REFUSED.values())
    assert refused * 10 <= len(CASES) * 2 * (10 - DONE_OF_TEN)


def test_what_is_refused_is_a_case() -> None:
    assert REFUSED.keys() <= CASES.keys()
