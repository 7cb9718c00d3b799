"""How a changed server comes, as the rest of its stack lets it."""

from typing import Any

import pytest

from components.servers.manifest import Rollout
from stacks.config import validate
from stacks.parts.servers.rollouts import rollout_of
from stacks.plan import Plan
from tests.conftest import changed
from tests.parts.samples import SERVE, SERVE_ALONE
from tests.programs import WITH_TOKEN

AUTOPILOT = changed(
    SERVE_ALONE,
    cluster={"mode": "autopilot", "release_channel": "RAPID"},
    pools={"gpu": {"machine_type": "g2-standard-24", "nodes": 3}},
)
GROWS = {"min": 1, "max": 4}
NONE_PREEMPTS = [
    {"name": "low", "value": 20, "preempts": False},
    {"name": "high", "value": 30, "preempts": False},
]
SAME_VALUE = [{"name": "low", "value": 30}, {"name": "high", "value": 30, "default": True}]


def rollout(config: dict[str, Any], **values: Any) -> Rollout:
    plan = validate(changed(config, **values), secrets_set=WITH_TOKEN)
    assert isinstance(plan, Plan)
    return rollout_of(plan, plan.servers["gemma"])


def test_on_autopilot_a_server_comes_beside_the_one_before() -> None:
    assert rollout(AUTOPILOT) is Rollout.SURGE


def test_a_reservation_bounds_what_autopilot_has() -> None:
    mine = {"mode": "reservation", "name": "mine"}
    assert rollout(AUTOPILOT, pools__gpu__capacity=mine) is Rollout.ONE_BY_ONE


@pytest.mark.parametrize(
    ("nodes", "replicas", "expected"),
    [(4, 3, Rollout.SURGE), (3, 3, Rollout.ONE_BY_ONE), (3, 2, Rollout.SURGE)],
)
def test_in_a_pool_of_its_own_a_server_comes_beside_where_there_is_a_node_more(
    nodes: int, replicas: int, expected: Rollout
) -> None:
    values = {"pools__gpu__nodes": nodes, "servers__gemma__replicas": replicas}
    assert rollout(SERVE_ALONE, **values) is expected


def test_a_pool_that_may_grow_has_room_and_servers_that_may_take_all_of_it_have_none() -> None:
    values = {"pools__gpu__nodes": 3, "pools__gpu__autoscaling": GROWS}
    scales = {"min": 1, "max": 4}
    assert rollout(SERVE_ALONE, **values, servers__gemma__replicas=3) is Rollout.SURGE
    assert rollout(SERVE_ALONE, **values, servers__gemma__autoscaling=scales) is Rollout.ONE_BY_ONE


def test_servers_of_one_pool_need_room_for_all_of_them() -> None:
    gemma = SERVE_ALONE["servers"]["gemma"]
    both = {"gemma": gemma, "other": {**gemma, "replicas": 2}}
    assert rollout(SERVE_ALONE, servers=both) is Rollout.ONE_BY_ONE


def test_in_a_queue_a_server_comes_in_place_and_waits_for_the_one_before() -> None:
    """Where its class lets kube-scheduler take a node of the fine-tuning, it is not even made."""
    assert rollout(SERVE) is Rollout.RECREATE
    assert rollout(SERVE, queues__priorities=NONE_PREEMPTS) is Rollout.ONE_BY_ONE
    assert rollout(SERVE, queues__priorities=SAME_VALUE) is Rollout.ONE_BY_ONE


def test_beside_a_script_a_server_whose_class_preempts_waits_for_the_one_before() -> None:
    script = {
        "type": "script",
        "pool": "gpu",
        "gpus": 1,
        "image": "python:3.12.8-slim",
        "command": ["python3", "-V"],
        "requests": {"cpu": 4, "memory_gib": 8},
    }
    # Queues give out the other pool.
    alone = {
        "servers__gemma__queue": None,
        "pools__gpu__nodes": 4,
        "queues__flavors": {"cpu": {"pool": "cpu"}},
    }
    assert rollout(SERVE, **alone, jobs=None) is Rollout.SURGE
    assert rollout(SERVE, **alone, jobs={"train": script}) is Rollout.RECREATE


def test_what_the_config_says_comes_first() -> None:
    """In a queue that the server has to itself, too."""
    alone = {"jobs": None, "queues__priorities": NONE_PREEMPTS}
    assert rollout(SERVE, **alone) is Rollout.ONE_BY_ONE
    assert rollout(SERVE, **alone, servers__gemma__rollout="surge") is Rollout.SURGE
    assert rollout(AUTOPILOT, servers__gemma__rollout="in-place") is Rollout.ONE_BY_ONE
    roomy = {"pools__gpu__nodes": 4, "servers__gemma__rollout": "surge"}
    assert rollout(SERVE_ALONE, **roomy) is Rollout.SURGE


def test_beside_a_fine_tuning_a_server_comes_in_place() -> None:
    """It may have what is free."""
    alone = {"servers__gemma__queue": None, "servers__gemma__priority": None}
    assert rollout(SERVE, **alone, pools__gpu__nodes=4) is Rollout.ONE_BY_ONE
