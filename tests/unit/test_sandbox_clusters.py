"""The simulated cloud's rules for clusters, pools and accounts; refusals match at their end."""

from __future__ import annotations

from pathlib import Path

import pytest

from sandbox.errors import CloudError
from sandbox.faults import Faults, Stockout
from tests.unit.simulated_project import APIS, MEMBER, Project


@pytest.fixture
def project(tmp_path: Path) -> Project:
    made = Project(tmp_path)
    made.enable(*APIS)
    return made


def test_a_cluster_needs_its_secondary_range(project: Project) -> None:
    network = project.network()
    subnet = project.subnet(network, secondaryIpRanges=[])
    with pytest.raises(CloudError, match=r'has no secondary range "pods"$'):
        project.cluster(network, subnet)


def test_a_protected_cluster_cannot_go(project: Project) -> None:
    network = project.network()
    cluster = project.cluster(network, project.subnet(network), deletionProtection=True)
    with pytest.raises(CloudError, match=r"and running `pulumi up`$"):
        project.delete(cluster)


def test_a_machine_type_must_exist_in_the_pools_zone(project: Project) -> None:
    network = project.network()
    cluster = project.cluster(network, project.subnet(network))
    with pytest.raises(CloudError, match=r"a3-ultragpu-8g does not exist in zone us-east1-b$"):
        project.pool(cluster, "a3-ultragpu-8g")


def test_an_accelerator_must_be_the_machines_own(project: Project) -> None:
    network = project.network()
    cluster = project.cluster(network, project.subnet(network))
    wrong = {
        "machineType": "a4-highgpu-8g",
        "guestAccelerators": [{"type": "nvidia-l4", "count": 1}],
    }
    with pytest.raises(CloudError, match=r"does not fit a4-highgpu-8g: 8 x nvidia-b200$"):
        project.pool(cluster, "a4-highgpu-8g", nodeConfig=wrong)


def test_a_pool_runs_as_an_account_that_exists(project: Project) -> None:
    network = project.network()
    cluster = project.cluster(network, project.subnet(network))
    node = {"machineType": "e2-standard-4", "serviceAccount": "nobody@p1.iam.gserviceaccount.com"}
    with pytest.raises(CloudError, match=r"does not exist$"):
        project.pool(cluster, "e2-standard-4", nodeConfig=node)


def test_a_role_goes_to_an_account_that_exists(project: Project) -> None:
    member = "serviceAccount:nobody@p1.iam.gserviceaccount.com"
    with pytest.raises(CloudError, match=r"does not exist$"):
        project.make(MEMBER, role="roles/container.defaultNodeServiceAccount", member=member)


def test_a_stockout_is_refused_in_that_zone_only(tmp_path: Path) -> None:
    rule = Stockout(kind="stockout", machine_type="a4-highgpu-8g", zone="us-east1-b")
    project = Project(tmp_path, Faults(rules=(rule,)))
    project.enable(*APIS)
    network = project.network()
    cluster = project.cluster(network, project.subnet(network))
    with pytest.raises(CloudError, match=r"does not have enough a4-highgpu-8g available$"):
        project.pool(cluster, "a4-highgpu-8g")
    assert project.pool(cluster, "e2-standard-4").id.endswith("/nodePools/pool")
