"""A preview that passes is a promise for stacks on parts that exist already, too: from these to
others, to parts of their own, and back.

Cannot show that the real provider's functions answer as the simulated ones do.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.parts.commit_sample import of_this_commit
from tests.stacks.change_rule import Start, there_and_back
from tests.stacks.conftest import CANARY
from tests.stacks.existing_changes import CASES, REFUSED, OnExisting

SAMPLE = 3


@pytest.mark.thorough
@pytest.mark.parametrize("name", of_this_commit(list(CASES), SAMPLE))
def test_a_stack_changes_what_it_stands_on_or_says_what_does_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    monkeypatch.setenv("HUGGING_FACE_TOKEN", CANARY)
    case = CASES[name]
    start = Start.made(tmp_path / "start", case.before, OnExisting)
    there, back = there_and_back(start, tmp_path, case.before, case.after)
    assert (there.refused, back.refused) == (name in REFUSED, name in REFUSED)
