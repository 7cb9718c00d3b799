"""Without any one of their refusing statements, or with its condition turned round, rules pass what
a row of the tables says is refused, or refuse a sample that is right.

It says nothing of the numbers in a message beyond what the rows say.
"""

from contextlib import ExitStack
from functools import cache
from typing import Any

import pytest

from stacks.parts.images import rules as image_rules
from stacks.parts.jobs import gpu_memory_rules, maxtext_rules, transport_rules
from stacks.parts.network import rules as network_rules
from stacks.parts.pools import alike_rules, gpu_claim_rules, interface_rules, nvlink_rules
from stacks.parts.pools import rules as pool_rules
from stacks.parts.queues import ray_rules
from stacks.parts.ray import nccl_rules
from tests.conftest import changed
from tests.parts.refusals import CLUSTER, POOLS, Refused
from tests.parts.refusals_choice import CHOICE
from tests.parts.refusals_existing import EXISTING
from tests.parts.refusals_fit import FITS
from tests.parts.refusals_images import IMAGES
from tests.parts.refusals_interfaces import INTERFACES
from tests.parts.refusals_jobs import JOBS
from tests.parts.refusals_machines import MACHINES
from tests.parts.refusals_queues import QUEUES
from tests.parts.refusals_ray import RAY
from tests.parts.refusals_storage import STORAGE
from tests.parts.refusals_tpu import TPUS
from tests.parts.refusals_values import PLACES, VALUES
from tests.parts.rule_mutants import Statement, noted, statements, turned_round, without
from tests.parts.samples import SAMPLES
from tests.parts.test_refusals import said
from tests.programs import WITH_TOKEN, lines_of

MODULES = (
    *(alike_rules, gpu_claim_rules, gpu_memory_rules, image_rules, interface_rules, maxtext_rules),
    *(nccl_rules, network_rules, nvlink_rules, pool_rules, ray_rules, transport_rules),
)
ROWS = (
    *(*CHOICE, *CLUSTER, *EXISTING, *FITS, *IMAGES, *INTERFACES, *JOBS, *MACHINES, *PLACES, *POOLS),
    *(*QUEUES, *RAY, *STORAGE, *TPUS, *VALUES),
)
STATEMENTS = [it for module in MODULES for it in statements(module)]


def lines_of_row(row: Refused) -> tuple[str, ...] | None:
    """None where a rule breaks, as it may without its condition."""
    try:
        return lines_of(changed(row.stack, **row.values), WITH_TOKEN)
    except (ArithmeticError, AssertionError, AttributeError, LookupError):
        return None


def is_said(row: Refused) -> bool:
    found = lines_of_row(row) or ()
    return any(it.startswith(f"stack.{row.field}: ") and said(row.words, it) for it in found)


def is_right(config: dict[str, Any]) -> bool:
    return lines_of_row(Refused(config, {}, "", "")) == ()


@cache
def lines_by_row() -> list[dict[str, set[int]]]:
    """For each row the lines of each module that say something of it."""
    found: list[dict[str, set[int]]] = []
    for row in ROWS:
        with ExitStack() as stack:
            lines = {it.__name__: stack.enter_context(noted(it)) for it in MODULES}
            is_said(row)
        found.append(lines)
    return found


def rows_of(statement: Statement) -> list[Refused]:
    its = range(statement.first, statement.last + 1)
    name = statement.module.__name__
    return [row for row, it in zip(ROWS, lines_by_row(), strict=True) if it[name] & {*its}]


@pytest.mark.parametrize("statement", STATEMENTS, ids=lambda it: it.name)
def test_a_statement_that_is_not_there_is_missed(statement: Statement) -> None:
    rows = rows_of(statement)
    assert rows, f"no row comes to {statement.name}"
    with without(statement):
        assert not all(map(is_said, rows))


@pytest.mark.parametrize(
    "statement", [it for it in STATEMENTS if it.conditional], ids=lambda it: it.name
)
def test_a_condition_that_is_turned_round_is_noticed(statement: Statement) -> None:
    rows = rows_of(statement)
    with turned_round(statement):
        assert not all(map(is_right, SAMPLES.values())) or not all(map(is_said, rows))
