"""Bad input of stacks with queues: each mistake with its field and what works, and no mistake that
is none."""

from typing import Any

import pytest
from stacks.train_and_serve_config import TrainAndServe

from stacks.config import validate
from tests.conftest import changed, stack_config
from tests.unit.bad_configs_queue_nodes import BAD_QUEUE_NODES
from tests.unit.bad_configs_queued import BAD_QUEUED
from tests.unit.bad_configs_queues import BAD_QUEUES, BAD_QUEUES_AUTOPILOT
from tests.unit.config_keys_queues import AUTOPILOT, TEAMS
from tests.unit.test_config import SECRETS, assert_named, mistakes

MIXED = stack_config("kueue-mixed")
BAD = [*BAD_QUEUES, *BAD_QUEUED, *BAD_QUEUE_NODES, *BAD_QUEUES_AUTOPILOT]
GPU = "nvidia.com/gpu"
_FLEX: dict[str, Any] = {
    "gpu_pool__capacity": {"mode": "flex-start"},
    "gpu_pool__autoscaling": {"min": 0, "max": 3},
}


def valid(**values: Any) -> TrainAndServe:
    config = validate(changed(MIXED, **values), secrets_set=SECRETS)
    assert isinstance(config, TrainAndServe)
    return config


@pytest.mark.parametrize(("values", "field", "end"), BAD)
def test_bad_input_names_the_field_and_the_nearest_that_works(
    values: dict[str, Any], field: str, end: str
) -> None:
    assert_named(mistakes(changed(MIXED, **values)), field, end)


@pytest.mark.parametrize(("values", "field", "end"), BAD)
def test_a_mistake_is_told_once(values: dict[str, Any], field: str, end: str) -> None:
    lines = mistakes(changed(MIXED, **values))
    assert [line.startswith(f"{field}: ") and end in line for line in lines].count(True) == 1


@pytest.mark.parametrize("values", [{}, AUTOPILOT, TEAMS], ids=["standard", "autopilot", "teams"])
def test_the_scenario_is_right_in_each_mode_and_for_more_than_one_team(
    values: dict[str, Any],
) -> None:
    assert valid(**values).kind == "train-and-serve"


@pytest.mark.parametrize(
    ("values", "minutes"),
    [
        ({}, 30),
        ({"server__minutes": 90}, 90),
        ({"server__minutes": 90, "server__queue": None}, 30),
        ({"server__minutes": 10}, 30),
        ({"kueue__ready_minutes": 50}, 50),
        (_FLEX, 7 * 24 * 60),
    ],
)
def test_kueue_leaves_workloads_the_time_that_they_and_their_machines_may_take(
    values: dict[str, Any], minutes: int
) -> None:
    assert valid(**values).ready_minutes == minutes


def test_the_models_cannot_be_had_without_a_token() -> None:
    assert_named(
        mistakes(MIXED, frozenset()),
        "hugging_face_token",
        "set it with: pulumi config set --secret hugging_face_token",
    )


def test_quotas_are_all_that_the_nodes_have_unless_the_config_says_less() -> None:
    (quota,) = valid().quotas["cluster-queue"].values()
    assert quota[GPU] == 6
    lower = valid(**{"kueue__cluster_queues__cluster-queue__flavors__default-flavor__gpus": 4})
    (quota,) = lower.quotas["cluster-queue"].values()
    assert quota[GPU] == 4


@pytest.mark.parametrize("part", ["cpu", "memory_gib", "gpus", "ephemeral_storage_gib"])
def test_the_most_that_is_offered_is_accepted(part: str) -> None:
    path = f"kueue__cluster_queues__cluster-queue__flavors__default-flavor__{part}"
    (line,) = mistakes(changed(MIXED, **{path: 10000}))
    assert valid(**{path: float(line.rpartition("nearest: ")[2])})


def test_a_pool_that_grows_has_the_quota_of_its_largest_size() -> None:
    config = valid(gpu_pool__autoscaling={"min": 0, "max": 5})
    (quota,) = config.quotas["cluster-queue"].values()
    assert quota[GPU] == 10


def test_a_queue_of_the_same_name_in_another_namespace_is_another_queue() -> None:
    doors = [
        {"name": "lq", "cluster_queue": "cluster-queue", "namespace": namespace}
        for namespace in ("default", "llm")
    ]
    assert valid(kueue__local_queues=doors)


def test_classes_that_gke_keeps_for_its_own_namespaces_are_refused() -> None:
    (line,) = mistakes(changed(MIXED, server__priority="system-cluster-critical"))
    assert line.startswith("stack.server.priority: ")


def test_what_a_cohort_may_lend_is_not_taken_for_too_little() -> None:
    few = {
        "kueue__cluster_queues__cluster-queue__cohort": "all",
        "kueue__cluster_queues__cluster-queue__flavors__default-flavor__gpus": 1,
    }
    assert valid(**few)


def test_without_workloads_any_framework_will_do() -> None:
    assert valid(server=None, fine_tune=None, kueue__frameworks=["pod"])


@pytest.mark.parametrize("version", ["0.16.9", "0.17.8", "0.18.6", "0.19.2"])
def test_a_version_whose_api_the_objects_use_can_be_had(version: str) -> None:
    assert valid(kueue__version=version)


def test_kueue_is_what_this_kind_of_stack_is_made_of() -> None:
    assert_named(mistakes({**MIXED, "kueue": None}), "stack.kueue", "nearest: a block of keys")
