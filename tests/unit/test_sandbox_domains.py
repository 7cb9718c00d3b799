"""What the simulated cloud refuses of pools that are one NVLink domain, and their nodes."""

from __future__ import annotations

from typing import Any

import pytest

from sandbox.cloud.resource import Resource
from sandbox.errors import CloudError
from sandbox.gke.nodes import nodes_of
from sandbox.kube.claims import CHANNEL_CLASS
from tests.unit.simulated_project import Project
from tests.unit.test_sandbox_tpu import cluster_of
from tests.unit.test_sandbox_workload_policy import cluster_at, policy

ZONE = "us-central1-b"
POOL = "gcp:container/nodePool:NodePool"
PLACED = {"type": "COMPACT", "policyName": "slices"}


def pool(project: Project, nodes: int = 2, **inputs: Any) -> Resource:
    there = cluster_of(project, location=ZONE)
    wanted = {
        "cluster": there.id,
        "name": "gb200",
        "initialNodeCount": nodes,
        "nodeConfig": {"machineType": "a4x-highgpu-4g"},
        "placementPolicy": PLACED,
    }
    return project.make(POOL, **{**wanted, **inputs})


def test_nodes_are_for_arm_and_have_a_channel_each(project: Project) -> None:
    policy(project, "1x72")
    nodes = nodes_of(cluster_at(project, pool(project)), project.cloud)
    assert [it.labels["kubernetes.io/arch"] for it in nodes] == ["arm64", "arm64"]
    assert all(it.devices[CHANNEL_CLASS] == 1 for it in nodes)
    assert all(
        ("kubernetes.io/arch", "arm64") in {(one.key, one.value) for one in it.taints}
        for it in nodes
    )


@pytest.mark.parametrize(
    ("made", "inputs", "end"),
    [
        ("1x72", {"placementPolicy": None}, r"with acceleratorTopology 1x72$"),
        ("2x2x4", {}, r"with acceleratorTopology 1x72$"),
        ("1x72", {"initialNodeCount": 19}, r"19 machines are more .*; nearest: 18$"),
    ],
)
def test_what_is_not_one_domain_is_refused(
    project: Project, made: str, inputs: dict[str, Any], end: str
) -> None:
    policy(project, made)
    with pytest.raises(CloudError, match=end):
        pool(project, **inputs)
