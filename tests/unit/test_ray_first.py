"""What cannot be done while Ray clusters stand, by what is on record of them."""

from __future__ import annotations

from typing import Any

import pytest

from stacks.changes import check
from stacks.config import validate
from stacks.on_record import Record
from stacks.two_runs import TwoRunsError
from tests.conftest import changed, stack_config
from tests.programs import WITH_TOKEN, registered


def refusal(before: dict[str, Any], after: dict[str, Any]) -> str:
    made = registered(validate(before, secrets_set=WITH_TOKEN), stack="test").resources
    record = Record({it.urn: {"type": it.type, "outputs": it.inputs} for it in made})
    try:
        check(validate(after, secrets_set=WITH_TOKEN), record, "test")
    except TwoRunsError as error:
        return str(error)
    return ""


VERL = stack_config("verl-b200")
UNTESTED = changed(VERL, **{"ray__b200-ray-cluster__nccl_test": None})
FASTER = {"minimum_bus_bandwidth_gbps": 300}
CHART = changed(stack_config("dev"), cluster__ray_operator="helm")


@pytest.mark.parametrize(
    ("before", "after", "line"),
    [
        (stack_config("dev"), CHART, "stack.cluster.ray_operator: addon -> helm"),
        (CHART, stack_config("dev"), "stack.cluster.ray_operator: helm -> addon"),
    ],
)
def test_ray_goes_first(before: dict[str, Any], after: dict[str, Any], line: str) -> None:
    said = refusal(before, after)
    assert line in said
    assert "  pulumi destroy --stack test --target 'urn:" in said
    assert said.index("pulumi destroy") < said.index("  pulumi up --stack test")


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (VERL, VERL),
        (UNTESTED, VERL),
        (VERL, UNTESTED),
        (VERL, changed(VERL, **{"ray__b200-ray-cluster__nccl_test": FASTER})),
        (VERL, changed(VERL, labels__purpose="other")),
        (changed(stack_config("dev"), ray=None, cluster__ray_operator="addon"), CHART),
    ],
    ids=[
        "as it is",
        "a test",
        "a test taken out",
        "another test",
        "labels",
        "the first Ray cluster",
    ],
)
def test_ray_stays_for_all_else(before: dict[str, Any], after: dict[str, Any]) -> None:
    assert refusal(before, after) == ""


LAB = stack_config("lab")


def test_the_last_ray_cluster_that_goes_is_named_and_no_key_that_nobody_wrote() -> None:
    """GKE's add-on for Ray follows from the Ray clusters of the stack."""
    after = changed(LAB, ray=None, jobs=None)
    said = refusal(LAB, after)
    assert "  the Ray cluster (stack.ray.lab): there -> none\n" in said
    assert "stack.cluster.ray_operator: addon -> helm" not in said
    assert said.endswith(
        "Or, in one run: stack.cluster.ray_operator: addon, which keeps the add-on without Ray "
        "clusters"
    )
    assert refusal(LAB, changed(after, cluster__ray_operator="addon")) == ""
