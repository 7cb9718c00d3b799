"""A Ray cluster's queue: one that the stack has, and none where it has no queues."""

from typing import Any

import pytest
from stacks.dev_config import Dev

from components.ray_manifest import READY_MINUTES
from stacks.config import validate
from tests.conftest import changed, stack_config
from tests.unit.stack_graphs import TPU_AUTOPILOT
from tests.unit.test_config import assert_named, mistakes

TPU = stack_config("tpu-multislice")
LUSTRE, VERL = stack_config("b200-lustre"), stack_config("verl-b200")
DEV = stack_config("dev")


# Kueue admits a cluster with its head, which is on the CPU pool.
BOTH = {"cpu": {"pool": "cpu_pool"}, "l4": {"pool": "gpu_pool"}}


def test_a_queue_without_nodes_for_the_head_is_refused() -> None:
    found = mistakes(changed(DEV, kueue__flavors={"l4": {}}))
    assert_named(found, "stack.ray.queue", "one more of kueue.flavors, with pool cpu_pool")


@pytest.mark.parametrize("config", [TPU, changed(TPU, **TPU_AUTOPILOT), LUSTRE, VERL])
def test_a_stack_without_queues_refuses_one(config: dict[str, Any]) -> None:
    secrets = frozenset({"hugging_face_token"})
    found = mistakes(changed(config, ray__queue="lq"), secrets)
    assert_named(found, "stack.ray.queue", "the stack has no queues; nearest: leave it out")


def test_a_stack_with_queues_takes_those_that_it_has() -> None:
    (queue, *_) = DEV["kueue"]["local_queues"]
    without = changed(DEV, ray__autoscaling=None, kueue__flavors=BOTH)
    assert validate(changed(without, ray__queue=queue["name"]))
    found = mistakes(changed(without, ray__queue=queue["name"] + "x"))
    assert_named(found, "stack.ray.queue", f"nearest: {queue['name']}")


def test_kueue_waits_for_a_queued_cluster_as_long_as_pulumi_does() -> None:
    without = changed(DEV, ray__autoscaling=None, kueue__flavors=BOTH)
    config = validate(changed(without, ray__queue="lq"))
    assert isinstance(config, Dev)
    assert config.ready_minutes == READY_MINUTES
    found = mistakes(changed(without, ray__queue="lq", kueue__ready_minutes=89))
    assert_named(found, "stack.kueue.ready_minutes", f"nearest: {READY_MINUTES}")


def test_without_kueue_even_such_a_stack_has_no_queue() -> None:
    found = mistakes(changed(DEV, kueue=None, ray__autoscaling=None, ray__queue="lq"))
    assert_named(found, "stack.ray.queue", "the stack has no queues; nearest: leave it out")


@pytest.mark.parametrize("config", [TPU, changed(TPU, **TPU_AUTOPILOT)])
def test_workers_on_slices_do_not_come_and_go_by_themselves(config: dict[str, Any]) -> None:
    found = mistakes(changed(config, ray__autoscaling={}))
    assert_named(
        found, "stack.ray.autoscaling", "leave it out, and say in tpu.slices which there are"
    )


def test_a_cluster_that_scales_has_no_topology() -> None:
    placed = {"gpu_pool__autoscaling": None, "kueue__topologies": {"nodes": {}}}
    for flavor in ("l4", "cpu"):
        placed[f"kueue__flavors__{flavor}__topology"] = "nodes"
    found = mistakes(changed(DEV, **placed))
    assert_named(found, "stack.kueue.flavors.l4.topology", "or leave out ray.autoscaling")
    assert validate(changed(DEV, **placed, ray__autoscaling=None))


def test_machines_that_ray_asks_for_are_not_asked_for_by_kueue_too() -> None:
    queued = {
        "gpu_pool__capacity": {"mode": "queued"},
        "ray__autoscaling": None,
        "kueue__admission_checks": {"dws": {}},
        "kueue__cluster_queues__gpus__admission_checks": ["dws"],
    }
    field = "stack.kueue.cluster_queues.gpus.admission_checks"
    found = mistakes(changed(DEV, **queued))
    assert_named(found, field, "nearest: leave it out, or leave out ray.queue")
