"""What a program reads of its own stack; tests/stacks/test_on_record.py has the engine's answer."""

from __future__ import annotations

from stacks import on_record
from stacks.on_record import Record
from tests.conftest import Answers, recorded

URN = "urn:pulumi:s::p::c:c:C::data"


def read() -> Record:
    found: list[Record] = []
    answers = Answers({URN: {"type": "c:c:C", "outputs": {"nodes": 3}}})
    recorded(lambda: found.append(on_record.read()), answers=answers)
    return found[0]


def test_a_review_has_programs_find_no_record_for_as_long_as_it_looks() -> None:
    with on_record.hidden():
        hidden = read()
    assert len(hidden.resources) == 0
    (there,) = read().resources
    assert (there.name, there.outputs) == ("data", {"nodes": 3})
