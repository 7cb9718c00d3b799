"""What is made of the program's resources by what the stack has on record."""

import pulumi

from stacks import (
    advice,
    changed_tokens,
    given_up,
    gke_upgrades,
    half_made,
    kept_by_provider,
    kept_names,
    lost_work,
    lost_workers,
    made_anew,
    old_definitions,
    older_operators,
    out_of_stock,
    released_volumes,
    same_grants,
    scarce_machines,
)
from stacks.on_record import Record
from stacks.plan import Plan


def install(plan: Plan, record: Record) -> None:
    """Put them in front of what the program registers from here on."""
    advice.install(plan)
    gke_upgrades.install(plan, record)
    for told in (old_definitions.told, older_operators.told, lost_work.told):
        for line in told(plan, record):
            pulumi.log.warn(line)
    half_made.install(plan)
    lost_workers.install(plan)
    out_of_stock.install(plan)
    given_up.install()
    scarce_machines.install(plan)
    changed_tokens.install(plan, record)
    lost_work.install(record)
    made_anew.install(record)
    kept_by_provider.install(record)
    kept_names.install(record)
    released_volumes.install(record)
    same_grants.install(record)
