"""Refuses, before any resource is registered, what the stack on record cannot become."""

from stacks import immutable, one_run, ray_first
from stacks.on_record import Record
from stacks.plan import Plan


def check(plan: Plan, record: Record, stack: str) -> None:
    """Raises ConfigError, and TwoRunsError with the commands that do it instead. `stack` is what
    Pulumi calls it."""
    immutable.check(plan, record)
    for found in (*one_run.replacing(plan, record), *ray_first.standing(plan, record)):
        raise found.refusal(record, stack)
