"""A process that builds several stacks, as the sandbox does, gets the same function each time."""

from importlib import import_module
from typing import Any

from stacks.config import validate
from stacks.plan import Plan
from tests.conftest import Register

STACK: dict[str, Any] = {
    "name": "small",
    "project": "my-project",
    "region": "us-central1",
    "zone": "us-central1-a",
    "pools": {"cpu": {"machine_type": "e2-standard-4", "nodes": 1}},
}


def test_no_module_takes_the_name_of_the_function_that_builds(register: Register) -> None:
    plan = validate(STACK)
    assert isinstance(plan, Plan)
    # As the program imports it, each time anew.
    made = [register(lambda: import_module("stacks").build(plan, {})).names() for _ in range(2)]
    assert made[0] == made[1]
