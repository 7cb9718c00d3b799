"""Nodes of pools that a workload policy places: slices, and domains of NVLink."""

from __future__ import annotations

from typing import Any

from sandbox.cloud.resource import Resource
from sandbox.gke.nodes import nodes_of
from sandbox.kube.claims import CHANNEL_CLASS
from tests.unit.simulated_project import POOL, Project
from tests.unit.test_sandbox_tpu import GKE, ZONE, cluster_of, tpu_pool

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


def test_nodes_of_a_domain_are_for_arm_and_have_a_channel_each(project: Project) -> None:
    policy(project, "1x72")
    pool = project.make(
        POOL,
        cluster=cluster_of(project, location=ZONE).id,
        name="gb200",
        initialNodeCount=2,
        nodeConfig={"machineType": "a4x-highgpu-4g"},
        placementPolicy={"type": "COMPACT", "policyName": "slices"},
    )
    nodes = nodes_of(cluster_at(project, pool), project.cloud)
    assert [it.labels["kubernetes.io/arch"] for it in nodes] == ["arm64", "arm64"]
    assert all(it.devices[CHANNEL_CLASS] == 1 for it in nodes)
    assert all(
        ("kubernetes.io/arch", "arm64") in {(one.key, one.value) for one in it.taints}
        for it in nodes
    )
