"""What a stack with queues may be, and what follows from it."""

from typing import Any

import pytest

from components.ray.manifest import READY_MINUTES
from stacks.config import validate
from stacks.plan import Plan
from tests.conftest import changed
from tests.parts.preset_samples import AUTOPILOT, MIXED, TEAMS
from tests.parts.samples import DEV, TPU
from tests.programs import WITH_TOKEN, mistakes

SERVER = "servers__tgi-gemma-deployment"
GPU = "nvidia.com/gpu"
_FLEX: dict[str, Any] = {
    "pools__gpu__capacity": {"mode": "flex-start"},
    "pools__gpu__autoscaling": {"min": 0, "max": 3},
}


def valid(**values: Any) -> Plan:
    return validate(changed(MIXED, **values), secrets_set=WITH_TOKEN)


def quotas(**values: Any) -> dict[str, int]:
    """Of the only flavor."""
    queues = valid(**values).queues
    assert queues is not None
    (quota,) = queues.quotas["cluster-queue"].values()
    return quota


@pytest.mark.parametrize("values", [{}, AUTOPILOT, TEAMS], ids=["standard", "autopilot", "teams"])
def test_the_scenario_is_right_in_each_mode_and_for_more_than_one_team(
    values: dict[str, Any],
) -> None:
    assert valid(**values)


@pytest.mark.parametrize(
    ("values", "minutes"),
    [
        ({}, 30),
        ({f"{SERVER}__minutes": 90}, 90),
        ({f"{SERVER}__minutes": 90, f"{SERVER}__queue": None}, 30),
        ({f"{SERVER}__minutes": 10}, 30),
        ({"queues__ready_minutes": 50}, 50),
        (_FLEX, 7 * 24 * 60),
    ],
)
def test_kueue_leaves_workloads_the_time_that_they_and_their_machines_may_take(
    values: dict[str, Any], minutes: int
) -> None:
    queues = valid(**values).queues
    assert queues is not None
    assert queues.ready_minutes == minutes


def test_quotas_are_all_that_the_nodes_have_unless_the_config_says_less() -> None:
    assert quotas()[GPU] == 6
    said = {"queues__cluster_queues__cluster-queue__flavors__default-flavor__gpus": 4}
    assert quotas(**said)[GPU] == 4


def test_what_the_stack_runs_past_its_queues_is_no_quota() -> None:
    """On Autopilot it has nodes of its own."""
    past = {f"{SERVER}__queue": None, f"{SERVER}__priority": None}
    assert quotas(**past)[GPU] == 4
    assert quotas()["cpu"] - quotas(**past)["cpu"] == 4000
    assert quotas(**{**AUTOPILOT, **past})[GPU] == quotas(**AUTOPILOT)[GPU]
    # An autoscaler may have the most.
    scales = {f"{SERVER}__replicas": None, f"{SERVER}__autoscaling": {"min": 1, "max": 2}}
    assert quotas(**past, **scales, jobs={})[GPU] == 2


def test_what_a_ray_cluster_has_without_a_queue_is_no_quota() -> None:
    past = changed(DEV, ray__dev__queue=None)
    scales = validate(past).queues
    assert scales is not None
    assert scales.quotas["gpus"]["l4"][GPU] == 1
    planned = validate(changed(past, ray__dev__autoscaling=None)).queues
    assert planned is not None
    has = planned.quotas["gpus"]
    assert has["l4"][GPU] == 0
    waiting = validate(DEV).queues
    assert waiting is not None
    # The head, and what mounts its bucket.
    assert waiting.quotas["gpus"]["cpu"]["cpu"] - has["cpu"]["cpu"] == 1250
    slices = {"flavors": {"tpu": {"pool": "tpu"}}, "cluster_queues": {"chips": {}}}
    local = {"local_queues": [{"name": "lq", "cluster_queue": "chips"}]}
    on_slices = validate(changed(TPU, queues={**slices, **local})).queues
    assert on_slices is not None
    assert on_slices.quotas["chips"]["tpu"]["google.com/tpu"] == 0


@pytest.mark.parametrize(
    ("slices", "shares"), [(1, [16, 0, 0]), (2, [16, 16, 0]), (4, [32, 16, 16])]
)
def test_queues_share_slices_of_several_hosts_whole(slices: int, shares: list[int]) -> None:
    queues = {
        "flavors": {"tpu": {"pool": "tpu"}},
        "cluster_queues": {name: {"cohort": "all"} for name in ("a", "b", "c")},
        "local_queues": [{"name": "lq", "cluster_queue": "a"}],
    }
    found = validate(changed(TPU, queues=queues, ray={}, jobs={}, pools__tpu__slices=slices)).queues
    assert found is not None
    assert [it["tpu"]["google.com/tpu"] for it in found.quotas.values()] == shares


@pytest.mark.parametrize("part", ["cpu", "memory_gib", "gpus", "ephemeral_storage_gib"])
def test_the_most_that_is_offered_is_accepted(part: str) -> None:
    path = f"queues__cluster_queues__cluster-queue__flavors__default-flavor__{part}"
    (line,) = mistakes(changed(MIXED, **{path: 10000}))
    assert valid(**{path: float(line.rpartition("nearest: ")[2])})


def test_a_pool_that_grows_has_the_quota_of_its_largest_size() -> None:
    assert quotas(pools__gpu__autoscaling={"min": 0, "max": 5})[GPU] == 10


def test_kueue_waits_for_a_queued_cluster_as_long_as_pulumi_does() -> None:
    queues = validate(changed(DEV, ray__dev__autoscaling=None)).queues
    assert queues is not None
    assert queues.ready_minutes == READY_MINUTES
