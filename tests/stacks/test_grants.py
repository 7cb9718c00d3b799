"""A grant that is made anew as it was is there afterwards: the cloud takes a second one for the
first, and the first delete takes away both."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pulumi
import pulumi_gcp as gcp
import pytest

from tests.stacks.by_hand import taint
from tests.stacks.config_sandbox import config_sandbox
from tests.stacks.conftest import Sandbox
from tests.stacks.program_sandbox import ProgramSandbox

pytestmark = pytest.mark.thorough

BUCKET_MEMBER = "gcp:storage/bucketIAMMember:BucketIAMMember"
PROJECT_MEMBER = "gcp:projects/iAMMember:IAMMember"
REPOSITORY_MEMBER = "gcp:artifactregistry/repositoryIamMember:RepositoryIamMember"
POD = {"requests": {"cpu": 1, "memory_gib": 2, "ephemeral_storage_gib": 8}}
STACK: dict[str, Any] = {
    "name": "held",
    "deletion_protection": False,
    "cluster": {"location": "zonal"},
    "pools": {
        "gpu": {"machine_type": "g2-standard-8", "nodes": 1},
        "cpu": {"machine_type": "e2-standard-4", "nodes": 1},
    },
    "buckets": {"data": {"name": "held-data"}},
    "ray": {"main": {"head": POD, "workers": {"cpu": POD}}},
}


def grants(sandbox: Sandbox | ProgramSandbox, token: str) -> list[str]:
    return sorted(it.id for it in sandbox.workspace.cloud().find(token))


def program() -> None:
    """A grant without `delete_before_replace`."""
    api = gcp.projects.Service("api", service="storage.googleapis.com", disable_on_destroy=False)
    options = pulumi.ResourceOptions(depends_on=[api])
    bucket = gcp.storage.Bucket("bucket", name="plain-data", location="US-EAST1", opts=options)
    gcp.storage.BucketIAMMember(
        "grant", bucket=bucket.name, role="roles/storage.objectViewer", member="allUsers"
    )


def test_a_plain_grant_that_is_made_anew_is_lost(tmp_path: Path, saved_at_the_end: None) -> None:
    sandbox = ProgramSandbox(tmp_path, "plain", __name__)
    assert sandbox.run("up").ok
    assert len(grants(sandbox, BUCKET_MEMBER)) == 1
    taint(Sandbox(sandbox.workspace), "grant")
    assert sandbox.run("up").ok
    assert grants(sandbox, BUCKET_MEMBER) == []
    assert any(
        it["urn"].endswith("::grant") for it in Sandbox(sandbox.workspace).state()["resources"]
    )


@pytest.mark.parametrize(
    ("name", "token"),
    [
        ("data-user-grant", BUCKET_MEMBER),
        ("cpu-nodes-role", PROJECT_MEMBER),
        ("images-docker-io-cpu-reader", REPOSITORY_MEMBER),
    ],
)
def test_a_grant_of_a_stack_that_is_made_anew_is_there_afterwards(
    tmp_path: Path, saved_at_the_end: None, name: str, token: str
) -> None:
    sandbox = config_sandbox(tmp_path, **STACK)
    sandbox.succeed("up")
    before = grants(sandbox, token)
    assert before
    taint(sandbox, name)
    sandbox.succeed("up")
    assert grants(sandbox, token) == before
