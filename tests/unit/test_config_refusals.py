"""What no cloud would take and no program should try: refused with the field and what works."""

from datetime import UTC, datetime, timedelta
from math import inf, nan
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


JOB, JOB_FIELD = "jobs__nemo-rl-grpo-test1", "jobs.nemo-rl-grpo-test1"
HEAD, HEAD_FIELD = "ray__ray-a4-gpu-spot__head", "ray.ray-a4-gpu-spot.head"
REFUSED: list[tuple[dict[str, Any], str, str]] = [
    # Numbers without an end, and what is no number
    (
        {f"{JOB}__max_steps": inf},
        f"{JOB_FIELD}.max_steps",
        "inf is no number that ends; nearest: 10000000",
    ),
    ({f"{HEAD}__requests__cpu": nan}, f"{HEAD_FIELD}.requests.cpu", "nearest: 0.001"),
    ({f"{HEAD}__requests__cpu": True}, f"{HEAD_FIELD}.requests.cpu", "is no number; nearest: 1"),
    ({f"{HEAD}__requests__cpu": 0.0001}, f"{HEAD_FIELD}.requests.cpu", "nearest: 0.001"),
    ({f"{HEAD}__requests__cpu": 8.00001}, f"{HEAD_FIELD}.requests.cpu", "nearest: 8.0"),
    ({"pools__gpu__nodes": 10**12}, "pools.gpu.nodes", "a pool in one zone; nearest: 1000"),
    ({"pools__gpu__nodes": 10**6000}, "pools.gpu.nodes", "nearest: 1000"),
    ({"pools__gpu__nodes": "1" * 900}, "pools.gpu.nodes", "nearest: 1000"),
    # Ranges that no subnet may have
    ({"network__subnet": "127.0.0.0/20"}, "network.subnet", "nearest: 172.24.0.0/20"),
    ({"network__subnet": "169.254.0.0/20"}, "network.subnet", "nearest: 172.24.0.0/20"),
    ({"network__subnet": "224.0.0.0/20"}, "network.subnet", "nearest: 172.24.0.0/20"),
    ({"network__subnet": "0.0.0.0/20"}, "network.subnet", "nearest: 172.24.0.0/20"),
    ({"network__subnet": "199.36.153.0/24"}, "network.subnet", "nearest: 172.24.0.0/24"),
    # Labels
    ({"labels": {"team": ""}}, "labels.team", 'nearest: "true"'),
    ({"labels": {"goog-x": "a"}}, "labels.goog-x", "nearest: my-goog-x"),
    ({"labels": {f"a{n}": "a" for n in range(62)}}, "labels", "nearest: 61 of them"),
    # Text that is not what it looks like
    ({f"{JOB}__model": "Qwen/Qwen\u202e2"}, f"{JOB_FIELD}.model", "the text without it"),
    ({f"{JOB}__model": "Qwen/Qwen\x1b[31m"}, f"{JOB_FIELD}.model", "the text without it"),
    (
        {"cluster__authorized_networks": [{"name": " ", "cidr": "203.0.113.0/24"}]},
        "cluster.authorized_networks[0].name",
        "nearest: the text without them",
    ),
    (
        {f"{JOB}__model": "Qwen/\u0430bc"},
        f"{JOB_FIELD}.model",
        "nearest: one like Qwen/Qwen2.5-72B-Instruct",
    ),
    (
        {f"{JOB}__model": "a/../b"},
        f"{JOB_FIELD}.model",
        "nearest: one like Qwen/Qwen2.5-72B-Instruct",
    ),
    (
        {f"{JOB}__model": f"a/{'b' * 64}"},
        f"{JOB_FIELD}.model",
        "nearest: one like Qwen/Qwen2.5-72B-Instruct",
    ),
    (
        {f"{JOB}__checkpoints__metric": "val:$(id)"},
        f"{JOB_FIELD}.checkpoints.metric",
        "one like val:accuracy",
    ),
    # Namespaces that are somebody's
    ({"namespace": "kube-system"}, "namespace", "nearest: my-kube-system"),
    ({"namespace": "gmp-system"}, "namespace", "nearest: my-gmp-system"),
    ({"namespace": "kueue-system"}, "namespace", "nearest: my-kueue-system"),
    # Who may reach the cluster
    (
        {"cluster__authorized_networks": [{"name": n, "cidr": "203.0.113.0/24"} for n in "ab"]},
        "cluster.authorized_networks[1]",
        "203.0.113.0/24 is there twice; nearest: leave it out",
    ),
    (
        {
            "cluster__authorized_networks": [
                {"name": "a", "cidr": f"203.0.{n}.0/24"} for n in range(101)
            ]
        },
        "cluster.authorized_networks",
        "nearest: 100 of them",
    ),
    # Maintenance
    (
        {"cluster__maintenance": {**WINDOW, "start": 1}},
        "cluster.maintenance.start",
        "nearest: one like 2027-01-02T02:00:00Z",
    ),
    (
        {"cluster__maintenance": {**WINDOW, "end": WINDOW["start"]}},
        "cluster.maintenance.end",
        "nearest: 2099-01-03T06:00:00Z",
    ),
    (
        {"cluster__maintenance": {**WINDOW, "recurrence": "FREQ=MONTHLY;BYMONTH=2;BYMONTHDAY=30"}},
        "cluster.maintenance.recurrence",
        "GKE wants 48; nearest: FREQ=WEEKLY;BYDAY=SA,SU",
    ),
    (
        {"cluster__maintenance": {**WINDOW, "recurrence": "FREQ=HOURLY"}},
        "cluster.maintenance.recurrence",
        "nearest: FREQ=WEEKLY;BYDAY=SA,SU",
    ),
    (
        {"cluster__maintenance": {**WINDOW, "recurrence": "FREQ=DAILY;COUNT=3"}},
        "cluster.maintenance.recurrence",
        "nearest: FREQ=DAILY",
    ),
    # The catalog's additions
    (
        {"catalog": {"machine_types": {"a9-x": {"vcpus": 4, "memory_gib": inf}}}},
        "catalog.machine_types.a9-x.memory_gib",
        "nearest: 65536",
    ),
    (
        {"catalog": {"machine_types": {"$(id)": {"vcpus": 4, "memory_gib": 4}}}},
        "catalog.machine_types.$(id)",
        "",
    ),
]


@pytest.mark.parametrize(("values", "field", "end"), REFUSED)
def test_what_no_cloud_takes_is_refused(values: dict[str, Any], field: str, end: str) -> None:
    lines = mistakes(changed(stack_config("b200-lustre"), **values))
    named = [it for it in lines if it.startswith(f"stack.{field}: ")]
    assert named, lines
    assert named[0].endswith(end), named[0]


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


@pytest.mark.parametrize(
    ("exclusions", "field", "end"),
    [
        ([exclusion("a", "2024-12-01", "2024-12-24")], "[0]", "nearest: leave it out"),
        ([exclusion("a", "2027-02-01", "2027-02-01")], "[0].end", "nearest: 2027-02-02T00:00:00Z"),
        ([exclusion("a", "2027-01-01", "2027-05-01")], "[0].end", "nearest: 2027-04-01T00:00:00Z"),
        ([exclusion("a", "2027-01-01", "2027-02-01")] * 2, "[1].name", "twice; nearest: a-2"),
        (
            [exclusion(f"a{n}", "2027-01-01", "2027-02-01") for n in range(21)],
            "",
            "nearest: 20 of them",
        ),
        (
            [exclusion(f"a{n}", f"2027-0{n}-01", f"2027-0{n}-02") for n in range(1, 5)],
            "",
            "nearest: 3 of them, others as NO_MINOR_UPGRADES",
        ),
    ],
)
def test_an_exclusion_that_gke_does_not_take_is_refused(
    exclusions: list[dict[str, str]], field: str, end: str
) -> None:
    maintenance = Maintenance.model_validate({**WINDOW, "exclusions": exclusions})
    (problem,) = maintenance_problems(maintenance, NOW)
    assert problem.field == f"cluster.maintenance.exclusions{field}"
    assert problem.message.endswith(end)


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
