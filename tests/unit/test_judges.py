"""Every rule of the sandbox has one judge, and the page says so. Cannot prove that a source says
what its row says."""

from collections.abc import Sequence
from pathlib import Path

import pytest

from tools.judges import (
    JUDGES,
    LIMIT,
    OURS,
    PAGE,
    PROGRAM,
    Rule,
    counted,
    judged,
    main,
    page,
    programs,
    rules,
)
from tools.refusals import Refusal, in_module, refusals

RULES = rules()
REFUSALS = list(refusals())
REFUSING = """
def refuse(name: str) -> None:
    if not name:
        raise CloudError("INVALID_ARGUMENT", "no name")
    try:
        ask(name)
    except KubeError as error:
        raise CloudError("INVALID", str(error)) from None

def why(name: str) -> str:
    def inner() -> Iterator[Finding]:
        yield "name", "is missing"
    return f"{name} is not there" if name else ""

def shown(name: str) -> str:
    return f"{name} is there"
"""


def judges_of(refusal: Refusal, among: Sequence[Rule] = RULES) -> list[Rule]:
    return [rule for rule in among if rule.means(refusal)]


def test_every_statement_that_refuses_has_one_judge() -> None:
    wrong = {
        f"{it.module} {it.function}: {it.words}": [rule.refuses for rule in judges_of(it)]
        for it in REFUSALS
        if len(judges_of(it)) != 1
    }
    assert not wrong, "nearest: one row of sandbox/judges for each"


def test_a_new_rule_beside_judged_ones_would_be_found() -> None:
    mixed = next(rule for rule in RULES if rule.at)
    new = Refusal(module=mixed.module, function="brand_new", words="raise CloudError()")
    assert not judges_of(new)


def test_what_refuses_is_told_from_what_passes_on_and_what_only_speaks() -> None:
    found = [(it.function, it.words.partition(" ")[0]) for it in in_module("it.py", REFUSING)]
    assert found == [("refuse", "raise"), ("why", "return"), ("why.inner", "(yield")]


@pytest.mark.parametrize("rule", RULES, ids=lambda it: f"{it.module}: {it.refuses[:40]}")
def test_a_row_names_what_is_there(rule: Rule) -> None:
    here = [it for it in REFUSALS if it.module == rule.module]
    for function, words in (rule.at or {}).items():
        for each in words or ("",):
            assert any(it.function == function and each in it.words for it in here), (
                f"{function} has no statement with {each!r}"
            )
    assert rule.properties or here
    assert rule.judge in JUDGES or rule.judge == LIMIT
    assert bool(rule.source) == (rule.judge not in (OURS, LIMIT))
    assert rule.real in ("", *(program.name for program in programs()))


def test_modules_with_several_judges_name_their_functions() -> None:
    several = {it.module for it in RULES if sum(it.module == each.module for each in RULES) > 1}
    assert all(rule.at is not None for rule in RULES if rule.module in several)


def test_our_own_reading_is_the_smallest_part_in_memory_and_smaller_with_real_programs() -> None:
    counts = counted(RULES)
    memory, real = judged(counts, real=False), judged(counts, real=True)
    assert min(memory, key=memory.__getitem__) == OURS
    assert real[OURS] < memory[OURS]
    assert max(real, key=real.__getitem__) == PROGRAM


def test_the_page_is_what_the_tool_writes() -> None:
    assert PAGE.read_text(encoding="utf-8") == page(), "nearest: python -m tools.judges"


def test_the_tool_says_when_the_page_is_old(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    old = tmp_path / "judges.md"
    monkeypatch.setattr("tools.judges.PAGE", old)
    assert main(["--check"]) == 1
    assert "nearest: python -m tools.judges" in capsys.readouterr().out
    assert main([]) == 0
    assert main(["--check"]) == 0
