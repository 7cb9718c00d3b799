"""What a pool's inputs say of its machines, those of which the catalog knows nothing included."""

from typing import Any

import pytest

from catalog import Catalog
from components.base.capacity import CapacityMode
from stacks.node_pool_facts import pool_facts

CATALOG = Catalog.load()


def devices(**inputs: Any) -> str:
    return pool_facts({"nodeConfig": {"machineType": "z9-standard-4t"}, **inputs}, CATALOG).devices


def test_of_a_machine_that_nobody_knows_the_kind_of_accelerator_is_told_by_its_placement() -> None:
    assert devices() == "an unknown number of accelerators"
    assert devices(placementPolicy={"tpuTopology": "4x4"}) == "an unknown number of TPUs"


@pytest.mark.parametrize(
    ("consumed", "mode"),
    [
        ("SPECIFIC_RESERVATION", CapacityMode.RESERVATION),
        ("ANY_RESERVATION", CapacityMode.ANY_RESERVATION),
        ("NO_RESERVATION", CapacityMode.ON_DEMAND),
    ],
)
def test_a_reservation_is_told_from_any_and_from_none(consumed: str, mode: CapacityMode) -> None:
    config = {"reservationAffinity": {"consumeReservationType": consumed}}
    assert pool_facts({"nodeConfig": config}, CATALOG).capacity is mode
