"""The bucket and a grant on it, as registered."""

from dataclasses import replace
from typing import Any

import pulumi
import pytest

from components.buckets.bucket import Bucket, BucketArgs
from components.buckets.grant import BucketGrant, BucketGrantArgs, kubernetes_principal
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


def test_it_can_be_protected(register: Register) -> None:
    assert not made(register).protect
    assert made(register, protect=True).protect


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


def test_the_bucket_is_named_after_the_grant_as_before_it(register: Register) -> None:
    for reported in ("rl-demo-data", "b/rl-demo-data"):
        recording = granted(register, reported)
        outputs = recording.outputs[recording.named("access").urn]
        assert outputs == {"bucket_name": "rl-demo-data"}
