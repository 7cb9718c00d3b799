"""The bucket and a grant on it, as registered."""

from dataclasses import replace
from typing import Any

import pulumi
import pulumi_gcp as gcp
import pytest

from components.bucket import Bucket, BucketArgs
from components.bucket_grant import BucketGrant, BucketGrantArgs, kubernetes_principal
from tests.conftest import Recording, Register, Registered

ARGS = BucketArgs(
    project="my-project",
    location="us-east1",
    bucket_name="rl-demo-data",
    labels={"stack": "test"},
    hierarchical_namespace=True,
    soft_delete_days=7,
)


def made(register: Register, **values: Any) -> Registered:
    return register(lambda: Bucket("bucket", replace(ARGS, **values))).one(":Bucket")


def granted(register: Register, bucket: pulumi.Input[str]) -> Recording:
    def program() -> None:
        member = kubernetes_principal(
            project_number=pulumi.Output.from_input("123456789012"),
            workload_pool="my-project.svc.id.goog",
            namespace="rl",
            service_account=pulumi.Output.from_input("trainer"),
        )
        args = BucketGrantArgs(bucket_name=bucket, role="roles/storage.objectUser", member=member)
        BucketGrant("access", args)

    return register(program)


def test_nobody_gets_in_but_by_a_role_on_the_bucket(register: Register) -> None:
    inputs = made(register).inputs
    assert inputs["uniformBucketLevelAccess"] is True
    assert inputs["publicAccessPrevention"] == "enforced"


def test_a_bucket_with_objects_is_not_destroyed_unless_asked(register: Register) -> None:
    assert made(register).inputs["forceDestroy"] is False
    assert made(register, force_destroy=True).inputs["forceDestroy"] is True


def test_it_can_be_protected(register: Register) -> None:
    assert not made(register).protect
    assert made(register, protect=True).protect


def test_its_location_is_spelt_as_the_api_spells_it(register: Register) -> None:
    assert made(register).inputs["location"] == "US-EAST1"


def test_only_a_flat_bucket_says_whether_it_keeps_versions(register: Register) -> None:
    tree = made(register).inputs
    assert tree["hierarchicalNamespace"] == {"enabled": True}
    assert "versioning" not in tree
    flat = made(register, hierarchical_namespace=False, versioning=True).inputs
    assert flat["hierarchicalNamespace"] == {"enabled": False}
    assert flat["versioning"] == {"enabled": True}


@pytest.mark.parametrize(("days", "seconds"), [(0, 0), (7, 604_800), (90, 7_776_000)])
def test_deleted_objects_are_kept_for_days(register: Register, days: int, seconds: int) -> None:
    policy = made(register, soft_delete_days=days).inputs["softDeletePolicy"]
    assert policy == {"retentionDurationSeconds": seconds}


def test_rules_for_objects_are_on_the_bucket_and_no_rules_are_nothing(register: Register) -> None:
    rule = gcp.storage.BucketLifecycleRuleArgs(
        action=gcp.storage.BucketLifecycleRuleActionArgs(type="Delete"),
        condition=gcp.storage.BucketLifecycleRuleConditionArgs(age=30),
    )
    rules = made(register, lifecycle_rules=[rule]).inputs["lifecycleRules"]
    assert rules == [{"action": {"type": "Delete"}, "condition": {"age": 30}}]
    assert "lifecycleRules" not in made(register).inputs


def test_an_illegal_name_is_refused_before_anything_is_made(register: Register) -> None:
    with pytest.raises(ValueError, match=r"nearest: rl-demo$"):
        made(register, bucket_name="RL_demo")
    with pytest.raises(ValueError, match=r"nearest: my-data$"):
        made(register, bucket_name="google-data")


def test_others_learn_its_name_and_its_url(register: Register) -> None:
    recording = register(lambda: Bucket("bucket", ARGS))
    outputs = recording.outputs[recording.named("bucket").urn]
    assert outputs["bucket_name"] == "rl-demo-data"
    assert outputs["url"] == "gs://rl-demo-data"


def test_a_grant_adds_one_member_and_takes_nobody_away(register: Register) -> None:
    grant = granted(register, "rl-demo-data").one("")
    assert grant.type.endswith(":BucketIAMMember")
    assert grant.inputs == {
        "bucket": "rl-demo-data",
        "role": "roles/storage.objectUser",
        "member": (
            "principal://iam.googleapis.com/projects/123456789012/locations/global/"
            "workloadIdentityPools/my-project.svc.id.goog/subject/ns/rl/sa/trainer"
        ),
    }


def test_the_bucket_is_named_after_the_grant_as_before_it(register: Register) -> None:
    for reported in ("rl-demo-data", "b/rl-demo-data"):
        recording = granted(register, reported)
        outputs = recording.outputs[recording.named("access").urn]
        assert outputs == {"bucket_name": "rl-demo-data"}
