"""What Google lets grow and never shrink, held against what the stack has on record."""

from collections.abc import Iterator

from catalog import FactError
from catalog.lustre import check_growth
from stacks.config import ConfigError
from stacks.on_record import Record
from stacks.plan import Plan
from stacks.refusal import LUSTRE


def check(plan: Plan, record: Record) -> None:
    """Raises ConfigError."""
    if found := list(shrinking(plan, record)):
        raise ConfigError(found)


def shrinking(plan: Plan, record: Record) -> Iterator[str]:
    """A Lustre instance that stays, of which the catalog says what may become of it. Of another
    name or tier it is another instance."""
    lustre = None if plan.stack.lustre is None else plan.stack.lustre.made
    if lustre is None:
        return
    for it in record.of_type(LUSTRE):
        gib, speed = (int(it.outputs[key]) for key in ("capacityGib", "perUnitStorageThroughput"))
        if (it.outputs["instanceId"], speed) != (lustre.name, lustre.throughput_mbps_per_tib):
            continue
        try:
            check_growth(plan.facts.lustre_tier(speed), gib, lustre.capacity_gib)
        except FactError as error:
            yield f"stack.lustre.capacity_gib: {error}, or another lustre.name: an empty instance"
