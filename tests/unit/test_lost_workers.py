"""RayClusters without a job that lose their workers are told of it before it happens."""

from typing import Any

import pytest

from stacks.config import validate
from stacks.lost_workers import warning
from stacks.refusal import NODE_POOL
from tests.conftest import changed, stack_config
from tests.programs import WITH_TOKEN

# gke-labs/kube-agents #1286: 4 to 5 min a node, and 9 and more (GoogleCloudPlatform/cluster-toolkit
# #3343).
OLD: dict[str, Any] = {"name": "gpu", "nodeCount": 40, "nodeConfig": {"diskSizeGb": 100}}
NEW: dict[str, Any] = {**OLD, "nodeConfig": {"diskSizeGb": 200}}


def said(stack: str, new: dict[str, Any] = NEW, **values: Any) -> str | None:
    plan = validate(changed(stack_config(stack), **values), secrets_set=WITH_TOKEN)
    return warning(plan, NODE_POOL, "gpu-pool", OLD, new)


def test_a_cluster_without_a_job_is_told_with_how_long_it_takes() -> None:
    line = said("gcsfuse-checkpoint", jobs={}) or ""
    assert line.startswith("pools.gpu: GKE makes the nodes of gpu-pool anew, one after the other")
    assert "in 40 min to 7 h. RayCluster gcsfuse-checkpoint loses its workers" in line


def test_one_with_a_job_is_told_by_the_job() -> None:
    assert said("b200-lustre") is None


@pytest.mark.parametrize("new", [OLD, {**OLD, "nodeCount": 41}])
def test_an_update_that_leaves_the_nodes_is_none_of_it(new: dict[str, Any]) -> None:
    assert said("gcsfuse-checkpoint", new, jobs={}) is None
