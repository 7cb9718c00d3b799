"""What an hour of a stack's machines costs, as its own program says: held against the bill that a
review makes of the same stack's resources. That Google asks for it is not tested."""

from __future__ import annotations

from typing import Any

import pytest

from catalog import Catalog
from review.cost import Amount, cost_of
from stacks.build import build
from stacks.config import validate
from stacks.machine_price import hourly_cost, usd
from tests.conftest import changed, recorded
from tests.parts.samples import SAMPLES

CATALOG = Catalog.load()
SECRETS = frozenset({"hugging_face_token", "wandb_api_key"})


def said(raw: dict[str, Any]) -> str:
    plan = validate(raw, secrets_set=SECRETS)
    return hourly_cost(plan.pools.values(), plan.facts)


@pytest.mark.parametrize("name", ["dev", "rl", "tpu"])
def test_it_is_what_the_bill_says_of_the_machines(name: str) -> None:
    plan = validate(SAMPLES[name], secrets_set=SECRETS)
    found = recorded(lambda: build(plan, {}), stack=name)
    bill = cost_of([(it.urn, it.inputs) for it in found.resources if it.custom], CATALOG)
    machines = [
        it
        for it in bill.parts
        if any(f" x {p.machine.name}," in it.what for p in plan.pools.values())
    ]
    assert machines
    amounts = [it.hourly for it in machines if it.hourly is not None]
    assert len(amounts) == len(machines)
    total = sum(amounts, Amount(0.0, 0.0))
    assert said(SAMPLES[name]).startswith(f"{usd(total.low, total.high)} USD at the prices of 20")


def test_what_is_not_published_is_named_and_does_not_count() -> None:
    raw = changed(SAMPLES["dev"], pools__gpu__capacity={"mode": "flex-start"})
    plan = validate(raw, secrets_set=SECRETS)
    known = hourly_cost([plan.pools["cpu"]], plan.facts)
    assert said(raw) == (
        f"at least {known}, and 0 to 1 x g2-standard-8 (0 to 1 L4) of unknown price; "
        "one g2-standard-8 costs 0.44 USD an hour on spot, 0.85 on demand"
    )


def test_a_small_amount_has_its_cents_and_a_range_both_ends() -> None:
    assert usd(0.2, 0.2) == "0.20"
    assert usd(9.5, 1234.5) == "9.50 to 1,234"
