"""Which tests a change runs, and what the table of all tiers says. That the verbs run them is seen
by running them."""

from __future__ import annotations

from collections import Counter

import pytest

from tests.conftest import ROOT
from tools.tiers import Tier, counted
from tools.touched import JUDGES, VERBS, nearest, touched

FILES = [
    "tests/kube/test_queues.py",
    "tests/stacks/test_capacity.py",
    "tests/stacks/test_peering.py",
    "tests/stacks/test_queues.py",
]


def test_a_test_file_that_changed_runs_first_and_those_named_like_the_change_before_the_rest() -> (
    None
):
    found = touched(["stacks/parts/queues/rules.py", "tests/stacks/test_peering.py"], FILES)
    assert list(found) == ["tests/stacks", "tests/parts", "tests/kube", "tests/scans"]
    assert found["tests/stacks"] == (
        "tests/stacks/test_peering.py",
        "tests/stacks/test_queues.py",
        "tests/stacks/test_capacity.py",
    )


def test_the_longest_beginning_of_a_path_says_who_judges_it() -> None:
    assert nearest("sandbox/live_kube/api.py", JUDGES) == ("tests/kube",)
    assert nearest("sandbox/engine.py", JUDGES) == ("tests/stacks", "tests/parts")
    assert nearest("LICENSE", JUDGES) == ()


def test_every_folder_of_the_table_is_there_and_a_verb_runs_it() -> None:
    for beginning, folders in JUDGES.items():
        assert list(ROOT.glob(f"{beginning}*")), beginning
        for folder in folders:
            assert (ROOT / folder).is_dir()
            assert nearest(folder, VERBS)


def test_every_folder_of_the_product_has_a_judge() -> None:
    product = {it.parent.name for it in ROOT.glob("*/__init__.py")} - {"tests", "tools"}
    assert [it for it in sorted(product) if not nearest(f"{it}/x.py", JUDGES)] == []


@pytest.mark.parametrize(
    "line",
    [
        "= 2 failed, 10 passed, 1 skipped in 63.21s (0:01:03) =",
        "2 failed, 10 passed, 1 skipped in 3.21s",
        "\x1b[31m= \x1b[31m2 failed\x1b[0m, \x1b[32m10 passed\x1b[0m, 1 skipped\x1b[31m in 3.21s =",
    ],
)
def test_closing_lines_of_pytest_are_counted(line: str) -> None:
    counts = counted(
        [line, "tests/unit/test_x.py says 3 failed in 2 places", "= 5 passed in 1.0s ="]
    )
    assert counts == Counter(passed=15, failed=2, skipped=1)


def test_a_row_of_the_table_says_that_a_tier_is_red() -> None:
    row = Tier("test-kube", Counter(passed=12, failed=1, error=2), 90.0, 2).row()
    assert row.split() == ["test-kube", "12", "3", "1.5", "red", "(exit", "2)"]
