"""Each cause of `why` has a sample, and the page of it what the runs say and the tests' numbers."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

from tests.kube.planted_causes import KEPT, RECOVERING
from tests.kube.test_why import ALL, PLANTED
from tests.stacks import readme, regions
from tests.unit.test_servers_are_work import REPORTED as SERVERS
from tests.unit.test_why import CAUSES as RECORDED
from tests.unit.test_why_reports import HEALTHY, RECOVERS, REPORTS, SOURCE

_ROOT = Path(__file__).resolve().parents[2]
_PAGE = (_ROOT / "docs" / "my-job-waits.md").read_text()
_WHY = _PAGE.partition("\n## Why\n")[2].partition("\n## ")[0]
_CAUSE = re.compile(r"[a-z]+(-[a-z]+)*")


def _named_in_code() -> Iterator[str]:
    """First arguments of reasons and of sayings."""
    for path in (_ROOT / "aistack" / "why").glob("*.py"):
        for node in ast.walk(ast.parse(path.read_text())):
            if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Name):
                continue
            if node.func.id in ("Reason", "Saying") and node.args:
                yield from (
                    it.value
                    for it in ast.walk(node.args[0])
                    if isinstance(it, ast.Constant)
                    and isinstance(it.value, str)
                    and _CAUSE.fullmatch(it.value)
                )


def _known() -> set[str]:
    # The kind of a missing object is part of the name, and no literal.
    named = {*_named_in_code(), "configmap-missing"}
    return {*named, *(report.cause for report in REPORTS.values()), *PLANTED}


def test_the_page_shows_what_why_says() -> None:
    assert regions.shown("waits", readme.WAITS_PAGE) == readme.waits()


def test_every_cause_of_the_code_has_a_sample() -> None:
    """In the words of a report, on the real control plane, or among recorded objects."""
    reported = {
        *(it.cause for it in REPORTS.values()),
        *(cause for cause, _, _ in SERVERS.values()),
    }
    samples = {*reported, *PLANTED, *RECORDED}
    assert set(_named_in_code()) - samples == set()


def test_the_page_has_the_numbers_of_the_tests() -> None:
    words = " ".join(_WHY.split())
    assert f"`why` knows {len(_known())} causes" in words
    assert f"{len(PLANTED)} of them are planted" in words
    assert f"The words of {len(REPORTS)} public reports" in words
    assert f"of {len(RECOVERS)} jobs that have recovered and {len(HEALTHY)} that are well" in words


def test_what_is_planted_has_a_public_source_with_a_date_or_a_version() -> None:
    """Beside it, or in the reports of that cause."""
    reported = {it.cause: it.source for it in REPORTS.values() if not it.source.startswith("ours")}
    planted = {**ALL, **RECOVERING, "kept-for-another": KEPT}
    sources = {name: it.source or reported.get(name, "") for name, it in planted.items()}
    assert [name for name, it in sources.items() if not SOURCE.match(it)] == []
    assert sum(it.startswith("ours") for it in sources.values()) <= 4
