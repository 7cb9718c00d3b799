"""Who has a server's quota while it is updated, and what a preview says of it."""

from typing import Any

import pytest

from stacks.config import validate
from stacks.parts.servers.advice import advice
from stacks.parts.servers.queue_order import neighbours
from stacks.plan import Plan
from tests.conftest import changed
from tests.parts.samples import SERVE
from tests.programs import WITH_TOKEN

SOON = {
    "queues__workload_priorities": [{"name": "soon", "value": 100}],
    "servers__gemma__workload_priority": "soon",
}
# The fine-tuning has a priority of its own in the queue.
EQUAL = {
    "queues__workload_priorities": [{"name": "first", "value": 30}],
    "jobs__tune__workload_priority": "first",
}
# Work of the team has the default class.
TEAM = {
    "queues__priorities": [
        {"name": "low", "value": 20},
        {"name": "high", "value": 30, "default": True},
    ],
    "queues__cluster_queues": {"gpus": {"cohort": "all"}, "second": {"cohort": "all"}},
    "teams": {"ml": {"queue": "second"}},
}
WAITS = {
    "queues__priorities": [
        {"name": "low", "value": 20},
        {"name": "high", "value": 30, "preempts": False},
    ]
}


def planned(**values: Any) -> Plan:
    plan = validate(changed(SERVE, **values), secrets_set=WITH_TOKEN)
    assert isinstance(plan, Plan)
    return plan


def beside(**values: Any) -> list[str]:
    plan = planned(**values)
    return [it.field for it in neighbours(plan, plan.servers["gemma"])]


def test_a_server_of_the_highest_priority_has_its_quota_back() -> None:
    assert list(advice(planned())) == []


@pytest.mark.parametrize(("values", "keeps"), [(EQUAL, "jobs.tune"), (TEAM, "teams.ml")])
def test_a_preview_says_who_keeps_the_quota_of_a_server_that_is_made_anew(
    values: dict[str, Any], keeps: str
) -> None:
    (line,) = advice(planned(**values))
    assert line.startswith("servers.gemma.priority: ")
    assert f"and of {keeps}, whose priority is no lower, the server waits for the end" in line
    assert line.endswith("nearest: preempts false for its class, or a workload_priority above 30")


def test_each_of_the_two_ways_that_are_offered_is_enough() -> None:
    assert list(advice(planned(**EQUAL, **WAITS))) == []
    both = [*EQUAL["queues__workload_priorities"], *SOON["queues__workload_priorities"]]
    assert list(advice(planned(**{**EQUAL, **SOON, "queues__workload_priorities": both}))) == []


def test_a_namespace_with_a_door_to_the_queue_may_have_work_in_it() -> None:
    doors = [
        {"name": "lq", "cluster_queue": "gpus"},
        {"name": "lq", "cluster_queue": "gpus", "namespace": "other"},
    ]
    elsewhere = {"queues__namespaces": ["other"], "queues__local_queues": doors}
    assert beside(**elsewhere) == ["jobs.tune", "queues.local_queues[1]"]


@pytest.mark.parametrize(
    ("cohorts", "found"),
    [
        ({"gpus": {"cohort": "one"}, "second": {"cohort": "two"}}, []),
        ({"gpus": {"cohort": "one"}, "second": {"cohort": "one"}}, ["teams.ml"]),
        ({"gpus": {}, "second": {}}, []),
    ],
)
def test_queues_of_one_cohort_lend_each_other_quota(
    cohorts: dict[str, Any], found: list[str]
) -> None:
    team = {"jobs": None, "teams": {"ml": {"queue": "second"}}}
    assert beside(**team, queues__cluster_queues=cohorts) == found


def test_cohorts_below_one_parent_lend_each_other_quota() -> None:
    queues = {"gpus": {"cohort": "one"}, "second": {"cohort": "two"}}
    parents = {"one": {"parent": "all"}, "two": {"parent": "all"}}
    team = {"jobs": None, "teams": {"ml": {"queue": "second"}}}
    found = beside(**team, queues__cluster_queues=queues, queues__cohorts=parents)
    assert found == ["teams.ml"]


def test_a_server_without_a_queue_has_nobody_beside_it() -> None:
    assert beside(servers__gemma__queue=None) == []
