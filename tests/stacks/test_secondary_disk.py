"""Pools with their images on a secondary boot disk, through the real engine.

Cannot show what is on a disk image, nor that GKE's nodes read it.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
import yaml

from cli.urns import name_of, token_of
from sandbox.image_pulls import PULL
from tests.parts.existing_ground import existing_disk_image
from tests.stacks.config_sandbox import config_sandbox, have, of_no_stack
from tests.stacks.conftest import Sandbox, changed, replaced

P = "sandbox-project"
IMAGES = [existing_disk_image(P, it) for it in ("trainer", "newer")]


def with_disk(folder: Path, image: str) -> Sandbox:
    cpu = {"machine_type": "e2-standard-8", "nodes": 1}
    pools = {"cpu": {**cpu, "secondary_boot_disk": f"global/images/{image}"}}
    sandbox = config_sandbox(folder, name="ours", deletion_protection=False, pools=pools)
    have(sandbox, folder, *IMAGES)
    return sandbox


def test_a_disk_image_that_is_not_there_is_named_in_the_preview(tmp_path: Path) -> None:
    result = with_disk(tmp_path, "lost").run("preview")
    line = f'pools.cpu.secondary_boot_disk: "lost" is not in the images of project {P}; nearest: '
    assert not result.ok
    assert any(line in " ".join(one.split()) for one in result.report.diagnostics)
    assert not {it.urn for it in result.report.resources if token_of(it.urn).startswith("gcp:")}


@pytest.mark.thorough
def test_another_disk_image_makes_the_pool_anew_and_images_stay_as_they_are(tmp_path: Path) -> None:
    with_disk(tmp_path, "trainer").succeed("up")
    sandbox = with_disk(tmp_path, "newer")
    assert "cpu-pool" in replaced(sandbox.succeed("preview"))
    sandbox.succeed("up")
    assert changed(sandbox.succeed("preview")) == {}
    sandbox.succeed("destroy")
    assert {it["inputs"]["name"] for it in of_no_stack(sandbox).values()} == {"trainer", "newer"}


@pytest.mark.thorough
def test_with_images_on_disks_no_node_pulls_and_a_preview_counts_that_as_a_run_does(
    empty: Callable[[str], Sandbox], tmp_path: Path
) -> None:
    sandbox, given = empty("b200-lustre"), tmp_path / "given.yaml"
    given.write_text(yaml.safe_dump({"existing": IMAGES}))
    disks = [f"pools.{it}.secondary_boot_disk=global/images/trainer" for it in ("cpu", "gpu")]
    preview = sandbox.run("preview", *disks, project=given)
    assert any('"trainer" is taken to have ' in it for it in preview.report.diagnostics)
    done = sandbox.succeed("up", *disks)
    pulls = [name_of(it.urn) for it in done.timeline if token_of(it.urn) == PULL]
    assert pulls == ["ray-a4-gpu-spot-cluster-disk"]
    assert preview.makespan_s == pytest.approx(done.makespan_s, rel=0.01)
    assert done.makespan_s <= 1.02 * done.critical.seconds
