"""The guard over steps as the engine reports them: what is named, and what lets it pass."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from catalog import Catalog
from review.change import changes_of
from review.danger import Danger, dangers_of, spent, warnings_of
from review.step import EngineStep
from review.values import UNKNOWN
from stacks.acknowledge import Acknowledge
from stacks.agreements import Agreements
from stacks.refusal import NAMESPACE, RELEASE, is_guarded
from stacks.running_work import Stop
from tests.review.test_changes import POOL, step

CATALOG = Catalog.load()
LUSTRE, BUCKET = "gcp:lustre/instance:Instance", "gcp:storage/bucket:Bucket"
CLUSTER, NETWORK = "gcp:container/cluster:Cluster", "gcp:compute/network:Network"
SPOT: dict[str, Any] = {
    "autoscaling": {"totalMinNodeCount": 0, "totalMaxNodeCount": 4},
    "nodeConfig": {
        "machineType": "a4-highgpu-8g",
        "spot": True,
        "guestAccelerators": [{"type": "nvidia-b200", "count": 8}],
    },
}
RESERVED: dict[str, Any] = {
    "nodeCount": 2,
    "nodeConfig": {
        "machineType": "a3-ultragpu-8g",
        "reservationAffinity": {
            "consumeReservationType": "SPECIFIC_RESERVATION",
            "values": ["ours"],
        },
    },
}
DELETE_AFTER_7 = {"action": {"type": "Delete"}, "condition": {"age": 7, "withState": "ANY"}}
TO_COLDLINE = {"action": {"type": "SetStorageClass"}, "condition": {"age": 7}}
WEEK = {"softDeletePolicy": {"retentionDurationSeconds": 604800}}
SLICE = {"nodeCount": 4, "nodeConfig": {"machineType": "ct6e-standard-4t"}}


def danger(name: str, operation: str, token: str = POOL, **more: Any) -> list[Danger]:
    return dangers_of(changes_of([step(name, operation, token, **more)]), CATALOG)


@pytest.mark.parametrize(
    ("inputs", "radius"),
    [
        (SPOT, "32 GPUs taken away; spot machines may not be had again"),
        (RESERVED, "16 GPUs taken away; the reservation ours keeps the machines"),
        (SLICE, "16 TPUs taken away; on-demand machines may not be had again"),
        (
            {**SLICE, "queuedProvisioning": {"enabled": True}},
            "16 TPUs taken away; queued machines have to be waited for again",
        ),
        (
            {"nodeConfig": {"machineType": "z9-new"}},
            "an unknown number of accelerators taken away; on-demand machines may not be had again",
        ),
    ],
)
def test_a_replaced_pool_says_what_is_taken_away_and_whether_it_comes_back(
    inputs: dict[str, Any], radius: str
) -> None:
    (found,) = danger("gpu", "replace", old=inputs, keys=("nodeConfig",))
    assert found.radius == radius


@pytest.mark.parametrize(
    ("token", "inputs", "radius"),
    [
        (LUSTRE, {"capacityGib": "9000"}, "all data on 9000 GiB lost"),
        (
            "gcp:redis/instance:Instance",
            {"memorySizeGb": 5},
            "all data in 5 GiB lost: Ray clusters on it forget their actors and jobs",
        ),
        (BUCKET, {}, "data kept: the delete fails unless the bucket is empty"),
        (
            BUCKET,
            {"forceDestroy": True, "softDeletePolicy": {"retentionDurationSeconds": 604800}},
            "all objects lost; soft delete keeps them for 7 days",
        ),
        (BUCKET, {"forceDestroy": True}, "all objects lost"),
        (NAMESPACE, {}, "every object in it is deleted: workloads, claims, secrets"),
        (
            RELEASE,
            {"name": "kueue"},
            "Kueue's definitions go, and with them every queue and workload in the cluster",
        ),
        (CLUSTER, {}, "every node, pod and object of the cluster lost; data outside of it kept"),
        (
            NETWORK,
            {"networkProfile": "vpc-roce"},
            "RDMA between all nodes on it lost; the pools on it go too; no data lost",
        ),
    ],
)
def test_a_deleted_resource_says_what_is_lost(
    token: str, inputs: dict[str, Any], radius: str
) -> None:
    (found,) = danger("it", "delete", token, old=inputs)
    assert (found.properties, found.radius) == (("removed",), radius)


def test_a_pool_without_accelerators_is_none_of_the_guards_business() -> None:
    assert danger("cpu", "delete", old={"nodeConfig": {"machineType": "e2-standard-4"}}) == []


def test_a_release_of_another_chart_is_none_of_the_guards_business() -> None:
    assert danger("kuberay", "delete", RELEASE, old={"name": "kuberay"}) == []


def test_an_object_that_goes_with_its_cluster_is_told_by_the_cluster_alone() -> None:
    cluster = step("gke-cluster", "replace", CLUSTER, keys=("name",))
    with_it = changes_of([cluster, step("ours", "replace", NAMESPACE)])
    assert [it.resource for it in dangers_of(with_it, CATALOG)] == ["gke-cluster"]
    removed = changes_of([cluster, step("ours", "delete", NAMESPACE)])
    assert {it.resource for it in dangers_of(removed, CATALOG)} == {"gke-cluster", "ours"}
    alone = changes_of([step("ours", "replace", NAMESPACE, keys=("metadata.name",))])
    assert [it.properties for it in dangers_of(alone, CATALOG)] == [("metadata.name",)]


def agreed(*entries: Acknowledge, config: str = "00000000") -> Agreements:
    return Agreements(entries, config)


def test_only_the_very_change_that_was_agreed_to_passes() -> None:
    changes = changes_of(
        [
            step(
                "gpu",
                "replace",
                old={**SPOT, "a": 1, "b": 1},
                new={**SPOT, "a": 2},
                keys=("a", "b"),
            )
        ]
    )
    to_2 = Acknowledge(resource="gpu", property="a", to=2)
    gone = Acknowledge(resource="gpu", property="b", to="removed")
    other = Acknowledge(resource="cpu", property="b", to="removed")
    for entries, passes in (
        ([to_2, gone], True),
        ([to_2], False),
        ([to_2, other], False),
        ([Acknowledge(resource="gpu", property="a", to=3), gone], False),
        ([Acknowledge(resource="gpu", property="a"), gone], False),
    ):
        (found,) = dangers_of(changes, CATALOG, agreed(*entries))
        assert found.acknowledged is passes
    (found,) = dangers_of(changes, CATALOG)
    assert found.entries == (
        "{resource: gpu, property: a, to: 2}",
        "{resource: gpu, property: b, to: removed}",
    )


def test_what_goes_with_another_is_agreed_to_by_the_config_that_it_comes_to() -> None:
    network = step("vpc", "replace", NETWORK, keys=("name",), old={"name": "a"}, new={"name": "b"})
    pool = step("gpu", "replace", old={**SPOT, "network": "a"}, new=SPOT, keys=("network",))
    state = [{"urn": pool.urn, "propertyDependencies": {"network": [network.urn]}}]
    pool = replace(pool, new={**SPOT, "network": UNKNOWN})
    (found,) = [
        it
        for it in dangers_of(changes_of([network, pool], state), CATALOG, agreed())
        if it.resource == "gpu"
    ]
    assert found.entries == ("{resource: gpu, to: config 00000000}",)
    one = Acknowledge(resource="gpu", to="config 00000000")
    (passes,) = [
        it
        for it in dangers_of(changes_of([network, pool], state), CATALOG, agreed(one))
        if it.resource == "gpu"
    ]
    assert passes.acknowledged


def test_an_entry_for_what_the_change_leaves_is_spent() -> None:
    one = Acknowledge(resource="gpu", property="nodeConfig.spot", to=False)
    (found,) = danger("gpu", "replace", old=SPOT, keys=("nodeConfig",))
    assert spent([one], [found], ()) == []
    assert spent([one], [], ()) == [one]
    stop = Stop("training-job", "jobs.training runs on 64 GPUs", "is replaced", "replaced")
    assert spent([Acknowledge(resource="training-job", to="config 0")], [], [stop]) == []


def test_an_update_that_makes_the_nodes_anew_is_warned_of() -> None:
    after = {"nodeConfig": {"machineType": "a3-ultragpu-8g"}}
    paths = {"nodeConfig.machineType": "update"}
    changes = changes_of([step("gpu", "update", old=SPOT, new=after, paths=paths)])
    (line,) = warnings_of(changes, CATALOG)
    assert line.endswith(
        "(nodeConfig.machineType: a4-highgpu-8g -> a3-ultragpu-8g): "
        "spot machines may not be had again"
    )
    assert warnings_of(changes_of([step("gpu", "update", old=SPOT)]), CATALOG) == []


def test_a_right_that_an_identity_loses_is_warned_of() -> None:
    token = "gcp:storage/bucketIAMMember:BucketIAMMember"
    old = {"member": "ns/default", "role": "roles/storage.objectUser", "bucket": "ours"}
    (line,) = warnings_of(changes_of([step("grant", "replace", token, old=old)]), CATALOG)
    assert line == (
        "grant: ns/default loses roles/storage.objectUser on ours, and what runs as it fails there"
    )
    assert warnings_of(changes_of([step("grant", "create", token)]), CATALOG) == []


TOKENS = st.sampled_from([POOL, LUSTRE, BUCKET, CLUSTER, NETWORK, "gcp:compute/router:Router"])
INPUTS = st.sampled_from([SPOT, RESERVED, SLICE, {"nodeConfig": {"machineType": "e2-standard-4"}}])
OPERATIONS = st.sampled_from(
    [
        "same",
        "create",
        "update",
        "replace",
        "create-replacement",
        "delete-replaced",
        "delete",
        "read",
        "discard",
        "discard-replaced",
        "import",
    ]
)
LOSING = {
    "replace",
    "create-replacement",
    "delete-replaced",
    "delete",
    "discard",
    "discard-replaced",
}
STEPS = st.lists(
    st.builds(
        lambda name, token, operation, inputs, keys: step(
            name, operation, token, old=inputs, new=inputs, keys=tuple(keys)
        ),
        st.sampled_from("abcd"),
        TOKENS,
        OPERATIONS,
        INPUTS,
        st.lists(st.sampled_from(["nodeConfig", "name"]), unique=True),
    ),
    max_size=12,
)


@given(STEPS)
def test_the_guard_is_never_silent_where_a_step_takes_something_away(
    steps: list[EngineStep],
) -> None:
    named = {danger.resource for danger in dangers_of(changes_of(steps), CATALOG)}
    by_urn: dict[str, list[EngineStep]] = {}
    for one in steps:
        by_urn.setdefault(one.urn, []).append(one)
    for own in by_urn.values():
        lost = any(one.operation in LOSING for one in own)
        if lost and is_guarded(own[0].type, own[0].old or {}, CATALOG):
            assert own[0].urn.rpartition("::")[2] in named


@given(STEPS)
def test_nothing_passes_unless_each_of_its_causes_was_agreed_to(steps: list[EngineStep]) -> None:
    entries = [Acknowledge(resource=name, property="name", to="removed") for name in "abcd"]
    for danger_ in dangers_of(changes_of(steps), CATALOG, agreed(*entries)):
        assert danger_.acknowledged is (set(danger_.properties) == {"name"})


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ({}, {"lifecycleRules": [DELETE_AFTER_7]}, "deletes the objects that a new rule is for"),
        ({"lifecycleRules": [DELETE_AFTER_7]}, {"lifecycleRules": [DELETE_AFTER_7]}, ""),
        ({"lifecycleRules": [DELETE_AFTER_7]}, {}, ""),
        ({}, {"lifecycleRules": [TO_COLDLINE]}, ""),
        (WEEK, {"softDeletePolicy": {"retentionDurationSeconds": 0}}, "for 0 days, 7 before"),
        ({}, WEEK, ""),
    ],
)
def test_an_update_in_place_that_loses_objects_is_warned_of(
    old: dict[str, Any], new: dict[str, Any], said: str
) -> None:
    lines = warnings_of(changes_of([step("data", "update", BUCKET, old=old, new=new)]), CATALOG)
    assert [said in line for line in lines] == ([True] if said else [])
