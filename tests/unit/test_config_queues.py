"""What a stack with queues may be, and what follows from it."""

from typing import Any

import pytest

from stacks.config import validate
from stacks.plan import Plan
from tests.conftest import changed
from tests.parts.preset_samples import AUTOPILOT, MIXED, TEAMS
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


@pytest.mark.parametrize("part", ["cpu", "memory_gib", "gpus", "ephemeral_storage_gib"])
def test_the_most_that_is_offered_is_accepted(part: str) -> None:
    path = f"queues__cluster_queues__cluster-queue__flavors__default-flavor__{part}"
    (line,) = mistakes(changed(MIXED, **{path: 10000}))
    assert valid(**{path: float(line.rpartition("nearest: ")[2])})


def test_a_pool_that_grows_has_the_quota_of_its_largest_size() -> None:
    assert quotas(pools__gpu__autoscaling={"min": 0, "max": 5})[GPU] == 10


def test_a_queue_of_the_same_name_in_another_namespace_is_another_queue() -> None:
    doors = [
        {"name": "lq", "cluster_queue": "cluster-queue", "namespace": namespace}
        for namespace in ("default", "llm")
    ]
    assert valid(queues__local_queues=doors)


def test_classes_that_gke_keeps_for_its_own_namespaces_are_refused() -> None:
    (line,) = mistakes(changed(MIXED, **{f"{SERVER}__priority": "system-cluster-critical"}))
    assert line.startswith("stack.servers.tgi-gemma-deployment.priority: ")


def test_what_a_cohort_may_lend_is_not_taken_for_too_little() -> None:
    few = {
        "queues__cluster_queues__cluster-queue__cohort": "all",
        "queues__cluster_queues__cluster-queue__flavors__default-flavor__gpus": 1,
    }
    assert valid(**few)


def test_without_workloads_any_framework_will_do() -> None:
    assert valid(servers=None, jobs=None, queues__frameworks=["pod"])


@pytest.mark.parametrize("version", ["0.16.9", "0.17.8", "0.18.6", "0.19.2"])
def test_a_version_whose_api_the_objects_use_can_be_had(version: str) -> None:
    assert valid(queues__version=version)
