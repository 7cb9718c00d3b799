"""Clusters with no node for GKE's own pods, by what a preview says of their pools."""

from __future__ import annotations

from typing import Any

import pytest

from catalog import Catalog
from sandbox.cloud.cloud import Cloud
from sandbox.system_pods import homeless

_URN = "urn:pulumi:s::p::{}::{}"
CLUSTER = _URN.format("gcp:container/cluster:Cluster", "gke")
TAINT = {"key": "nvidia.com/gpu", "value": "present", "effect": "NO_SCHEDULE"}


def found(cluster: dict[str, Any], *pools: dict[str, Any]) -> list[tuple[str, str]]:
    planned: dict[str, dict[str, Any]] = {CLUSTER: {"name": "demo", **cluster}}
    for number, pool in enumerate(pools):
        urn = _URN.format("a:b:C$gcp:container/nodePool:NodePool", f"p{number}")
        planned[urn] = {"name": f"p{number}", "cluster": "demo", **pool}
    return list(homeless(planned, {}, Cloud(Catalog.load())))


def pool(*taints: dict[str, str], machine: str = "g2-standard-4", **more: Any) -> dict[str, Any]:
    return {"nodeConfig": {"machineType": machine, "taints": list(taints)}, **more}


STANDARD = {"removeDefaultNodePool": True}
TPUS = pool(machine="ct6e-standard-4t")


@pytest.mark.parametrize(
    "pools",
    [
        [pool(TAINT)],
        [pool(TAINT), TPUS],
        [TPUS],
        [pool(queuedProvisioning={"enabled": True})],
    ],
)
def test_a_cluster_with_tainted_pools_alone_is_refused(pools: list[dict[str, Any]]) -> None:
    ((urn, problem),) = found(STANDARD, *pools)
    assert urn == CLUSTER
    assert "every node pool of cluster demo is tainted (p0" in problem
    assert problem.endswith("or tainted=False of a pool with GPUs")


@pytest.mark.parametrize(
    ("cluster", "pools"),
    [
        (STANDARD, [pool(TAINT), pool(machine="e2-standard-4")]),
        (STANDARD, [pool()]),
        (STANDARD, [pool({**TAINT, "effect": "PREFER_NO_SCHEDULE"})]),
        (STANDARD, [pool({**TAINT, "key": "components.gke.io/gke-managed-components"})]),
        (STANDARD, [pool(TAINT), {"nodeConfig": "unknown"}]),
        (STANDARD, [pool(TAINT, cluster="another")]),
        (STANDARD, []),
        ({"enableAutopilot": True}, []),
        ({}, [pool(TAINT)]),
    ],
)
def test_one_with_a_node_for_them_is_not(
    cluster: dict[str, Any], pools: list[dict[str, Any]]
) -> None:
    assert found(cluster, *pools) == []
