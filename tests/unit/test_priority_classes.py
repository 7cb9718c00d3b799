"""Priority classes, as registered."""

import pulumi_kubernetes as k8s
import pytest

from components.base.component import check_arguments
from components.queues.priority_classes import (
    PriorityClassArgs,
    PriorityClasses,
    PriorityClassesArgs,
)
from tests.conftest import Recording, Register, inside

DEFAULT = PriorityClassArgs(
    name="default", value=10, preempts=False, global_default=True, description="Waits."
)
HIGH = PriorityClassArgs(name="high", value=30)


def made(register: Register, *classes: PriorityClassArgs) -> Recording:
    args = PriorityClassesArgs(classes=classes, labels={"stack": "test"})
    return register(lambda: PriorityClasses("priorities", args, opts=inside()))


def test_a_class_is_what_kubernetes_has_for_it(register: Register) -> None:
    recording = made(register, DEFAULT, HIGH)
    default = recording.named("priorities-default").inputs
    assert default["metadata"] == {"name": "default", "labels": {"stack": "test"}}
    assert default["value"] == 10
    assert default["preemptionPolicy"] == "Never"
    assert default["globalDefault"] is True
    assert default["description"] == "Waits."
    high = recording.named("priorities-high").inputs
    assert high["preemptionPolicy"] == "PreemptLowerPriority"
    assert "globalDefault" not in high


def test_what_kubernetes_does_not_let_change_replaces_the_class(register: Register) -> None:
    one = made(register, HIGH).named("priorities-high")
    assert one.replace_on_changes == ("value", "preemptionPolicy")
    assert one.delete_before_replace


def test_pods_that_take_a_name_wait_for_the_class(register: Register) -> None:
    def program() -> None:
        args = PriorityClassesArgs(classes=[HIGH], labels={})
        names = PriorityClasses("priorities", args, opts=inside()).class_names
        k8s.core.v1.Pod("pod", spec={"priority_class_name": names["high"], "containers": []})

    recording = register(program)
    assert recording.named("pod").inputs["spec"]["priorityClassName"] == "high"
    assert "priorities-high" in recording.waits_for("pod")


def test_a_value_that_kubernetes_keeps_for_itself_is_refused() -> None:
    with pytest.raises(ValueError, match=r"leaves to us; nearest: 1000000000$"):
        check_arguments(PriorityClassArgs(name="top", value=1_000_000_001))
