"""Whether a repository that exists already has the images of the registry that it is named for."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from catalog import Catalog
from components.existing_facts import RepositoryFacts
from stacks.parts.images.existing_rules import (
    RepositoryNeeds,
    repository_advice,
    repository_problems,
)
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
