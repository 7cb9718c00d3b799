"""The simulated cloud's rules for workload policies and the slices that they place; each refusal is
matched at its end."""

from __future__ import annotations

from typing import Any

import pytest

from sandbox.cloud.resource import Resource
from sandbox.errors import CloudError
from sandbox.gke.nodes import nodes_of
from tests.unit.simulated_project import Project
from tests.unit.test_sandbox_tpu import GKE, SLICE, cluster_of, tpu_pool

IRONWOOD = "tpu7x-standard-4t"
IRONWOOD_ZONE = "us-central1-c"
POLICY = "gcp:compute/resourcePolicy:ResourcePolicy"
PLACED = {"type": "COMPACT", "tpuTopology": "2x2x4"}


def policy(project: Project, topology: str = "2x2x4", **inputs: Any) -> Resource:
    placed = {"type": "HIGH_THROUGHPUT", "acceleratorTopology": topology}
    wanted = {"name": "slices", "region": "us-central1", "workloadPolicy": placed}
    return project.make(POLICY, **{**wanted, **inputs})


def ironwood(project: Project, **inputs: Any) -> Resource:
    there = cluster_of(project, location=IRONWOOD_ZONE)
    wanted = {"placementPolicy": {**PLACED, "policyName": "slices"}, **inputs}
    return tpu_pool(project, there, IRONWOOD, **wanted)


def cluster_at(project: Project, pool: Resource) -> Resource:
    found = project.cloud.get(pool.id.split("/nodePools/")[0])
    assert found is not None
    return found


def test_hosts_that_a_workload_policy_places_have_the_label_of_its_shape(project: Project) -> None:
    policy(project)
    pool = ironwood(project)
    nodes = nodes_of(cluster_at(project, pool), project.cloud)
    assert [node.labels[f"{GKE}/gke-tpu-topology"] for node in nodes] == ["2x2x4"] * 4


@pytest.mark.parametrize(
    ("made", "placed", "end"),
    [
        ("2x2x4", PLACED, r"tpu7x requires workload policy .* acceleratorTopology 2x2x4$"),
        ("2x2x2", {**PLACED, "policyName": "slices"}, r"is for 2x2x2, .*; nearest: 2x2x4$"),
        ("2x2x4", {**PLACED, "policyName": "other"}, r'"other" was not found in region us-c.*$'),
    ],
)
def test_a_slice_without_a_policy_of_its_shape_is_refused(
    project: Project, made: str, placed: dict[str, str], end: str
) -> None:
    policy(project, made)
    with pytest.raises(CloudError, match=end):
        ironwood(project, placementPolicy=placed)


def test_a_policy_for_machines_that_their_topology_places_is_refused(
    project: Project,
) -> None:
    policy(project, "4x4")
    cluster = cluster_of(project)
    with pytest.raises(CloudError, match=r"placed by its topology .* leave policyName out$"):
        tpu_pool(project, cluster, placementPolicy={**SLICE, "policyName": "slices"})


def test_a_policy_with_machines_stays_and_one_of_another_type_has_no_shape(
    project: Project,
) -> None:
    made = policy(project)
    pool = ironwood(project)
    with pytest.raises(CloudError, match=rf"already being used by {pool.id}$"):
        project.delete(made)
    low = {"type": "HIGH_AVAILABILITY", "acceleratorTopology": "2x2x4"}
    with pytest.raises(CloudError, match=r"has no acceleratorTopology; .*HIGH_THROUGHPUT$"):
        policy(project, name="low", workloadPolicy=low)
