"""Refuses, before any resource is registered, what the stack on record cannot become."""

from itertools import chain

from stacks import gke_upgrades, held_networks, immutable, moving, one_run, ray_first, spot_grace
from stacks.on_record import Record
from stacks.plan import Plan


def check(plan: Plan, record: Record, stack: str) -> None:
    """Raises ConfigError, and TwoRunsError with the commands that do it instead. `stack` is what
    Pulumi calls it."""
    immutable.check(plan, record)
    gke_upgrades.check(plan, record)
    spot_grace.check(plan, record)
    asked = (one_run.replacing, held_networks.holding, ray_first.standing)
    found_by = (each(plan, record) for each in asked)
    for found in chain(moving.leaving(plan, record, stack), *found_by):
        raise found.refusal(record, stack)
