"""Stacks that name repositories of Artifact Registry, and what is wrong with those."""

from pathlib import Path
from typing import Any

import pulumi
import pytest

from components.base.labels import stack_labels
from tests.conftest import changed
from tests.parts.existing_ground import existing_repository
from tests.parts.existing_samples import IN_CLUSTER, ON_NETWORK, ON_PLATFORM, Simulated, built
from tests.stacks.on_existing import EXISTING, REGION, P

PATH = f"{REGION}-docker.pkg.dev/{P}/mirror"
NAMED: dict[str, Any] = {"images": {"repositories": {"nvcr.io": PATH}}}
FIELD = "stack.images.repositories.nvcr.io"


def beside(folder: Path, host: str = "nvcr.io", **inputs: Any) -> Simulated:
    return Simulated(folder, [*EXISTING, existing_repository(PATH, host, **inputs)])


def refused(config: dict[str, Any], answers: Simulated) -> str:
    """The one line that the program says of the parts before it ends."""
    with pytest.raises(pulumi.RunError) as caught:
        built(config, answers)
    (line,) = (it.strip() for it in str(caught.value).splitlines()[1:])
    return line


def test_nodes_may_read_one_that_is_there_and_none_is_made_for_its_registry(tmp_path: Path) -> None:
    made = built(changed(ON_NETWORK, **NAMED), beside(tmp_path))
    readers = {
        it.inputs["repository"]
        for it in made.of_type(":RepositoryIamMember")
        if it.name.startswith("images-nvcr-io-")
    }
    assert readers == {"mirror"}
    assert not [it for it in made.of_type(":Repository") if "nvcr" in it.name]


def test_one_that_is_not_there_is_refused_under_its_host(tmp_path: Path) -> None:
    lost = {"images": {"repositories": {"nvcr.io": PATH.replace("mirror", "lost")}}}
    line = refused(changed(IN_CLUSTER, **lost), beside(tmp_path))
    assert line == (
        f'{FIELD}: "lost" is not in {REGION} of project {P}; nearest: one that `gcloud artifacts '
        f"repositories list --location={REGION} --project={P}` shows"
    )


def test_one_of_a_project_without_the_api_is_said_to_be_unread(tmp_path: Path) -> None:
    line = refused(changed(IN_CLUSTER, **NAMED), Simulated(tmp_path))
    assert line.startswith(f'{FIELD}: "mirror" in {REGION} of project {P} could not be read: ')


def test_one_of_another_registry_is_refused(tmp_path: Path) -> None:
    line = refused(changed(IN_CLUSTER, **NAMED), beside(tmp_path, "ghcr.io"))
    assert line.startswith(f'{FIELD}: "mirror" mirrors ghcr.io, so it has no image of nvcr.io; ')


def test_one_of_another_stack_is_refused_but_for_the_platforms(tmp_path: Path) -> None:
    answers = beside(tmp_path, labels=stack_labels({}, "platform"))
    line = refused(changed(IN_CLUSTER, **NAMED), answers)
    assert line.startswith(f"{FIELD}: the repository mirror belongs to the stack platform, by its ")
    assert line.endswith("; nearest: one of no stack")
    assert built(changed(ON_PLATFORM, **NAMED), answers).of_type(":RepositoryIamMember")


def test_a_mirror_that_the_stack_has_made_is_not_named(tmp_path: Path) -> None:
    answers = beside(tmp_path, labels=stack_labels({}, IN_CLUSTER["name"]))
    line = refused(changed(IN_CLUSTER, **NAMED), answers)
    assert line.startswith(f"{FIELD}: the repository mirror is this stack's own, by its labels, ")
    assert line.endswith("; nearest: leave it out")
