"""What `up` made of every stack, held against what `make inventory` writes: files and pages.

Figures of pages are held by test_page_figures.py."""

from __future__ import annotations

from collections.abc import Callable

import pytest
import yaml

from cli.project import stack_names
from tests.stacks import readme, regions
from tests.stacks.conftest import IN_EVERY_TEST, Sandbox, by_tier
from tests.stacks.inventory import FOLDER, file_of, inventory


@pytest.mark.parametrize("stack", by_tier(*IN_EVERY_TEST))
def test_up_made_what_the_inventory_lists(brought_up: Callable[[str], Sandbox], stack: str) -> None:
    assert inventory(brought_up(stack)) == yaml.safe_load(file_of(stack).read_text())


def test_no_inventory_is_of_a_stack_that_is_gone() -> None:
    assert {file.stem for file in FOLDER.iterdir()} == set(stack_names())


@pytest.mark.parametrize("stack", by_tier())
def test_the_page_has_its_figures(stack: str) -> None:
    assert readme.row_of(stack) in regions.shown("figures", readme.FIGURES).splitlines()


def test_the_page_has_a_row_of_every_stack() -> None:
    rows = [it.split()[1] for it in regions.shown("figures", readme.FIGURES).splitlines()]
    assert rows[2:] == stack_names()


def test_pages_draw_what_the_engine_made(brought_up: Callable[[str], Sandbox]) -> None:
    for page, drawn in readme.pictures(brought_up(readme.SHOWN)).items():
        assert regions.shown("picture", page) == drawn


def test_the_readme_shows_what_why_says() -> None:
    assert regions.shown("why") == readme.why()
