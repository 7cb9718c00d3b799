"""Another range of private service access, whatever is to become of the peering at the end.

Cannot show when Google's producers let go of a range.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.conftest import changed
from tests.stacks.change_rule import Start
from tests.stacks.conftest import CANARY
from tests.unit.effect_stacks import BASES

POLICIES = ("delete", "abandon")


@pytest.mark.thorough
@pytest.mark.parametrize("policy", POLICIES)
def test_the_peering_stays_and_has_another_range(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, policy: str
) -> None:
    monkeypatch.setenv("HUGGING_FACE_TOKEN", CANARY)
    before = changed(BASES["kept"], network__peering_on_destroy=policy)
    after = changed(before, network__peering="10.96.0.0/16")
    start = Start.made(tmp_path / "start", before)
    fresh = start.fresh(tmp_path / "fresh", after)
    running = start.running(tmp_path / "running")
    assert running.change(after, fresh.facts()).kind == "done"
