"""What others wrote is read without a traceback, whatever it is."""

from __future__ import annotations

import ast
from collections import Counter
from datetime import UTC, datetime
from fractions import Fraction

import pytest

from kube import quantity
from kube.errors import KubeError
from kube.jobs import accelerators
from kube.reading import LONG_AGO, amount, document, moment, read_moment, read_whole, whole
from stacks.parts.jobs.command_words import launcher_problems
from stacks.parts.jobs.requirements import installs_itself
from stacks.plain_values import LONGEST_WORD
from tests.conftest import ROOT
from tests.unit.odd_objects import TEXTS

MOST, MOST_DECIMAL = 2**63 - 1, 10**30
NANO = Fraction(1, 10**9)
ODD = (*TEXTS, None, True, [], {}, float("inf"), float("nan"), "9999-99-99T99:99:99Z")
# What turns a text into a number, a time or an object; and where nobody else writes that text, or
# its errors are told: engines' logs, Google's answers, what aistack runs itself, numbers of ours,
# and the program that runs in pods.
PARSES = {
    "Decimal",
    "datetime.fromisoformat",
    "datetime.strptime",
    "float",
    "int",
    "json.load",
    "json.loads",
    "quantity.parse",
    "shlex.split",
}
OURS = {
    "aistack/calibration.py": {"json.loads": 1, "float": 1},
    "aistack/checkpoints/in_pod.py": {"int": 2, "json.load": 1, "json.loads": 1},
    "aistack/checkpoints/listing.py": {"int": 1},
    "aistack/command_line.py": {"int": 1},
    "aistack/control_plane.py": {"json.load": 1, "json.loads": 1},
    "aistack/fit/compile_step.py": {"int": 2, "float": 1},
    "aistack/fit/compiler.py": {"json.loads": 1},
    "aistack/fit/maxtext.py": {"int": 1},
    "aistack/status/pools.py": {"int": 1},
    "aistack/submit/render.py": {"int": 1},
    "aistack/submit/request.py": {"shlex.split": 1},
    "aistack/submit/team_limits.py": {"int": 1},
    "aistack/tables.py": {"int": 1},
    "aistack/verbs/shell.py": {"int": 1},
    "aistack/why/holders.py": {"int": 1},
    "aistack/why/saved.py": {"json.loads": 1},
    "aistack/why/saying.py": {"int": 1},
    "kube/jobs.py": {"int": 1},
    "kube/objects.py": {"int": 3},
}


@pytest.mark.parametrize("odd", ODD, ids=lambda it: repr(it)[:20])
def test_whatever_stands_there_is_a_number_a_time_an_amount_and_an_object(odd: object) -> None:
    assert -MOST <= whole(odd) <= MOST
    assert moment(odd) >= LONG_AGO
    assert -MOST_DECIMAL <= amount(odd) <= MOST_DECIMAL
    document(str(odd))


def test_what_is_one_is_read() -> None:
    assert (whole("7"), whole(7.0), whole(None, 3), whole("x", 3)) == (7, 7, 3, 3)
    assert (read_whole("x"), read_moment("x"), document("x")) == (None, None, None)
    assert moment("2026-11-23T12:00:00Z") == datetime(2026, 11, 23, 12, tzinfo=UTC)
    assert moment("2026-11-23T12:00:00") == datetime(2026, 11, 23, 12, tzinfo=UTC)
    assert (amount("500m"), amount(2)) == (Fraction(1, 2), 2)
    assert document('{"a": [1]}') == {"a": [1]}


@pytest.mark.parametrize(
    ("text", "read"),
    [
        ("1e999999999", MOST_DECIMAL),
        ("-1e999999999", -MOST_DECIMAL),
        ("1e-999999999", NANO),
        ("-0.1n", -NANO),
        ("0e999999999", 0),
        ("8Ei", MOST),
        ("9" * 100_000, MOST_DECIMAL),
        ("0." + "1" * 100_000, Fraction(111_111_112, 10**9)),
        ("1.5Gi", 3 * 2**29),
        ("1E", 10**18),
        ("12E", 12 * 10**18),
    ],
    ids=lambda it: str(it)[:20],
)
def test_a_quantity_has_an_end_on_both_sides(text: str, read: Fraction) -> None:
    assert quantity.parse(text) == read


@pytest.mark.parametrize("text", ["1e1.5", "1e3m", "1e9999999999999999999", "\u0663", "nan", True])
def test_what_the_api_server_takes_for_no_quantity_is_none(text: str) -> None:
    with pytest.raises(KubeError, match="is not a number with a unit"):
        quantity.parse(text)
    assert amount(text) == 0


def test_an_amount_that_nobody_can_have_is_reckoned_with_at_once() -> None:
    limits = {"nvidia.com/gpu": "1e999999999"}
    assert accelerators({"containers": [{"resources": {"limits": limits}}]}) == MOST_DECIMAL


@pytest.mark.parametrize("word", [" ", "\n", "sh -sh ", "pip install "])
def test_a_command_without_an_end_is_judged(word: str) -> None:
    words = ["torchrun", f"--nnodes={'9' * 5000}", *[word * (LONGEST_WORD // len(word))] * 64]
    assert list(launcher_problems("jobs.x.command", words, nodes=2, gpus=1))
    assert not installs_itself(words, {})


def test_nobody_reads_what_others_wrote_by_another_way() -> None:
    found = {
        str(file.relative_to(ROOT)): dict(calls)
        for folder in ("aistack", "kube")
        for file in sorted((ROOT / folder).rglob("*.py"))
        if file.name not in ("reading.py", "quantity.py") and (calls := parses(file.read_text()))
    }
    assert found == OURS


def parses(text: str) -> Counter[str]:
    calls = (it.func for it in ast.walk(ast.parse(text)) if isinstance(it, ast.Call))
    return Counter(name for it in calls if (name := ast.unparse(it)) in PARSES)
