"""A RayCluster in a queue: how long Kueue waits for it, and what it takes when it scales.

What is refused of it is in tests/parts.
"""

from typing import Any

from components.ray_manifest import READY_MINUTES
from stacks.config import validate
from tests.conftest import changed
from tests.programs import assert_named, mistakes


def test_kueue_waits_for_a_queued_cluster_as_long_as_pulumi_does(dev: dict[str, Any]) -> None:
    fixed = changed(dev, ray__dev__autoscaling=None)
    queues = validate(fixed).queues
    assert queues is not None
    assert queues.ready_minutes == READY_MINUTES
    found = mistakes(changed(fixed, queues__ready_minutes=READY_MINUTES - 1))
    assert_named(found, "stack.queues.ready_minutes", f"nearest: {READY_MINUTES}")


def test_a_cluster_that_scales_has_no_topology(dev: dict[str, Any]) -> None:
    placed = {"pools__gpu__autoscaling": None, "queues__topologies": {"nodes": {}}}
    for flavor in ("l4", "cpu"):
        placed[f"queues__flavors__{flavor}__topology"] = "nodes"
    found = mistakes(changed(dev, **placed))
    end = "or leave out ray.dev.autoscaling"
    assert_named(found, "stack.queues.flavors.l4.topology", end)
    assert validate(changed(dev, **placed, ray__dev__autoscaling=None))


def test_what_others_of_a_cohort_lend_is_not_known_to_be_too_little(dev: dict[str, Any]) -> None:
    little = {"queues__cluster_queues__gpus__flavors": {"l4": {"gpus": 0}, "cpu": {}}}
    (line,) = mistakes(changed(dev, **little))
    assert "what gpus never has of gpu: 1 of 0 GPUs" in line
    assert validate(changed(dev, **little, queues__cluster_queues__gpus__cohort="all"))
