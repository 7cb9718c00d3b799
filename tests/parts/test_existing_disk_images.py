"""Stacks that name disk images with container images, and what is wrong with those."""

from pathlib import Path
from typing import Any

import pulumi
import pytest

from tests.conftest import changed
from tests.parts.existing_ground import existing_disk_image
from tests.parts.existing_samples import IN_CLUSTER, Simulated, built
from tests.stacks.on_existing import EXISTING, P

POOL = "gpu"
FIELD = f"stack.pools.{POOL}.secondary_boot_disk"


def named(path: str) -> dict[str, Any]:
    return changed(IN_CLUSTER, **{f"pools__{POOL}__secondary_boot_disk": path})


def beside(folder: Path, project: str = P) -> Simulated:
    return Simulated(folder, [*EXISTING, existing_disk_image(project, "trainer")])


@pytest.mark.parametrize(
    ("project", "path"),
    [(P, "global/images/trainer"), ("others-p", "projects/others-p/global/images/trainer")],
)
def test_one_that_is_there_is_on_the_pools_nodes(tmp_path: Path, project: str, path: str) -> None:
    made = built(named(path), beside(tmp_path, project))
    disks = [
        one["diskImage"]
        for it in made.of_type(":NodePool")
        for one in it.inputs["nodeConfig"].get("secondaryBootDisks", ())
    ]
    assert disks == [f"projects/{project}/global/images/trainer"]
    assert not made.of_type("compute/image:Image")


def test_one_that_is_not_there_is_refused_before_anything_is_made(tmp_path: Path) -> None:
    with pytest.raises(pulumi.RunError) as caught:
        built(named("global/images/lost"), beside(tmp_path))
    (line,) = (it.strip() for it in str(caught.value).splitlines()[1:])
    assert line == (
        f'{FIELD}: "lost" is not in the images of project {P}; nearest: one that `gcloud compute '
        f"images list --no-standard-images --project={P}` shows"
    )
