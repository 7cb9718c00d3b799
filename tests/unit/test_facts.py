"""The register of facts: each has a source and tests that are there. Cannot prove that a test
really depends on its fact."""

import ast
from collections import Counter
from functools import cache
from pathlib import Path

import pytest
from pydantic import ValidationError

from catalog.facts import RegisteredFact, register
from tools.facts import AREAS, PAGE, entries_of, main, page

ROOT = Path(__file__).parent.parent.parent
FACTS = [fact for area in register().values() for fact in area]
A_FACT = {
    "id": "some-fact",
    "fact": "Something is so.",
    "source": "a document",
    "date": "2026-11-22",
    "held_by": ("tests/unit/test_facts.py::test_every_area_has_a_title",),
    "verified": True,
}


@cache
def functions_of(file: str) -> frozenset[str]:
    path = ROOT / file
    if not path.is_file():
        return frozenset()
    nodes = ast.walk(ast.parse(path.read_text(encoding="utf-8")))
    return frozenset(it.name for it in nodes if isinstance(it, ast.FunctionDef))


@pytest.mark.parametrize("fact", FACTS, ids=lambda it: it.id)
def test_the_tests_that_hold_a_fact_are_there(fact: RegisteredFact) -> None:
    for node in fact.held_by:
        file, _, name = node.partition("::")
        assert name in functions_of(file), f"{node} is no test"


def test_no_fact_is_there_twice() -> None:
    assert [it for it, times in Counter(fact.id for fact in FACTS).items() if times > 1] == []


def test_every_area_has_a_title() -> None:
    assert set(register()) <= set(AREAS)


@pytest.mark.parametrize("missing", [{"source": None}, {"held_by": ()}])
def test_a_verified_fact_has_a_source_and_a_test(missing: dict[str, object]) -> None:
    with pytest.raises(ValidationError, match="verified by no source, or held by no test"):
        RegisteredFact.model_validate({**A_FACT, **missing})


def test_a_fact_that_nobody_could_verify_says_so() -> None:
    believed = {**A_FACT, "source": None, "held_by": (), "verified": False}
    assert not RegisteredFact.model_validate(believed).verified


def test_the_page_is_what_the_catalog_says() -> None:
    assert PAGE.read_text(encoding="utf-8") == page(), "run: python -m tools.facts"


def test_the_page_counts_what_nobody_verified() -> None:
    believed = sum(not fact.verified for fact in FACTS)
    assert f"{len(FACTS)} facts in the register, {believed} of them not verified." in page()
    assert page().count("**Not verified.**") == believed


def test_an_entry_of_a_table_is_named_by_its_path_and_has_the_days_date(tmp_path: Path) -> None:
    file = tmp_path / "table.yaml"
    file.write_text(
        "{source: all, date: 2026-01-02, a: {b: {source: Estimate of ours}}, "
        "c: [{name: d, source: e, date: 2026-01-03}]}"
    )
    entries = [(it.path, it.source, it.read, it.estimated) for it in entries_of(file)]
    assert entries == [
        ("(all)", "all", "2026-01-02", False),
        ("a.b", "Estimate of ours", "2026-01-02", True),
        ("c[d]", "e", "2026-01-03", False),
    ]


def test_the_check_says_how_to_write_a_stale_page(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("tools.facts.PAGE", tmp_path / "facts.md")
    monkeypatch.setattr("tools.node_room_page.PAGE", tmp_path / "node-room.md")
    assert main(["--check"]) == 1
    assert "nearest: python -m tools.facts" in capsys.readouterr().out
    assert main([]) == 0
    assert main(["--check"]) == 0
