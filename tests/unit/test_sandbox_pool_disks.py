"""What the simulated cloud refuses of secondary boot disks; each refusal is matched at its end."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from sandbox.cloud.resource import Resource
from sandbox.errors import CloudError
from tests.unit.simulated_project import APIS, DISK_IMAGE, P, Project

OURS = {"diskImage": f"projects/{P}/global/images/trainer", "mode": "CONTAINER_IMAGE_CACHE"}
DATA = {"diskImage": "global/images/trainer"}


@pytest.fixture
def project(tmp_path: Path) -> Project:
    made = Project(tmp_path)
    made.enable(*APIS)
    made.make(DISK_IMAGE, name="trainer")
    return made


def pool(project: Project, disk: dict[str, str], *, streams: bool = True) -> Resource:
    network = project.network()
    cluster = project.cluster(network, project.subnet(network))
    node: dict[str, Any] = {"machineType": "e2-standard-4", "secondaryBootDisks": [disk]}
    return project.pool(
        cluster, "", nodeConfig={**node, **({"gcfsConfig": {"enabled": True}} if streams else {})}
    )


def test_nodes_have_a_disk_of_an_image_that_is_there(project: Project) -> None:
    assert pool(project, OURS)["nodeConfig"]["secondaryBootDisks"] == [OURS]


def test_container_images_on_a_disk_need_streaming(project: Project) -> None:
    with pytest.raises(CloudError, match=r"CONTAINER_IMAGE_CACHE needs image streaming on its nod"):
        pool(project, OURS, streams=False)


def test_data_on_a_disk_needs_none_and_an_image_without_project_is_of_the_clusters(
    project: Project,
) -> None:
    assert pool(project, DATA, streams=False)


@pytest.mark.parametrize(
    ("image", "missing"),
    [
        ("global/images/lost", f"projects/{P}/global/images/lost"),
        ("projects/other/global/images/trainer", "projects/other/global/images/trainer"),
    ],
)
def test_an_image_that_is_not_there_is_refused(project: Project, image: str, missing: str) -> None:
    with pytest.raises(CloudError, match=f"the disk image {missing} was not found$"):
        pool(project, {**OURS, "diskImage": image})
