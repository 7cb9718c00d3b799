"""A resource that has its cloud name under another name in the program than on record."""

from __future__ import annotations

from functools import partial
from typing import Any

import pytest

from stacks.on_record import Record
from stacks.property_paths import UNKNOWN
from stacks.renamed import renamed

BUCKET = "gcp:storage/bucket:Bucket"
POOL = "gcp:container/nodePool:NodePool"
LUSTRE = "gcp:lustre/instance:Instance"
REDIS = "gcp:redis/instance:Instance"
ACCOUNT = "gcp:serviceaccount/account:Account"
MEMBER = "gcp:storage/bucketIAMMember:BucketIAMMember"
NAMESPACE = "kubernetes:core/v1:Namespace"
QUEUE = "kubernetes:kueue.x-k8s.io/v1beta2:LocalQueue"
PLACE = {"project": "p", "location": "l", "region": "r", "cluster": "c"}
# By type: what the resource has on record, and another cloud name.
NAMED: dict[str, tuple[dict[str, Any], dict[str, Any]]] = {
    BUCKET: ({"name": "a"}, {"name": "b"}),
    POOL: ({**PLACE, "name": "a"}, {"name": "b"}),
    LUSTRE: ({**PLACE, "instanceId": "a"}, {"instanceId": "b"}),
    REDIS: ({**PLACE, "name": "a"}, {"name": "b"}),
    ACCOUNT: ({**PLACE, "accountId": "a"}, {"accountId": "b"}),
    NAMESPACE: ({"metadata": {"name": "a"}}, {"metadata": {"name": "b"}}),
    QUEUE: (
        {"metadata": {"name": "a", "namespace": "n"}},
        {"metadata": {"name": "a", "namespace": "m"}},
    ),
}


def lines(recorded: dict[tuple[str, str], Any], declared: dict[tuple[str, str], Any]) -> list[str]:
    resources = {
        f"urn:pulumi:s::p::{token}::{name}": {"type": token, "outputs": outputs}
        for (token, name), outputs in recorded.items()
    }
    later = {key: partial(dict, inputs) for key, inputs in declared.items()}
    return list(renamed(later, Record(resources)))


@pytest.mark.parametrize("token", NAMED)
def test_the_same_cloud_name_under_another_key_is_refused_and_another_one_is_not(
    token: str,
) -> None:
    had, other = NAMED[token]
    recorded = {(token, "data-part"): had}
    unknown = dict.fromkeys(("project", "cluster"), UNKNOWN) if "project" in had else {}
    (line,) = lines(recorded, {(token, "store-part"): {**had, **unknown}})
    assert line.startswith("stack: store-part would be the ")
    assert line.endswith(
        "nearest: the key data for it, as it had, or another cloud name below store"
    )
    assert lines(recorded, {(token, "store-part"): {**had, **other}}) == []
    assert lines(recorded, {(token, "data-part"): had}) == []


def test_a_key_that_gives_its_name_to_a_new_one_is_refused_too() -> None:
    recorded = {(BUCKET, "data-bucket"): {"name": "a"}}
    assert lines(
        recorded, {(BUCKET, "store-bucket"): {"name": "a"}, (BUCKET, "data-bucket"): {"name": "c"}}
    )


def test_a_name_that_is_known_later_and_a_member_of_a_role_are_not_judged() -> None:
    grant = {"bucket": "a", "role": "r", "member": "m"}
    recorded = {(BUCKET, "data-bucket"): {"name": "a"}, (MEMBER, "data-grant"): grant}
    declared = {(BUCKET, "store-bucket"): {"name": UNKNOWN}, (MEMBER, "store-grant"): grant}
    assert lines(recorded, declared) == []
