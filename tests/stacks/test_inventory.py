"""What `up` made of every stack, held against the files that `make inventory` writes."""

from __future__ import annotations

from collections.abc import Callable

import pytest
import yaml

from sandbox.workspace import stack_names
from tests.stacks.conftest import IN_EVERY_TEST, Sandbox, by_tier
from tests.stacks.inventory import FOLDER, file_of, inventory


@pytest.mark.parametrize("stack", by_tier(*IN_EVERY_TEST))
def test_up_made_what_the_inventory_lists(brought_up: Callable[[str], Sandbox], stack: str) -> None:
    assert inventory(brought_up(stack)) == yaml.safe_load(file_of(stack).read_text())


def test_no_inventory_is_of_a_stack_that_is_gone() -> None:
    assert {file.stem for file in FOLDER.iterdir()} == set(stack_names())
