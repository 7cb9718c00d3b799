"""The simulated cloud's rules for Autopilot clusters; each refusal is matched at its end."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from sandbox.cloud.resource import Resource
from sandbox.errors import CloudError
from tests.unit.simulated_project import APIS, Project


@pytest.fixture
def project(tmp_path: Path) -> Project:
    made = Project(tmp_path)
    made.enable(*APIS)
    return made


def cluster_of(project: Project, **inputs: Any) -> Resource:
    network = project.network()
    return project.cluster(network, project.subnet(network), **inputs)


@pytest.mark.parametrize(
    ("inputs", "end"),
    [
        ({"nodeConfig": {"spot": True}}, r"nearest: leave nodeConfig out$"),
        (
            {"enableIntranodeVisibility": True},
            r"nearest: leave enableIntranodeVisibility out$",
        ),
        ({"enableShieldedNodes": False}, r"nearest: leave enableShieldedNodes out$"),
        ({"removeDefaultNodePool": True}, r"nearest: leave removeDefaultNodePool out$"),
        ({"nodePools": [{"name": "own"}]}, r"nearest: leave nodePools out$"),
        ({"location": "us-east1-b"}, r"us-east1-b is a zone; nearest: us-east1$"),
        ({"datapathProvider": "LEGACY_DATAPATH"}, r"datapathProvider ADVANCED_DATAPATH$"),
    ],
)
def test_an_autopilot_cluster_refuses_what_it_decides_by_itself(
    project: Project, inputs: dict[str, Any], end: str
) -> None:
    with pytest.raises(CloudError, match=end):
        cluster_of(project, **{"enableAutopilot": True, "nodeLocations": None, **inputs})


def test_an_autopilot_cluster_takes_multi_networking_as_it_is_and_no_pool(
    project: Project,
) -> None:
    autopilot = {"enableAutopilot": True, "nodeLocations": None, "enableMultiNetworking": True}
    cluster = cluster_of(project, **autopilot)
    with pytest.raises(CloudError, match=r"Autopilot clusters do not support mutating node pools$"):
        project.pool(cluster, "e2-standard-4")
