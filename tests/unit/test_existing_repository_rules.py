"""Whether a repository that exists already has the images of the registry that it is named for, and
whether disks can be made of a disk image."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from catalog import Catalog
from components.existing_facts import DiskImageFacts, RepositoryFacts
from stacks.parts.images.existing_rules import (
    RepositoryNeeds,
    disk_advice,
    disk_problems,
    repository_advice,
    repository_problems,
)
from stacks.parts.images.plan import DiskImage
from tests.unit.problem_lines import lines, only

REPOSITORY = RepositoryFacts(
    project="p",
    location="us-east1",
    name="mirror",
    format="DOCKER",
    mode="REMOTE_REPOSITORY",
    upstream="https://nvcr.io",
    labels={},
)
OF_NVCR = RepositoryNeeds(host="nvcr.io", streams=True)
STANDARD: dict[str, Any] = {"mode": "STANDARD_REPOSITORY", "upstream": None}
VIRTUAL: dict[str, Any] = {"mode": "VIRTUAL_REPOSITORY", "upstream": None}
DISK = "pools.gpu.secondary_boot_disk"
CATALOG = Catalog.load()


@pytest.mark.parametrize(
    ("host", "upstream"),
    [
        ("nvcr.io", "https://nvcr.io"),
        ("nvcr.io", "https://nvcr.io/"),
        ("docker.io", "DOCKER_HUB"),
        ("docker.io", "https://registry-1.docker.io"),
        ("index.docker.io", "DOCKER_HUB"),
        ("registry.example.com:5000", "https://registry.example.com:5000"),
        # Repositories of Artifact Registry, whose own upstreams nobody reads here.
        ("nvcr.io", "projects/p/locations/us/repositories/r"),
        ("nvcr.io", "https://us-docker.pkg.dev/p/r"),
    ],
)
def test_a_mirror_of_the_registry_has_no_problem(host: str, upstream: str) -> None:
    found, needs = replace(REPOSITORY, upstream=upstream), replace(OF_NVCR, host=host)
    assert lines(repository_problems(found, needs, CATALOG)) == []
    assert lines(repository_advice(found, needs)) == []


@pytest.mark.parametrize(
    ("found", "line"),
    [
        (
            {"format": "PYTHON"},
            'images.repositories.nvcr.io: "mirror" is of format PYTHON, and images are in those of '
            "format DOCKER; nearest: one of format DOCKER",
        ),
        (
            {"upstream": "DOCKER_HUB"},
            'images.repositories.nvcr.io: "mirror" mirrors docker.io, so it has no image of '
            "nvcr.io; nearest: images.repositories.docker.io",
        ),
        (
            {"upstream": "https://ghcr.io"},
            'images.repositories.nvcr.io: "mirror" mirrors ghcr.io, so it has no image of nvcr.io; '
            "nearest: images.repositories.ghcr.io",
        ),
    ],
)
def test_one_that_has_no_image_of_the_registry_is_refused(found: dict[str, Any], line: str) -> None:
    assert only(repository_problems(replace(REPOSITORY, **found), OF_NVCR, CATALOG)) == line


@pytest.mark.parametrize(
    ("found", "words"),
    [
        (STANDARD, "has what was pushed into it and pulls nothing of nvcr.io; nearest: a remote"),
        (VIRTUAL, "images stream out of standard and remote ones; nearest: the remote one behind"),
    ],
)
def test_one_that_pulls_or_streams_nothing_is_advice(found: dict[str, Any], words: str) -> None:
    repository = replace(REPOSITORY, **found)
    assert words in only(repository_advice(repository, OF_NVCR))
    assert lines(repository_problems(repository, OF_NVCR, CATALOG)) == []


def test_a_virtual_one_is_as_good_where_nothing_streams() -> None:
    needs = replace(OF_NVCR, streams=False)
    assert lines(repository_advice(replace(REPOSITORY, **VIRTUAL), needs)) == []


@pytest.mark.parametrize("status", ["PENDING", "FAILED", "DELETING"])
def test_disks_are_made_of_an_image_that_is_ready(status: str) -> None:
    ready = DiskImageFacts(project="p", name="trainer", status="READY")
    assert lines(disk_problems(DISK, ready)) == []
    assert only(disk_problems(DISK, replace(ready, status=status))) == (
        f'{DISK}: "trainer" is {status}, and disks are made of an image that is READY; nearest: '
        "wait for it, or another image"
    )


def test_what_is_taken_to_be_on_a_disk_is_said() -> None:
    disk = DiskImage(project="p", name="trainer", images=("nvcr.io/a:1", "b:2"))
    assert only(disk_advice(DISK, disk)).startswith(
        f'{DISK}: "trainer" is taken to have nvcr.io/a:1, b:2: what is on it nobody can look up, '
    )
    assert only(disk_advice(DISK, replace(disk, images=()))).startswith(f"{DISK}: no pod of the ")
