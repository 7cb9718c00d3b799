"""The simulated cloud's rules for Artifact Registry; each refusal is matched at its end."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from sandbox.cloud.resource import Resource
from sandbox.errors import CloudError
from tests.unit.simulated_project import ACCOUNT, APIS, P, Project

REPOSITORY = "gcp:artifactregistry/repository:Repository"
MEMBER = "gcp:artifactregistry/repositoryIamMember:RepositoryIamMember"
HUB = {"dockerRepository": {"publicRepository": "DOCKER_HUB"}}


@pytest.fixture
def project(tmp_path: Path) -> Project:
    made = Project(tmp_path)
    made.enable(*APIS, "artifactregistry")
    return made


def repository(project: Project, **inputs: Any) -> Resource:
    wanted = {
        "repositoryId": "hub",
        "location": "us-east1",
        "format": "DOCKER",
        "mode": "REMOTE_REPOSITORY",
        "remoteRepositoryConfig": HUB,
    }
    return project.make(REPOSITORY, **{**wanted, **inputs})


def member(project: Project, email: str, **inputs: Any) -> Resource:
    wanted = {"repository": "hub", "location": "us-east1", "role": "roles/artifactregistry.reader"}
    return project.make(MEMBER, **{**wanted, "member": f"serviceAccount:{email}", **inputs})


def test_it_says_where_images_are(project: Project) -> None:
    made = repository(project)
    assert made.outputs["name"] == "hub"
    assert made.outputs["registryUri"] == f"us-east1-docker.pkg.dev/{P}/hub"
    assert repository(project, repositoryId="all", location="us").outputs["name"] == "all"


def test_a_reader_is_there_and_so_is_what_it_reads(project: Project) -> None:
    email = project.make(ACCOUNT, accountId="nodes-cpu").outputs["email"]
    with pytest.raises(CloudError, match=r"repositories/hub was not found$"):
        member(project, email)
    made = repository(project)
    with pytest.raises(CloudError, match=r"does not exist$"):
        member(project, f"nobody@{P}.iam.gserviceaccount.com")
    reader = member(project, email)
    assert reader.id.startswith(f"{made.id}/roles/artifactregistry.reader/")
    project.delete(made)
    assert project.cloud.get(reader.id) is None
