"""Stacks whose config names parts that exist already, through the real engine.

Cannot show that the real provider's functions answer as the simulated ones do.
"""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from cli.urns import token_of
from sandbox.run_result import RunResult
from tests.parts.existing_ground import existing_repository
from tests.parts.existing_samples import NETWORK, PARTS, STORAGE
from tests.stacks.config_sandbox import config_sandbox, have, of_no_stack
from tests.stacks.conftest import Sandbox, changed
from tests.stacks.on_existing import EXISTING, VPC

NVCR = "us-central1-docker.pkg.dev/sandbox-project/nvcr-io"
CPU = {"cpu": {"machine_type": "e2-standard-8", "nodes": 1}}
ON_NETWORK: dict[str, Any] = {
    "network": {"existing": NETWORK, "control_plane": "10.10.5.0/28"},
    "pools": CPU,
    **STORAGE,
}
IN_CLUSTER: dict[str, Any] = {
    "cluster": {"existing": {"name": "platform", "location": "us-central1"}},
    "pools": CPU,
    **STORAGE,
}


def on_existing(folder: Path, **stack: Any) -> Sandbox:
    sandbox = config_sandbox(folder, name="ours", deletion_protection=False, **stack)
    have(sandbox, folder, *EXISTING)
    return sandbox


def touched(result: RunResult) -> set[str]:
    """Types of which parts exist already, and that the engine had a step for."""
    return {token_of(one.urn) for one in result.report.resources} & PARTS


def without(config: dict[str, Any], *path: str) -> dict[str, Any]:
    """The config with the name at the path changed to one that is nobody's."""
    found = json.loads(json.dumps(config))
    here = found
    for key in path[:-1]:
        here = here[key]
    here[path[-1]] = "lost"
    return found


@pytest.mark.parametrize(
    ("stack", "own", "cluster"),
    [
        pytest.param(
            ON_NETWORK,
            {"gcp:container/cluster:Cluster", "gcp:serviceaccount/account:Account"},
            "ours",
            id="network",
            marks=pytest.mark.thorough,
        ),
        pytest.param(IN_CLUSTER, {"gcp:serviceaccount/account:Account"}, "platform", id="cluster"),
    ],
)
def test_no_step_of_the_engine_is_for_a_part_that_exists_already(
    tmp_path: Path, stack: dict[str, Any], own: set[str], cluster: str
) -> None:
    sandbox = on_existing(tmp_path, **stack)
    before = of_no_stack(sandbox)
    assert len(before) == len(EXISTING)
    for verb in ("preview", "up", "preview", "destroy"):
        empty = verb == "preview" and sandbox.cloud.inventory("ours") != {}
        result = sandbox.succeed(verb)
        assert touched(result) <= own, verb
        assert of_no_stack(sandbox) == before, verb
        assert not empty or changed(result) == {}
        if verb == "up":
            (pool,) = result.cloud["gcp:container/nodePool:NodePool"]
            assert f"/clusters/{cluster}/" in pool
            clusters = sandbox.cloud.find("gcp:container/cluster:Cluster")
            assert {it["network"] for it in clusters} == {VPC.id}
    assert sandbox.cloud.inventory("ours") == {}


@pytest.mark.parametrize(
    ("stack", "line"),
    [
        (
            without(ON_NETWORK, "network", "existing", "network"),
            'network.existing.network: "lost" is not in project network-project; nearest',
        ),
        pytest.param(
            without(ON_NETWORK, "network", "existing", "subnetwork"),
            'network.existing.subnetwork: "lost" is not in region us-central1 of project network-',
            marks=pytest.mark.thorough,
        ),
        pytest.param(
            without(IN_CLUSTER, "cluster", "existing", "name"),
            'cluster.existing.name: "lost" is not in us-central1 of project',
            marks=pytest.mark.thorough,
        ),
        pytest.param(
            without(ON_NETWORK, "lustre", "existing"),
            'lustre.existing: "lost" is not in zone us-central1-a of project',
            marks=pytest.mark.thorough,
        ),
        pytest.param(
            without(ON_NETWORK, "buckets", "data", "existing"),
            'buckets.data.existing: "lost" is not in Cloud Storage; nearest',
            marks=pytest.mark.thorough,
        ),
    ],
)
def test_a_part_that_is_not_there_is_named_in_the_preview(
    tmp_path: Path, stack: dict[str, Any], line: str
) -> None:
    result = on_existing(tmp_path, **stack).run("preview")
    assert not result.ok
    assert any(line in " ".join(one.split()) for one in result.report.diagnostics)
    assert touched(result) == set()


def named(folder: Path, path: str) -> Sandbox:
    """A stack beside a repository, whose config names one by a path."""
    images = {"repositories": {"nvcr.io": path}}
    sandbox = config_sandbox(
        folder, name="ours", deletion_protection=False, pools=CPU, images=images
    )
    have(sandbox, folder, existing_repository(NVCR, "nvcr.io"))
    return sandbox


@pytest.mark.thorough
def test_a_repository_is_read_by_the_stacks_nodes_and_stays_as_it_is(tmp_path: Path) -> None:
    sandbox = named(tmp_path, NVCR)
    before = of_no_stack(sandbox)
    for verb in ("preview", "up"):
        steps = {token_of(one.urn) for one in sandbox.succeed(verb).report.resources}
        assert "gcp:artifactregistry/repository:Repository" not in steps
        assert "gcp:artifactregistry/repositoryIamMember:RepositoryIamMember" in steps
    assert changed(sandbox.succeed("preview")) == {}
    sandbox.succeed("destroy")
    assert of_no_stack(sandbox) == before
    assert sandbox.cloud.inventory("ours") == {}


def test_a_repository_that_is_not_there_is_named_in_the_preview(tmp_path: Path) -> None:
    result = named(tmp_path, NVCR.replace("nvcr-io", "lost")).run("preview")
    line = 'images.repositories.nvcr.io: "lost" is not in us-central1 of project sandbox-project; '
    assert not result.ok
    assert any(line in " ".join(one.split()) for one in result.report.diagnostics)
    steps = {token_of(one.urn) for one in result.report.resources}
    assert not {it for it in steps if it.startswith("gcp:")}


_NO_BLOCK = (
    "Failed to create subnetwork. Couldn't find free blocks in allocated IP ranges. "
    "Please allocate new ranges for this service provider"
)


@pytest.mark.thorough
@pytest.mark.parametrize(
    ("peering", "taken", "reason"),
    [
        pytest.param("10.10.0.0/23", True, _NO_BLOCK, id="used-up"),
        pytest.param("10.10.0.0/24", False, _NO_BLOCK, id="too-small"),
        pytest.param(None, False, "has no private services access connection", id="none"),
    ],
)
def test_lustre_is_refused_where_the_networks_peering_has_no_room(
    tmp_path: Path, peering: str | None, taken: bool, reason: str
) -> None:
    lustre = {"name": "own", "capacity_gib": 9000, "throughput_mbps_per_tib": 1000}
    network = {**ON_NETWORK["network"], "peering": "10.10.0.0/22"}
    sandbox = config_sandbox(tmp_path, name="ours", network=network, lustre=lustre, pools=CPU)
    there = [it for it in EXISTING if it["type"] == "gcp:lustre/instance:Instance" and taken]
    have(sandbox, tmp_path, *replace(VPC, peering=peering).resources(), *there)
    result = sandbox.run("up")
    assert not result.ok
    assert any(reason in line for line in result.report.diagnostics), result.report.diagnostics
    assert "gcp:lustre/instance:Instance" not in sandbox.cloud.inventory("ours")
