"""What an `up` finds there already is taken onto the record by the lines with which it fails."""

from __future__ import annotations

import shlex
from pathlib import Path
from typing import Any

import pytest

from tests.stacks.config_sandbox import config_sandbox, have
from tests.stacks.conftest import Sandbox, changed
from tests.stacks.real_cli import with_providers

pytestmark = pytest.mark.thorough
CONFIG: dict[str, Any] = {
    "name": "found",
    "deletion_protection": False,
    "cluster": {"location": "zonal"},
    "pools": {"cpu": {"machine_type": "e2-standard-4", "nodes": 1}},
    "buckets": {"data": {"name": "found-data"}},
}
BUCKET = {
    "type": "gcp:storage/bucket:Bucket",
    "inputs": {
        "project": "sandbox-project",
        "name": "found-data",
        "location": "US-CENTRAL1",
        "uniformBucketLevelAccess": True,
        "hierarchicalNamespace": {"enabled": True},
        "labels": {"made-by": "hand"},
    },
}


def imported(sandbox: Sandbox) -> list[str]:
    """Run the lines of an `up` that fails, and then the next; what was imported."""
    found: list[str] = []
    while not (result := sandbox.run("up")).ok:
        lines = [it for it in result.failure if "pulumi import " in it]
        assert lines, result.report.diagnostics
        for line in lines:
            command = line.removeprefix("  nearest: ").partition(", where")[0]
            with_providers(sandbox, [*shlex.split(command), "--yes"])
            found.append(shlex.split(command)[3])
    return found


def test_a_bucket_that_somebody_made_is_taken_onto_the_record(tmp_path: Path) -> None:
    sandbox = config_sandbox(tmp_path, **CONFIG)
    have(sandbox, tmp_path, BUCKET)
    assert imported(sandbox) == ["data-bucket"]
    assert changed(sandbox.succeed("preview")) == {}


def test_a_stack_whose_record_is_lost_is_taken_onto_another(tmp_path: Path) -> None:
    """All of Google's; what is in a cluster no line imports."""
    sandbox = config_sandbox(tmp_path, **{**CONFIG, "buckets": {}})
    sandbox.succeed("up")
    before = sandbox.describe_everything()
    (record,) = sandbox.workspace.state_files()
    record.unlink()
    found = imported(sandbox)
    assert {"network-vpc", "network-subnet", "gke-cluster", "cpu-pool"} <= set(found), found
    assert changed(sandbox.succeed("preview")) == {}
    assert sandbox.describe_everything() == before
