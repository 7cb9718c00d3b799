"""What a preset costs by part, as pages print it: the bill of what its program registers.

Cannot prove that Google asks for it: prices are of the catalog's dated tables.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import pulumi

from catalog import Catalog
from review.bill import UNKNOWN
from review.cost import Part, cost_of
from review.hourly import dated, reservations, sum_of, usd
from stacks import clock
from stacks.build import build
from stacks.config import validate
from tests.conftest import ROOT, recorded, stack_config
from tools.written_page import table_row

# A part that is less of the least and of the most has no row.
_MUCH = 0.05
_SECRETS = frozenset({"hugging_face_token", "wandb_api_key"})


def costs(stack: str) -> Iterator[str]:
    """A row for each part that is much of the sum, then what the sum rests on."""
    plan = validate(stack_config(stack), secrets_set=_SECRETS)
    secrets = {it: pulumi.Output.secret(it) for it in _SECRETS}
    found = recorded(lambda: build(plan, secrets, ROOT), stack=stack)
    cost = cost_of([(it.urn, it.inputs) for it in found.resources if it.custom], Catalog.load())
    yield table_row(f"what, in {plan.stack.region}", "USD an hour", "prices of")
    yield table_row("---", "---", "---")
    low, high = cost.hourly.low * _MUCH, cost.hourly.high * _MUCH
    for part in cost.parts:
        if part.hourly is not None and (part.hourly.low >= low or part.hourly.high >= high):
            day = "an unknown day" if part.date is None else str(part.date)
            yield table_row(f"{part.component}: {part.what}", usd(part.hourly), day)
    yield table_row("together, with smaller parts", sum_of(cost) or UNKNOWN, "")
    yield ""
    yield f"These are {dated(cost.parts, clock.now().date())}."
    yield from (f"{it[0].upper()}{it[1:]}." for it in reservations(_priced_here(cost.parts)))


def _priced_here(parts: Sequence[Part]) -> list[Part]:
    """Without those of an unknown amount, which a preview lists."""
    return [it for it in parts if not it.amount_unknown]
