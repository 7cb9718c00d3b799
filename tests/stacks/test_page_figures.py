"""Counts and times on pages are those of runs; `make inventory` writes them.

The thorough tier has a sample of the regions, another one for each commit; all with
ALL_COMBINATIONS=1.
"""

from __future__ import annotations

import re

import pytest

from cli.project import PROJECT_FOLDER, stack_names
from tests.parts.sampling import a_sample
from tests.stacks import regions
from tests.stacks.page_figures import Asked, changes, first_steps, spoken, text_of

REGIONS = [f"{page}: {it}" for page in regions.pages() for it in regions.names(page)]
SAMPLE = 6
# Seconds and minutes of the sandbox, as runs and pages say them.
_TIME = re.compile(r"\b\d+ (?:h|min)(?: \d+ (?:min|s))+\b|\b\d\d:\d\d min\b")
_NUMBER_WORDS = (
    "two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|(?:thir|four|fif|six|seven|"
    "eigh|nine)teen|(?:twen|thir|for|fif|six|seven|eigh|nine)ty(?:-[a-z]+)?"
)
# Counts of a run, in the words of the engine and of page_figures.
_COUNT = re.compile(
    rf"\b(?:\d+|{_NUMBER_WORDS})\s+(?:resources|unchanged|to (?:create|update|replace|delete)|"
    r"created|updated|in place|replaced|deleted)\b",
    re.IGNORECASE,
)
# Who writes the times of these pages, and what seconds of others are.
WRITTEN = {"docs/pull-requests.md": "tests.review.example"}
_REGION = re.compile(
    r"^<!-- ((?:changes|first-steps|said|ways) .*|figures|preview|fit) -->$"
    r".*?^<!-- \1 -->$",
    re.MULTILINE | re.DOTALL,
)


@pytest.mark.thorough
@pytest.mark.parametrize("named", a_sample(REGIONS, SAMPLE))
def test_a_region_has_what_its_runs_say(named: str) -> None:
    page, _, region = named.partition(": ")
    assert regions.shown(region, page) == text_of(region)


@pytest.mark.parametrize("page", [it for it in regions.pages() if it not in WRITTEN])
def test_what_a_run_counts_stands_in_a_region_that_a_run_writes(page: str) -> None:
    text = _REGION.sub("", (PROJECT_FOLDER / page).read_text(encoding="utf-8"))
    assert _TIME.findall(text) == []
    assert _COUNT.findall(text) == []


def test_such_a_count_would_be_found() -> None:
    said = (
        "It makes 57 resources: Forty-six\nunchanged, 5 to replace, 12 deleted; 3 resource types."
    )
    assert len(_COUNT.findall(said)) == 4


def test_such_a_time_would_be_found() -> None:
    said = "It takes 19 min 55 s, or 1 h 28 min 34 s, or 20:29 min, and make 7 minutes."
    assert _TIME.findall(said) == ["19 min 55 s", "1 h 28 min 34 s", "20:29 min"]


def test_every_region_is_of_a_stack_and_every_table_is_shown() -> None:
    found = [Asked.of(it.partition(": ")[2]) for it in REGIONS]
    asked = [it for it in found if it.kind != "ways"]
    assert {it.stack for it in asked} <= {*stack_names()}
    assert {it.stack for it in asked if it.kind == "changes"} == changes().keys()
    assert {it.stack for it in asked if it.kind == "first-steps"} == first_steps().keys()


@pytest.mark.parametrize(
    ("seconds", "words"),
    [(0, "0 s"), (40, "40 s"), (240, "4 min"), (5314, "1 h 28 min 34 s"), (3600, "1 h")],
)
def test_a_time_is_said_in_its_units(seconds: float, words: str) -> None:
    assert spoken(seconds) == words
