"""What no cloud would take and no program should try: refused with the field and what works."""

from datetime import UTC, datetime, timedelta
from typing import Annotated, Any, get_args

import pytest
from pydantic import BaseModel

from catalog.bounds import Bounds
from stacks.parts.cluster.config import Maintenance
from stacks.parts.cluster.maintenance_rules import maintenance_problems
from stacks.recurrence import parsed
from stacks.stack import Stack
from tests.conftest import changed, stack_config
from tests.programs import mistakes
from tests.unit.config_leaves import models_in

NOW = datetime(2026, 11, 22, tzinfo=UTC)
WINDOW = {"start": "2099-01-03T02:00:00Z", "end": "2099-01-03T08:00:00Z"}


def only(config: dict[str, Any]) -> str:
    (line,) = mistakes(config)
    return line


def test_no_line_is_longer_than_a_person_reads() -> None:
    lines = mistakes(changed(stack_config("b200-lustre"), name="n" * 70_000, labels__x="\x1b[31m"))
    assert all(len(it) < 600 and it.isprintable() for it in lines)


def test_a_list_without_an_end_is_not_looked_into() -> None:
    config = changed(stack_config("b200-lustre"), acknowledge=[{"x": 1}] * 100_000)
    assert only(config) == (
        "stack.acknowledge: 100000 entries are more than any block or list here has; "
        "nearest: 256 of them"
    )


def exclusion(name: str, start: str, end: str, scope: str = "NO_UPGRADES") -> dict[str, str]:
    return {"name": name, "start": f"{start}T00:00:00Z", "end": f"{end}T00:00:00Z", "scope": scope}


NIGHTLY, ALWAYS = {"recurrence": "FREQ=DAILY"}, {"recurrence": "FREQ=DAILY", "hours": 24}


@pytest.mark.parametrize(
    ("window", "exclusions", "place", "end"),
    [
        ({}, [("2027-01-01", "2027-04-01")], 0, "2027-03-06T00:00:00Z, or the scope"),
        ({}, [("2027-01-01", "2027-03-06")], None, ""),
        (NIGHTLY, [("2027-01-01", "2027-04-01")], 0, "2027-03-26T00:00:00Z, or the scope"),
        (ALWAYS, [("2027-01-01", "2027-04-01")], None, ""),
        (ALWAYS, [("2027-01-01", "2027-03-18"), ("2027-03-18", "2027-06-01")], 1, "2027-04-01T"),
        ({}, [("2027-01-01", "2027-02-01"), ("2027-03-01", "2027-04-01")], None, ""),
        ({}, [("2027-01-01", "2027-02-20"), ("2027-02-20", "2027-03-20")], 1, "2027-03-06T"),
    ],
)
def test_exclusions_leave_of_the_windows_what_gke_wants(
    window: dict[str, Any], exclusions: list[tuple[str, str]], place: int | None, end: str
) -> None:
    start, hours = datetime(2026, 1, 3, 2, tzinfo=UTC), window.get("hours", 6)
    times = {"start": start, "end": start + timedelta(hours=hours)}
    rule = {key: it for key, it in window.items() if key == "recurrence"}
    given = [exclusion(f"a{number}", *it) for number, it in enumerate(exclusions)]
    maintenance = Maintenance.model_validate({**times, **rule, "exclusions": given})
    found = list(maintenance_problems(maintenance, NOW))
    assert [it.field for it in found] == (
        [] if place is None else [f"cluster.maintenance.exclusions[{place}].end"]
    )
    assert all(f"GKE wants 48; nearest: {end}" in it.message for it in found)


def test_a_long_exclusion_of_minor_versions_alone_is_taken() -> None:
    one = exclusion("a", "2027-01-01", "2027-12-01", "NO_MINOR_UPGRADES")
    maintenance = Maintenance.model_validate({**WINDOW, "exclusions": [one]})
    assert list(maintenance_problems(maintenance, NOW)) == []


@pytest.mark.parametrize(
    ("rule", "days"),
    [
        ("FREQ=DAILY", 31),
        ("FREQ=DAILY;INTERVAL=2", 16),
        ("FREQ=WEEKLY;BYDAY=SA,SU", 10),
        ("FREQ=WEEKLY", 5),
        ("FREQ=WEEKLY;INTERVAL=2;BYDAY=MO", 2),
        ("FREQ=MONTHLY;BYDAY=1SA", 1),
        ("FREQ=MONTHLY;BYDAY=-1SU", 1),
        ("FREQ=MONTHLY;BYSETPOS=1;BYDAY=SA,SU", 1),
        ("FREQ=MONTHLY;BYMONTHDAY=1,15,-1", 3),
        ("FREQ=YEARLY;BYMONTH=2", 0),
        # The start's own day, where the rule has none.
        ("FREQ=MONTHLY", 1),
        ("FREQ=YEARLY", 1),
    ],
)
def test_a_rule_has_the_windows_that_the_calendar_says(rule: str, days: int) -> None:
    # 1 January 2027 is a Friday.
    assert len(list(parsed(rule).days(datetime(2027, 1, 1, tzinfo=UTC).date(), 31))) == days


def test_what_is_wrong_beside_a_broken_block_is_told_with_it() -> None:
    config = changed(
        stack_config("verl-h200"), pools__gpu__capacity={"mode": "flex-start", "name": "mine"}
    )
    assert [it.partition(": ")[0] for it in mistakes(config)] == [
        "stack.pools.gpu.capacity",
        "stack.pools.gpu.autoscaling",
    ]


def test_no_field_is_named_only_because_of_the_value_that_stands_in_for_a_wrong_one() -> None:
    config = changed(
        stack_config("b200-lustre"), pools__gpu__nodes=10**12, lustre__capacity_gib=9500
    )
    assert [it.partition(": ")[0] for it in mistakes(config)] == [
        "stack.pools.gpu.nodes",
        "stack.lustre.capacity_gib",
    ]


def blocks(model: type[BaseModel], seen: set[type[BaseModel]]) -> set[type[BaseModel]]:
    if model not in seen:
        seen.add(model)
        for field in model.model_fields.values():
            for inner in models_in(field.annotation):
                blocks(inner, seen)
    return seen


def unbounded(annotation: Any, *, bounded: bool = False) -> bool:
    """Whether a number is somewhere in a type without bounds around it."""
    if annotation in (int, float):
        return not bounded
    parts = get_args(annotation)
    if getattr(annotation, "__metadata__", None) is not None:
        held = any(isinstance(it, Bounds) for it in annotation.__metadata__)
        return unbounded(parts[0], bounded=held)
    return any(unbounded(it) for it in parts)


def test_every_number_of_every_block_ends_somewhere() -> None:
    found = blocks(Stack, set())
    assert len(found) > 30
    without = [
        f"{block.__name__}.{name}"
        for block in found
        for name, field in block.model_fields.items()
        if unbounded(Annotated[field.annotation, *field.metadata, None])
    ]
    # It is held against the value that a property gets.
    assert without == ["Acknowledge.to"]


@pytest.mark.parametrize(
    "text",
    [
        "FREQ=DAILY;FREQ=DAILY",
        "FREQ=DAILY;BYHOUR=3",
        "FREQ=DAILY;INTERVAL=0",
        "FREQ=WEEKLY;BYDAY=XX",
        "FREQ=WEEKLY;WKST=XX",
        "FREQ=YEARLY;BYMONTH=x",
        "FREQ=YEARLY;BYMONTH=13",
        "FREQ=MONTHLY;BYMONTHDAY=0",
    ],
)
def test_what_is_no_rule_is_told_one(text: str) -> None:
    with pytest.raises(ValueError, match="nearest: FREQ=WEEKLY;BYDAY=SA,SU"):
        parsed(text)
