"""A preview that passes is a promise, for a change of every field, there and back."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from filelock import FileLock

from tests.parts.commit_sample import of_this_commit
from tests.stacks.change_rule import ChangingStack, there_and_back
from tests.stacks.changes import CASES, REFUSED, Case
from tests.stacks.changes_page import PAGE
from tests.stacks.conftest import CANARY
from tests.unit.effect_stacks import BASES

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
    refused = {way for way, it in zip(("there", "back"), outcomes, strict=True) if it.refused}
    # What the page does not have was not tried when it was written.
    if name in PAGE.read_text():
        assert refused == REFUSED.get(name, {}).keys()


def test_of_ten_changes_of_a_field_nine_are_done() -> None:
    """Of each field once: what makes a cluster anew is tried on many of the presets, too."""
    page = PAGE.read_text()
    tried = [it for it, case in CASES.items() if it in page and case.stack in BASES]
    refused = sum(len(REFUSED.get(it, {})) for it in tried)
    assert refused * 10 <= len(tried) * 2 * (10 - DONE_OF_TEN)


def test_what_is_refused_is_a_case() -> None:
    assert REFUSED.keys() <= CASES.keys()
