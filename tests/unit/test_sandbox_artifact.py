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


def test_its_api_has_to_be_on(tmp_path: Path) -> None:
    off = Project(tmp_path)
    with pytest.raises(CloudError, match=r"artifactregistry.googleapis.com is not enabled in"):
        repository(off)


def test_it_says_where_images_are(project: Project) -> None:
    made = repository(project)
    assert made.outputs["name"] == "hub"
    assert made.outputs["registryUri"] == f"us-east1-docker.pkg.dev/{P}/hub"
    assert repository(project, repositoryId="all", location="us").outputs["name"] == "all"


@pytest.mark.parametrize(
    ("inputs", "ending"),
    [
        ({"repositoryId": "Hub"}, r"a letter first and no hyphen last$"),
        ({"repositoryId": "h" * 64}, r"a letter first and no hyphen last$"),
        ({"location": "us-east9"}, r"us-east1.*"),
        ({"mode": "STANDARD_REPOSITORY"}, r"belongs to mode REMOTE_REPOSITORY, and that to it$"),
        ({"remoteRepositoryConfig": {}}, r"one of publicRepository and customRepository$"),
        (
            {
                "remoteRepositoryConfig": {
                    **HUB,
                    "upstreamCredentials": {
                        "usernamePasswordCredentials": {"passwordSecretVersion": "hunter2"}
                    },
                }
            },
            r"nearest: projects/PROJECT/secrets/SECRET/versions/VERSION$",
        ),
    ],
)
def test_what_google_does_not_take_is_refused(
    project: Project, inputs: dict[str, Any], ending: str
) -> None:
    with pytest.raises(CloudError, match=ending):
        repository(project, **inputs)


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
