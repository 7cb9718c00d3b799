"""A stack that stands on parts which it did not make, through the real engine.

Cannot show that the real provider's functions answer as the simulated ones do.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from cli.urns import name_of, token_of
from sandbox.run_result import RunResult
from tests.stacks.conftest import changed
from tests.stacks.on_existing import EXISTING, VPC
from tests.stacks.program_sandbox import ProgramSandbox

STACK = "on-existing"
TYPES = {one["type"] for one in EXISTING}


def parts(sandbox: ProgramSandbox) -> str:
    """The entries of what no stack made, as the simulated cloud's file has them."""
    resources = json.loads(sandbox.workspace.cloud_file.read_text())["resources"]
    return json.dumps({key: it for key, it in resources.items() if not it["urns"]})


@pytest.fixture
def sandbox(tmp_path: Path) -> ProgramSandbox:
    made = ProgramSandbox(tmp_path, STACK, "tests.stacks.on_existing")
    made.have(*EXISTING)
    return made


def thorough(*values: str) -> Any:
    return pytest.param(*values, marks=pytest.mark.thorough)


def touched(result: RunResult) -> set[str]:
    """Types of Google's resources that the engine had a step for."""
    types = {token_of(one.urn) for one in result.report.resources}
    return {it for it in types if it.startswith("gcp:")}


@pytest.mark.thorough
def test_from_preview_to_destroy_nothing_happens_to_parts_that_exist_already(
    sandbox: ProgramSandbox,
) -> None:
    before = parts(sandbox)
    assert len(json.loads(before)) == len(EXISTING)

    preview = sandbox.run("preview")
    assert preview.ok, preview.report.diagnostics
    said = "network.existing.mtu: not said, and the provider does not read it"
    assert any(said in line for line in sandbox.said)
    made = {name_of(one.urn) for one in preview.report.resources if one.operation == "create"}
    assert {"cpu-pool", "volume-volume", "bucket-user-grant", "own-cluster"} <= made
    # Of the types that exist already, the stack's own cluster is the only one with a step.
    assert touched(preview) & TYPES == {"gcp:container/cluster:Cluster"}

    for verb in ("up", "preview", "destroy"):
        result = sandbox.run(verb)
        assert result.ok, (verb, result.report.diagnostics)
        assert touched(result) & TYPES <= {"gcp:container/cluster:Cluster"}
        clusters = {name_of(one.urn) for one in result.report.resources if "Cluster::" in one.urn}
        assert clusters <= {"own", "own-cluster"}
        assert parts(sandbox) == before, verb
        if verb == "up":
            check_where_things_went(sandbox, result)
        if verb == "preview":
            assert changed(result) == {}
    left = sandbox.workspace.cloud().inventory()
    assert sum(len(ids) for ids in left.values()) == len(EXISTING)


def check_where_things_went(sandbox: ProgramSandbox, result: RunResult) -> None:
    """Into the cluster that exists already, and onto its network."""
    assert "ours" in result.cloud["kubernetes:Namespace"]
    cluster = "projects/sandbox-project/locations/us-central1/clusters/platform"
    assert result.cloud["gcp:container/nodePool:NodePool"] == [f"{cluster}/nodePools/cpu-pool"]
    clusters = sandbox.workspace.cloud().find("gcp:container/cluster:Cluster")
    assert {it["network"] for it in clusters} == {VPC.id}


@pytest.mark.parametrize(
    ("key", "line"),
    [
        (
            "network",
            'network.existing.network: "lost" is not in project network-project; nearest',
        ),
        thorough(
            "subnetwork",
            'network.existing.subnetwork: "lost" is not in region us-central1 of project network-',
        ),
        thorough(
            "cluster",
            'cluster.existing.cluster: "lost" is not in us-central1 of project',
        ),
        thorough(
            "bucket",
            'bucket.existing.bucket: "lost" is not in Cloud Storage; nearest',
        ),
        (
            "instance",
            'lustre.existing.instance: "lost" is not in zone us-central1-a of project',
        ),
        ("pods_range", 'network.existing.pods_range: "lost" is not a secondary range of nodes'),
    ],
)
def test_a_part_that_is_not_there_fails_the_preview_and_is_named(
    sandbox: ProgramSandbox, key: str, line: str
) -> None:
    result = sandbox.run("preview", **{key: "lost"})
    assert not result.ok
    assert any(line in " ".join(one.split()) for one in result.report.diagnostics)
    assert touched(result) == set()
