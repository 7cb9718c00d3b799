"""A store of data that is no longer on record, and what is said before an empty one is made."""

from __future__ import annotations

from typing import Any

import pulumi
import pulumi_gcp as gcp
import pulumi_kubernetes as k8s
import pytest

from stacks import made_anew, released_volumes
from stacks.by_hand import without_its_claim
from stacks.on_record import Record
from stacks.released_volumes import without_its_instance
from tests.conftest import Register

LUSTRE = "gcp:lustre/instance:Instance"
INSTANCE = "gke-ai:index:LustreInstance"
VOLUME = "kubernetes:core/v1:PersistentVolume"
CLAIM = "kubernetes:core/v1:PersistentVolumeClaim"
VOLUME_AND_CLAIM = "gke-ai:index:LustreVolume"
RAY = "kubernetes:ray.io/v1:RayCluster"
HANDLE = "p/z/fast"
ON_RECORD: dict[tuple[str, str], dict[str, Any]] = {
    (INSTANCE, "lustre"): {"instance_name": "fast", "handle": HANDLE},
    (VOLUME, "volume-volume"): {
        "spec": {"csi": {"volumeHandle": HANDLE}, "claimRef": {"name": "fast-pvc"}}
    },
    (RAY, "main-cluster"): {"spec": {"volumes": [{"claimName": "fast-pvc"}]}},
    (RAY, "other-cluster"): {"metadata": {"name": "fast"}},
}
# By type: the output of its component by which objects name it, and such an object.
OTHERS: dict[str, tuple[dict[str, Any], dict[str, Any]]] = {
    "gcp:storage/bucket:Bucket": ({"bucket_name": "runs"}, {"bucketName": "runs"}),
    "gcp:redis/instance:Instance": (
        {"address": "redis://10.0.0.3:6379"},
        {"env": [{"value": "redis://10.0.0.3:6379"}]},
    ),
}


def record(resources: dict[tuple[str, str], dict[str, Any]]) -> Record:
    return Record(
        {
            f"urn:pulumi:s::p::{token}::{name}": {"type": token, "outputs": outputs}
            for (token, name), outputs in resources.items()
        }
    )


def test_what_mounts_the_one_that_is_gone_is_named_by_its_volume_and_its_claim() -> None:
    (line,) = made_anew.made_anew(
        record(ON_RECORD), (LUSTRE, "lustre-instance"), (INSTANCE, "lustre")
    )
    assert line == (
        "lustre-instance is made anew and empty, for the one that lustre had is no longer on "
        "record; on record with it: volume-volume, main-cluster"
    )


@pytest.mark.parametrize("token", OTHERS)
def test_a_bucket_and_a_redis_are_told_with_what_names_them(token: str) -> None:
    outputs, user = OTHERS[token]
    there = record({("c:c:C", "data"): outputs, (RAY, "main-cluster"): {"spec": user}})
    (line,) = made_anew.made_anew(there, (token, "data-part"), ("c:c:C", "data"))
    assert line.endswith("; on record with it: main-cluster")


def test_a_program_that_makes_an_empty_one_warns_of_it(
    register: Register, monkeypatch: pytest.MonkeyPatch
) -> None:
    said: list[str] = []
    monkeypatch.setattr("pulumi.log.warn", said.append)
    there = record({("c:c:C", "data"): {"bucket_name": "runs"}})

    def program() -> None:
        made_anew.install(there)
        parent = pulumi.ResourceOptions(parent=pulumi.ComponentResource("c:c:C", "data"))
        gcp.storage.Bucket("data-bucket", location="US", opts=parent)

    register(program)
    (line,) = said
    assert line.startswith("data-bucket is made anew and empty, for the one that data had is no")


def test_what_stands_and_what_was_never_made_are_not_told() -> None:
    stands = {**ON_RECORD, (LUSTRE, "lustre-instance"): {}}
    for resources in (stands, {}, {(INSTANCE, "lustre"): {}}):
        found = record(resources)
        told = made_anew.made_anew(found, (LUSTRE, "lustre-instance"), (INSTANCE, "lustre"))
        assert list(told) == []


def test_a_volume_goes_with_the_instance_of_the_stack_and_not_with_one_of_others() -> None:
    def gone(resources: dict[tuple[str, str], dict[str, Any]]) -> bool:
        there = record(resources)
        return without_its_instance(there, there.of_type(VOLUME)[0])

    assert gone(ON_RECORD)
    assert not gone({**ON_RECORD, (LUSTRE, "lustre-instance"): {}})
    assert not gone({key: it for key, it in ON_RECORD.items() if key[0] != INSTANCE})


def test_a_volume_was_bound_once_a_claim_was_made_for_this_very_one() -> None:
    claim = {"metadata": {"namespace": "default", "name": "data-pvc"}}
    volume = {
        "metadata": {"uid": "second"},
        "spec": {"claimRef": {"namespace": "default", "name": "data-pvc"}},
    }

    def released(bound: dict[str, str], **claims: dict[str, Any]) -> bool:
        there = record(
            {
                (VOLUME, "data-volume"): volume,
                (VOLUME_AND_CLAIM, "data"): bound,
                **{(CLAIM, name): it for name, it in claims.items()},
            }
        )
        return without_its_claim(there, there.of_type(VOLUME)[0])

    assert released({"bound": "second"})
    assert not released({"bound": "second"}, data_claim=claim)
    assert not released({"bound": "first"})
    assert not released({})


TIMES = "gke-ai-stacks/claims"


@pytest.mark.parametrize(
    ("before", "handles", "number"),
    [(None, [HANDLE], "1"), ("1", [HANDLE], "2"), ("1", [], "1"), (None, [], None)],
)
def test_a_volume_whose_instance_is_gone_gets_a_number_that_makes_it_anew(
    register: Register, before: str | None, handles: list[str], number: str | None
) -> None:
    """And the one that was made anew keeps its number."""
    outputs = {
        "metadata": {"annotations": {} if before is None else {TIMES: before}},
        "spec": {"csi": {"volumeHandle": HANDLE}},
    }
    instances = {(INSTANCE, it): {"handle": it} for it in handles}
    there = record({(VOLUME, "data-volume"): outputs, **instances})

    def program() -> None:
        released_volumes.install(there)
        k8s.core.v1.PersistentVolume(
            "data-volume", metadata={"name": "data", "annotations": {"own": "kept"}}
        )

    made = register(program).named("data-volume")
    counted = {} if number is None else {TIMES: number}
    assert made.inputs["metadata"]["annotations"] == {"own": "kept", **counted}
    assert made.replace_on_changes == (() if number is None else ("metadata.annotations",))
