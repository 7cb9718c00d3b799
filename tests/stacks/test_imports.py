"""What an `up` finds there already is taken onto the record by the lines with which it fails."""

from __future__ import annotations

import shlex
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from cli.kube_mode import KubeMode
from sandbox.__main__ import app
from sandbox.cloud.kinds.lustre import LustreInstance
from sandbox.faults import Faults, Slow
from sandbox.report import _here
from sandbox.run_result import RunResult, Verb
from tests.stacks.config_sandbox import config_sandbox, have, of_no_stack
from tests.stacks.conftest import Sandbox, changed

pytestmark = pytest.mark.thorough
CONFIG: dict[str, Any] = {
    "name": "found",
    "deletion_protection": False,
    "cluster": {"location": "zonal"},
    "pools": {"cpu": {"machine_type": "e2-standard-4", "nodes": 1}},
    "buckets": {"data": {"name": "found-data"}},
}
BUCKET: dict[str, Any] = {
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


def run_imports(sandbox: Sandbox, failed: RunResult) -> list[str]:
    """Run the lines with which an `up` failed, as they are on the sandbox; what they import."""
    said = "\n".join([*failed.failure, *failed.report.diagnostics])
    here = _here(said, sandbox.workspace.stack, sandbox.workspace.root, [], KubeMode.auto)
    commands = [words[2:] for line in here if (words := shlex.split(line))[2] == "import"]
    assert commands, said
    for command in commands:
        done = CliRunner().invoke(app, command)
        assert done.exit_code == 0, done.output
    return [command[4] for command in commands]


def imported(sandbox: Sandbox) -> list[str]:
    """What is imported until an `up` succeeds."""
    found: list[str] = []
    while not (result := sandbox.run("up")).ok:
        found += run_imports(sandbox, result)
    return found


def test_a_bucket_that_somebody_made_is_taken_onto_the_record(tmp_path: Path) -> None:
    sandbox = config_sandbox(tmp_path, **CONFIG)
    have(sandbox, tmp_path, BUCKET)
    assert imported(sandbox) == ["data-bucket"]
    assert changed(sandbox.succeed("preview")) == {}


def test_an_instance_that_the_provider_gave_up_is_taken_onto_the_record(tmp_path: Path) -> None:
    """By the line of the program, which a real `up` ends with, too."""
    lustre = {"name": "found", "capacity_gib": 9000, "throughput_mbps_per_tib": 1000}
    sandbox = config_sandbox(tmp_path, **{**CONFIG, "buckets": {}, "lustre": lustre})
    slow = Slow(kind="slow", type=LustreInstance.token, factor=20)
    failed = sandbox.run("up", faults=Faults(rules=(slow,)))
    assert run_imports(sandbox, failed) == ["lustre-instance"]
    before = sandbox.describe_everything()[LustreInstance.token]
    sandbox.succeed("up")
    assert sandbox.describe_everything()[LustreInstance.token] == before


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


def test_a_bucket_that_is_imported_and_not_as_the_config_says_is_kept(tmp_path: Path) -> None:
    """It was somebody's: its first `up` would make it anew, elsewhere and empty."""
    sandbox = config_sandbox(tmp_path, **{**CONFIG, "deletion_protection": True})
    elsewhere = {**BUCKET, "inputs": {**BUCKET["inputs"], "location": "EUROPE-WEST4"}}
    have(sandbox, tmp_path, elsewhere)
    assert run_imports(sandbox, sandbox.run("up")) == ["data-bucket"]
    before = of_no_stack(sandbox)
    verbs: tuple[Verb, ...] = ("preview", "up")
    for verb in verbs:
        refused = "\n".join(sandbox.run(verb).report.diagnostics)
        assert "data-bucket would be replaced (location: EUROPE-WEST4 -> US-CENTRAL1)" in refused
    assert of_no_stack(sandbox) == before
