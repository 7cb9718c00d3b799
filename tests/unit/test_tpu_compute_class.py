"""The class that Autopilot makes TPU slices by, as registered; what Autopilot makes is not here."""

from dataclasses import replace
from typing import Any

import pulumi_kubernetes as k8s
import pytest

from components.base.capacity import CapacityArgs
from components.base.component import check_arguments
from components.base.naming import NameKind
from components.pools.tpu_compute_class import TpuComputeClass, TpuComputeClassArgs
from tests.conftest import Recording, Register, inside

ARGS = TpuComputeClassArgs(
    class_name="tpu-slices",
    zone="us-east5-b",
    machine_type="ct6e-standard-4t",
    accelerator="tpu-v6e-slice",
    topology="4x4",
    chips=4,
    capacity=CapacityArgs(mode="on-demand"),
    labels={"stack": "test"},
    dranet=True,
)
IN_THE_ZONE = {"location": {"zones": ["us-east5-b"]}}


def made(register: Register, **values: Any) -> Recording:
    return register(lambda: TpuComputeClass("tpus", replace(ARGS, **values), opts=inside()))


def capacity_of(register: Register, capacity: CapacityArgs) -> dict[str, Any]:
    (priority,) = made(register, capacity=capacity).named("tpus-class").inputs["spec"]["priorities"]
    shape = {"machineType", "tpu", "acceleratorNetworkProfile"}
    return {key: value for key, value in priority.items() if key not in shape}


def test_slices_are_had_as_the_capacity_says(register: Register) -> None:
    assert capacity_of(register, CapacityArgs(mode="spot")) == {"spot": True, **IN_THE_ZONE}
    assert capacity_of(register, CapacityArgs(mode="any-reservation")) == {
        "spot": False,
        "reservations": {"affinity": "AnyBestEffort"},
        **IN_THE_ZONE,
    }
    assert capacity_of(register, CapacityArgs(mode="flex-start", max_run_seconds=3600)) == {
        "spot": False,
        "flexStart": {"enabled": True},
        "maxRunDurationSeconds": 3600,
        **IN_THE_ZONE,
    }


def test_a_queue_is_not_for_classes() -> None:
    with pytest.raises(ValueError, match=r"makes pools of its own; nearest: flex-start$"):
        check_arguments(replace(ARGS, capacity=CapacityArgs(mode="queued")))


def test_pods_that_name_the_class_wait_for_it(register: Register) -> None:
    def program() -> None:
        class_name = TpuComputeClass("tpus", ARGS, opts=inside()).class_name
        selector = {"cloud.google.com/compute-class": class_name}
        k8s.core.v1.Pod("pod", spec={"node_selector": selector, "containers": [{"name": "ray"}]})

    recording = register(program)
    assert recording.named("pod").inputs["spec"]["nodeSelector"] == {
        "cloud.google.com/compute-class": "tpu-slices"
    }
    assert "tpus-class" in recording.waits_for("pod")


def test_a_name_that_kubernetes_refuses_is_refused_before(register: Register) -> None:
    longest = NameKind.COMPUTE_CLASS.value.longest
    with pytest.raises(ValueError, match=f"has at most {longest}; nearest: "):
        made(register, class_name="c" * (longest + 1))
