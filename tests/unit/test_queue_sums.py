"""What is said of a job that never has quota beside what is always in its queue."""

from __future__ import annotations

from typing import Any

import pytest

from cli.project import stack_names
from stacks.config import validate
from stacks.parts.queues.advice import advice
from stacks.tokens import SECRETS
from tests.conftest import changed, stack_config
from tests.unit.platform_samples import PLATFORM

TUNE = {"type": "fine-tune", "pool": "gpu", "queue": "lq", "gpus": 2, "pods": 2}
SCRIPT = {
    "type": "script",
    "image": "python:3.12-slim",
    "command": ["true"],
    "requests": {"cpu": 1, "memory_gib": 2},
    "gpus": 2,
    "nodes": 2,
    "pool": "gpu",
    "queue": "lq",
}
SHARED: dict[str, Any] = changed(
    PLATFORM,
    pools__gpu__nodes=3,
    teams=None,
    queues={
        "frameworks": ["batch/job", "pod", "jobset.x-k8s.io/jobset", "ray.io/raycluster"],
        "flavors": {"gpu": {"pool": "gpu"}},
        "cluster_queues": {"all": {"flavors": {"gpu": {"gpus": 4}}}},
        "local_queues": [{"name": "lq", "cluster_queue": "all"}],
        "workload_priorities": [{"name": "low", "value": 1}, {"name": "high", "value": 10}],
    },
    servers={"chat": {"pool": "gpu", "queue": "lq", "gpus": 2}},
    jobs={"train": SCRIPT},
)


def said(**values: Any) -> list[str]:
    return [*advice(validate(changed(SHARED, **values), secrets_set=frozenset(SECRETS)))]


def test_a_job_and_a_server_that_never_have_quota_together_are_told() -> None:
    assert said() == [
        "jobs.train.queue: beside servers.chat it never has quota of all, which would have to be "
        "6 of 4 GPUs of gpu. As long as they are there, it waits; nearest: a larger quota, another "
        "queue, or a priority by which it may stop them"
    ]


def test_so_is_a_fine_tuning_whose_quota_was_lowered() -> None:
    tuned = {"jobs": {"tune": TUNE}, "buckets": {"models": {}}}
    assert not said(**tuned, queues__cluster_queues__all__flavors__gpu__gpus=6)
    (line,) = said(**tuned)
    assert line.startswith("jobs.tune.queue: beside servers.chat it never has quota of all")


QUEUES = "queues__cluster_queues__all"
TOGETHER: list[dict[str, Any]] = [
    {f"{QUEUES}__flavors__gpu__gpus": 6},
    {"jobs__train__nodes": 1},
    {"servers": {}},
    {"servers__chat__queue": None, f"{QUEUES}__flavors__gpu__gpus": 4},
    {"jobs__train__queue": None},
    # It stops the server, as its user says.
    {"jobs__train__workload_priority": "high", "servers__chat__workload_priority": "low"},
    {f"{QUEUES}__preemption": {"within_queue": "LowerOrNewerEqualPriority"}},
    # Of what others of the cohort leave nobody knows.
    {f"{QUEUES}__cohort": "both"},
]


@pytest.mark.parametrize("values", TOGETHER)
def test_nothing_is_said_where_they_may_be_there_together_or_one_after_the_other(
    values: dict[str, Any],
) -> None:
    assert not said(**values)


def test_a_higher_priority_that_stops_nobody_does_not_help() -> None:
    priorities = {
        "jobs__train__workload_priority": "high",
        "servers__chat__workload_priority": "low",
    }
    assert said(**priorities, **{f"{QUEUES}__preemption": {"within_queue": "Never"}})


@pytest.mark.parametrize("stack", stack_names())
def test_no_preset_has_such_a_job(stack: str) -> None:
    plan = validate(stack_config(stack), secrets_set=frozenset(SECRETS))
    assert not [*advice(plan)]
