"""What the program's own guard says of a resource that is about to go. No engine here."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest
import yaml
from pydantic import TypeAdapter

from catalog import Catalog
from sandbox.providers.schema import GcpSchema
from stacks import refusal
from stacks.acknowledge import Acknowledge, entry
from stacks.refusal import CLUSTER, NODE_POOL, UNKNOWN, changed_paths

CATALOG = Catalog.load()
OLD: dict[str, Any] = {
    "cluster": "a",
    "nodeConfig": {
        "spot": True,
        "diskSizeGb": 100,
        "metadata": {"disable-legacy": "true"},
        "guestAccelerators": [{"type": "nvidia-l4", "count": 1}],
    },
}


def pool(**node: Any) -> dict[str, Any]:
    return {**OLD, "nodeConfig": {**OLD["nodeConfig"], **node}}


def causes(new: Mapping[str, Any], **more: Any) -> list[str]:
    return refusal.causes_of(NODE_POOL, OLD, new, CATALOG, **more)


def test_each_cause_is_named_at_its_full_path() -> None:
    new = pool(spot=False, guestAccelerators=[{"type": "nvidia-l4", "count": 2}])
    assert causes(new) == ["nodeConfig.guestAccelerators[0].count", "nodeConfig.spot"]


def test_what_can_be_changed_in_place_is_no_cause_beside_one_that_is() -> None:
    assert causes(pool(spot=False, diskSizeGb=200)) == ["nodeConfig.spot"]


def test_where_no_change_is_known_to_replace_all_of_them_are_causes() -> None:
    assert causes(pool(diskSizeGb=200)) == ["nodeConfig.diskSizeGb"]


def test_a_value_that_is_not_known_yet_counts_as_changed() -> None:
    assert causes({**OLD, "cluster": UNKNOWN}) == ["cluster"]


def test_a_key_of_a_map_counts_with_its_map() -> None:
    assert causes(pool(metadata={"disable-legacy": "false"}, diskSizeGb=7)) == [
        'nodeConfig.metadata["disable-legacy"]'
    ]


def test_options_of_the_resource_count_too() -> None:
    assert causes(pool(spot=False, diskSizeGb=9), ignored=["nodeConfig.spot"]) == [
        "nodeConfig.diskSizeGb"
    ]
    assert causes(pool(spot=False, diskSizeGb=9), forced=["nodeConfig.diskSizeGb"]) == [
        "nodeConfig.diskSizeGb",
        "nodeConfig.spot",
    ]


def test_what_a_provider_filled_in_itself_is_no_change() -> None:
    old = {"name": "a", "project": "p", "__defaults": ["project"]}
    assert changed_paths(old, {"name": "a"}) == []
    assert changed_paths({**old, "__defaults": []}, {"name": "a"}) == ["project"]
    assert changed_paths({"capacityGib": "9000"}, {"capacityGib": 9000}) == []


def test_an_agreement_to_another_property_lets_nothing_through() -> None:
    why = refusal.of_replaced("gpu-pool", ["nodeConfig.spot"], {"nodeConfig.diskSizeGb"})
    assert why is not None
    assert "does not agree to nodeConfig.spot;" in why


def test_every_cause_has_to_be_agreed_to() -> None:
    both = ["maxPodsPerNode", "nodeConfig.spot"]
    why = refusal.of_replaced("gpu-pool", both, {"nodeConfig.spot"})
    assert why is not None
    assert "does not agree to maxPodsPerNode;" in why
    assert refusal.of_replaced("gpu-pool", both, both) is None


def test_an_agreement_to_the_block_is_not_one_to_what_is_in_it() -> None:
    assert refusal.of_replaced("gpu-pool", ["nodeConfig.spot"], {"nodeConfig"})


def test_the_refusal_has_the_text_that_lets_it_through() -> None:
    path = 'nodeConfig.metadata["disable-legacy"]'
    why = refusal.of_replaced("gpu-pool", [path], ())
    assert why is not None
    pasted = why.partition("nearest: ")[2].removesuffix(" under stack")
    agreed = TypeAdapter(tuple[Acknowledge, ...]).validate_python(
        yaml.safe_load(pasted)["acknowledge"]
    )
    paths = refusal.agreed_to("gpu-pool", agreed)
    assert refusal.of_replaced("gpu-pool", [path], paths) is None


@pytest.mark.parametrize("text", ["on", "null", "a: b", 'labels["a/b"]', "12", "x # y", "{a}"])
def test_an_entry_reads_back_as_it_was(text: str) -> None:
    assert yaml.safe_load(entry(text, text)) == {"resource": text, "property": text}


def test_a_removal_needs_its_own_word() -> None:
    why = refusal.of_removed("gpu-pool", {"nodeConfig.spot"})
    assert why is not None
    assert "nearest: acknowledge: [{resource: gpu-pool, property: removed}]" in why
    assert refusal.of_removed("gpu-pool", {"removed"}) is None


def test_one_that_goes_before_its_turn_needs_a_property_that_it_hangs_by() -> None:
    assert refusal.of_dependent("gpu-pool", ["cluster"], {"nodeConfig.spot", "removed"})
    assert refusal.of_dependent("gpu-pool", ["cluster"], {"cluster"}) is None


def test_protection_goes_in_a_run_of_its_own() -> None:
    assert "nearest: " in refusal.of_unprotected("gpu-pool")


def test_an_object_goes_only_with_a_cluster_that_was_agreed_to() -> None:
    cluster = Acknowledge(resource="gke-cluster", property="name")
    assert refusal.of_object("kueue-release", ["gke-cluster"], [cluster]) is None
    assert refusal.of_object("kueue-release", ["gke-cluster"], [])


def test_one_that_does_not_change_goes_with_another_or_not_at_all() -> None:
    assert refusal.of_replaced("gpu-pool", [], {"nodeConfig.spot"})
    assert refusal.of_replaced("gpu-pool", [], {"replaceWith"}) is None


def test_an_agreement_that_cannot_match_is_told() -> None:
    entries = [
        Acknowledge(resource="gpu-pool", property="removed"),
        Acknowledge(resource="old-pool", property="nodeConfig.spot"),
        Acknowledge(resource="gpu-pool", property="nodeConfig.spot"),
        Acknowledge(resource="old-pool", property="removed"),
    ]
    lines = refusal.out_of_place(entries, {"gpu-pool"})
    assert [line.partition(" matches")[0] for line in lines] == [
        "stack.acknowledge: removed of gpu-pool",
        "stack.acknowledge: nodeConfig.spot of old-pool",
    ]


@pytest.mark.parametrize(
    ("token", "old", "new"),
    [
        (NODE_POOL, OLD, pool(spot=False)),
        (NODE_POOL, OLD, pool(diskSizeGb=7)),
        (NODE_POOL, OLD, {**OLD, "maxPodsPerNode": 32}),
        (NODE_POOL, OLD, pool(guestAccelerators=[])),
        (NODE_POOL, OLD, {**OLD, "networkConfig": {"podRange": "b"}}),
        (CLUSTER, {"location": "a"}, {"location": "b"}),
        (CLUSTER, {"minMasterVersion": "1"}, {"minMasterVersion": "2"}),
        ("gcp:lustre/instance:Instance", {"capacityGib": "9"}, {"capacityGib": "18"}),
        ("gcp:lustre/instance:Instance", {"kmsKey": "9"}, {"kmsKey": "18"}),
        (
            "gcp:redis/instance:Instance",
            {"memorySizeGb": 1, "authEnabled": False, "labels": {"a": "b"}},
            {"memorySizeGb": 5, "authEnabled": True, "labels": {"a": "c"}},
        ),
        (
            "gcp:redis/instance:Instance",
            {},
            {
                **dict.fromkeys(["authorizedNetwork", "connectMode", "locationId", "name"], "a"),
                **dict.fromkeys(["project", "region", "reservedIpRange", "tier"], "a"),
                "transitEncryptionMode": "a",
            },
        ),
        ("gcp:storage/bucket:Bucket", {"location": "us"}, {}),
        ("gcp:compute/network:Network", {"mtu": 1460}, {"mtu": 8896}),
    ],
)
def test_the_catalog_and_the_providers_schema_agree_on_what_replaces(
    token: str, old: dict[str, Any], new: dict[str, Any]
) -> None:
    for one in GcpSchema.load().diff(token, old, new):
        assert CATALOG.replaces(token, one.path) is one.replaces, one.path
