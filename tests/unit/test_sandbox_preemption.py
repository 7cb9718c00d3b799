"""Spot machines that are taken back on request, and come back in the next run."""

from __future__ import annotations

from pathlib import Path

import pytest

from catalog import Catalog
from cli.errors import UserError
from sandbox.cloud.cloud import Cloud
from sandbox.cloud.kinds.cluster import Cluster
from sandbox.cloud.resource import Resource
from sandbox.cloud_store import cloud_at
from sandbox.clusters import Kube, in_memory
from sandbox.faults import Faults, Preempt
from tests.unit.memory_kube_samples import asking, only_pod, pod
from tests.unit.simulated_project import APIS, Project

L4 = "g2-standard-8"
ON_SPOT = {"nodeSelector": {"cloud.google.com/gke-spot": "true"}}


@pytest.fixture
def cluster(tmp_path: Path) -> Resource:
    """One node pool on demand and one on spot, with a pod on the latter."""
    project = Project(tmp_path)
    project.enable(*APIS)
    network = project.network()
    subnet = project.subnet(network, region="us-central1")
    made = project.cluster(network, subnet, location="us-central1", nodeLocations=["us-central1-a"])
    project.pool(made, "e2-standard-4", name="cpu")
    project.pool(made, L4, name="gpu", nodeConfig={"machineType": L4, "spot": True})
    tolerating = {"tolerations": [{"operator": "Exists"}], **ON_SPOT}
    kube = in_memory(made, project.cloud)
    kube.apply(pod(spec=tolerating, resources=asking(cpu="1", gpu="1")))
    project.cloud.save()
    return made


def cloud_in(path: Path, faults: Faults | None) -> Cloud:
    """The project as the next command finds it; without faults it only looks on."""
    cloud = cloud_at(path / "cloud.json", Catalog.load(), faults)
    if faults is not None:
        cloud.begin_run()
    return cloud


def preempting(pool: str, cluster: str = "*") -> Faults:
    return Faults(rules=(Preempt(kind="preempt", pool=pool, cluster=cluster),))


def kube_in(path: Path, faults: Faults | None) -> Kube:
    cloud = cloud_in(path, faults)
    [found] = cloud.find(Cluster.token)
    return in_memory(found, cloud)


@pytest.mark.usefixtures("cluster")
def test_pods_of_a_preempted_pool_wait_until_a_run_without_the_rule(tmp_path: Path) -> None:
    assert only_pod(kube_in(tmp_path, Faults())).phase == "Running"
    waiting = only_pod(kube_in(tmp_path, preempting("gpu")))
    assert waiting.phase == "Pending"
    assert waiting.reason.startswith("0/1 nodes are available: 1 node(s) didn't match")
    again = only_pod(kube_in(tmp_path, Faults()))
    assert (again.phase, again.node) == ("Running", "gke-c-gpu-0")


@pytest.mark.usefixtures("cluster")
def test_what_looks_on_after_a_run_sees_the_machines_still_gone(tmp_path: Path) -> None:
    cloud_in(tmp_path, preempting("g*"))
    assert {node.pool for node in kube_in(tmp_path, None).nodes()} == {"cpu"}
    cloud_in(tmp_path, Faults())
    assert {node.pool for node in kube_in(tmp_path, None).nodes()} == {"cpu", "gpu"}


def test_the_pool_itself_stays_as_it_is(tmp_path: Path, cluster: Resource) -> None:
    before = cloud_in(tmp_path, None).get(f"{cluster.id}/nodePools/gpu")
    assert before is not None
    assert cloud_in(tmp_path, preempting("gpu")).get(before.id) == before


@pytest.mark.usefixtures("cluster")
@pytest.mark.parametrize(
    ("faults", "end"),
    [
        (preempting("cpu"), r'pool "cpu" .*: cpu is not spot; nearest: gpu$'),
        (preempting("*"), r": cpu is not spot; nearest: gpu$"),
        (preempting("tpu"), r": there is no such node pool; nearest: gpu$"),
        (preempting("gpu", "other"), r'cluster "other": there is no such .*; nearest: gpu$'),
    ],
)
def test_only_spot_pools_that_are_there_can_be_preempted(
    tmp_path: Path, faults: Faults, end: str
) -> None:
    with pytest.raises(UserError, match=end):
        cloud_in(tmp_path, faults)


def test_with_no_pool_at_all_a_rule_is_told_so(tmp_path: Path) -> None:
    with pytest.raises(UserError, match=r"nearest: none, no spot pool is up$"):
        cloud_in(tmp_path, preempting("gpu"))
