"""What the gcp stand-in refuses and replaces, from the provider's schema facts."""

from __future__ import annotations

import re
from typing import Any

import pytest

from sandbox.providers.gcp import unknown_type
from sandbox.providers.schema import GcpSchema
from sandbox.providers.values import UNKNOWN

SCHEMA = GcpSchema.load()
POOL = "gcp:container/nodePool:NodePool"
LUSTRE = "gcp:lustre/instance:Instance"


def reasons(token: str, inputs: dict[str, Any]) -> list[str]:
    return [failure.reason for failure in SCHEMA.check(token, inputs)]


def test_an_unknown_property_is_named_with_the_nearest() -> None:
    assert reasons(POOL, {"cluster": "c", "autoscalling": {}}) == [
        "autoscalling: unknown property of NodePool; nearest: autoscaling"
    ]


def test_an_unknown_property_deep_inside_is_named_by_its_path() -> None:
    inputs = {"cluster": "c", "nodeConfig": {"machinType": "e2-standard-4"}}
    assert reasons(POOL, inputs)[0].endswith(
        "nodeConfig.machinType: unknown property of NodePoolNodeConfig; nearest: machineType"
    )


def test_a_missing_required_property_is_named() -> None:
    assert reasons(POOL, {}) == ["cluster: required property is missing"]


def test_a_required_property_that_is_not_known_yet_is_not_missing() -> None:
    assert reasons(POOL, {"cluster": UNKNOWN}) == []


def test_a_value_outside_its_enum_is_refused_with_the_nearest() -> None:
    inputs = {"cluster": "c", "autoscaling": {"locationPolicy": "BALANCE"}}
    assert reasons(POOL, inputs)[0].endswith("is not one of BALANCED, ANY; nearest: BALANCED")


@pytest.mark.parametrize(
    ("inputs", "end"),
    [
        ({"cluster": "c", "initialNodeCount": "three"}, "is a str; must be a integer"),
        ({"cluster": "c", "nodeLocations": "us-east1-b"}, "is a str; must be a list"),
        ({"cluster": "c", "nodeConfig": "big"}, "is a str; must be an object"),
        ({"cluster": "c", "nodeConfig": {"labels": ["a"]}}, "is a list; must be a map"),
        ({"cluster": "c", "nodeConfig": {"spot": "yes"}}, "is a str; must be a boolean"),
    ],
)
def test_a_wrong_type_is_refused(inputs: dict[str, Any], end: str) -> None:
    assert re.search(re.escape(end) + "$", reasons(POOL, inputs)[0])


def test_a_resource_type_that_no_stack_uses_is_refused_with_the_nearest() -> None:
    assert unknown_type("gcp:lustre/instence:Instance").endswith(
        "does not know the resource type gcp:lustre/instence:Instance; "
        "nearest: gcp:lustre/instance:Instance"
    )


def replaced(token: str, old: dict[str, Any], new: dict[str, Any]) -> dict[str, bool]:
    return {difference.path: difference.replaces for difference in SCHEMA.diff(token, old, new)}


def test_the_tier_of_a_lustre_instance_replaces_it_and_its_capacity_does_not() -> None:
    old = {"perUnitStorageThroughput": "1000", "capacityGib": "9000"}
    new = {"perUnitStorageThroughput": "500", "capacityGib": "18000"}
    assert replaced(LUSTRE, old, new) == {"perUnitStorageThroughput": True, "capacityGib": False}


def test_a_node_label_updates_the_pool_and_its_accelerator_replaces_it() -> None:
    def pool(gpu: str, label: str) -> dict[str, Any]:
        accelerators = [{"type": gpu, "count": 8}]
        return {"nodeConfig": {"guestAccelerators": accelerators, "labels": {"a": label}}}

    assert replaced(POOL, pool("nvidia-b200", "x"), pool("nvidia-h200-141gb", "y")) == {
        "nodeConfig.guestAccelerators[0].type": True,
        "nodeConfig.labels.a": False,
    }


def test_a_block_that_comes_or_goes_replaces_where_the_block_itself_does() -> None:
    assert replaced(POOL, {}, {"placementPolicy": {"type": "COMPACT"}}) == {"placementPolicy": True}
    assert replaced(POOL, {}, {"autoscaling": {"maxNodeCount": 3}}) == {"autoscaling": False}


def test_a_property_unknown_as_a_whole_replaces_where_it_holds_a_field_that_does() -> None:
    pool = {"nodeConfig": {"spot": True}, "management": {"autoRepair": True}}
    assert replaced(POOL, pool, {**pool, "nodeConfig": UNKNOWN}) == {"nodeConfig": True}
    assert replaced(POOL, pool, {**pool, "management": UNKNOWN}) == {"management": False}
