"""What is said of an instance that the provider no longer waits for."""

import pulumi
import pytest

from stacks.given_up import GIVEN_UP, tell, warning
from stacks.refusal import LUSTRE as LUSTRE_TYPE

URN = "urn:pulumi:a::p::gke-ai:index:{component}${token}::{name}-instance"
LUSTRE = URN.format(component="LustreInstance", token="gcp:lustre/instance:Instance", name="lustre")
REDIS = URN.format(component="RedisInstance", token="gcp:redis/instance:Instance", name="redis")
GIVEN = f"Error waiting for Creating Instance: {GIVEN_UP} to become 'DONE' (last state: 'RUNNING')"


def test_it_is_told_with_the_command_that_has_it_on_record_and_the_one_that_deletes_it() -> None:
    found = "projects/q/locations/us-central1-a/instances/data"
    line = warning(LUSTRE, "lustre", found, GIVEN) or ""
    assert line.startswith("lustre-instance: the provider no longer waits for it")
    assert (
        f"pulumi import gcp:lustre/instance:Instance lustre-instance {found} --stack a --parent "
        "parent=urn:pulumi:a::p::gke-ai:index:LustreInstance::lustre --provider "
        "google=urn:pulumi:a::p::pulumi:providers:gcp::google --protect=false"
    ) in line
    place = "data --location=us-central1-a --project=q"
    assert f"gcloud lustre instances describe {place}" in line
    assert f"gcloud lustre instances delete {place}" in line


def test_the_next_create_meets_it() -> None:
    found = "projects/q/locations/us-central1/instances/queue"
    message = "Error creating Instance: googleapi: Error 409: Resource already exists"
    line = warning(REDIS, "redis", found, message) or ""
    assert "may have given it up before" in line
    assert "gcloud redis instances describe queue --region=us-central1 --project=q" in line


@pytest.mark.parametrize("message", ["", "Error 403: quota exceeded"])
def test_another_error_leaves_nothing(message: str) -> None:
    assert warning(LUSTRE, "lustre", "projects/q/locations/l/instances/data", message) is None


@pytest.mark.parametrize(
    ("operation", "message", "warnings"),
    [("create", GIVEN, 1), ("create", "quota exceeded", 0), ("delete", GIVEN, 0)],
)
def test_only_a_create_is_given_up(
    monkeypatch: pytest.MonkeyPatch, operation: str, message: str, warnings: int
) -> None:
    told: list[str] = []
    monkeypatch.setattr(pulumi.log, "warn", told.append)
    inputs = {"project": "q", "location": "us-central1-a", "instanceId": "data"}
    args = pulumi.ErrorHookArgs(
        LUSTRE,
        "id",
        "lustre-instance",
        LUSTRE_TYPE,
        new_inputs=inputs,
        failed_operation=operation,
        errors=[message],
    )
    assert tell({"lustre-instance": "lustre"}, args) is False
    assert len(told) == warnings
