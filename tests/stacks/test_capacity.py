"""Where GPU machines come from: reservations that the project has or lacks, and stock-outs."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
import yaml

from sandbox.cloud.reservations import PACKAGED
from sandbox.faults import Faults, Stockout
from tests.stacks.conftest import Sandbox, changed, replaced

pytestmark = pytest.mark.thorough

SandboxOf = Callable[[str], Sandbox]
A4 = "a4-highgpu-8g"


def project_with(folder: Path, name: str, **reservation: object) -> Path:
    """A project file with one reservation of A4 machines."""
    file = folder / "project.yaml"
    file.write_text(yaml.safe_dump({"reservations": {name: {"machine_type": A4, **reservation}}}))
    return file


@pytest.mark.parametrize(
    ("name", "zone", "count", "reason"),
    [
        ("other", "us-central1-b", 10, 'reservation "verl-b200" was not found'),
        ("verl-b200", "us-east1-b", 10, "is in zone us-east1-b, and the pool is in us-central1-b"),
        ("verl-b200", "us-central1-b", 1, "required 2 and short of 1 VM count"),
    ],
)
def test_a_reservation_that_does_not_serve_fails_up_and_one_that_does_lets_it_converge(
    empty: SandboxOf, tmp_path: Path, name: str, zone: str, count: int, reason: str
) -> None:
    sandbox = empty("verl-b200")
    failed = sandbox.run("up", project=project_with(tmp_path, name, zone=zone, count=count))
    assert not failed.ok
    assert any(reason in message for message in failed.report.diagnostics)
    assert not sandbox.run("up").ok, "the folder remembers its project"
    assert sandbox.run("up", project=PACKAGED).ok
    assert changed(sandbox.succeed("preview")) == {}


def test_from_spot_to_a_reservation_replaces_the_pool_and_its_pods_come_up_again(
    brought_up: SandboxOf, tmp_path: Path
) -> None:
    sandbox = brought_up("b200-lustre")
    reserved = "pools.gpu.capacity={mode: reservation, name: ours}"
    # The job goes, too: without its machines it is lost.
    assert replaced(sandbox.succeed("preview", reserved)) == [
        "gpu-pool",
        "nccl-daemon-set",
        "nemo-rl-grpo-test1-job",
        "ray-a4-gpu-spot-cluster",
    ]
    project = project_with(tmp_path, "ours", zone="us-east1-b", count=8)
    assert sandbox.run("up", reserved, project=project).ok
    assert {pod.name: pod.reason for pod in sandbox.pods() if not pod.node} == {}
    assert changed(sandbox.succeed("preview", reserved)) == {}


def test_autopilot_without_machines_ends_up_and_its_workers_say_what_they_wait_for(
    empty: SandboxOf,
) -> None:
    sandbox = empty("verl-b200-autopilot")
    rule = Stockout(kind="stockout", machine_type=A4, zone="us-central1-b")
    done = sandbox.run("up", faults=Faults(rules=(rule,)))
    assert done.ok, done.report.diagnostics
    reasons = [pod.reason for pod in sandbox.pods() if not pod.node]
    assert reasons
    assert all(f"does not have enough {A4} available" in it for it in reasons)
    sandbox.succeed("up")
    assert {pod.name: pod.reason for pod in sandbox.pods() if not pod.node} == {}
    assert changed(sandbox.succeed("preview")) == {}
