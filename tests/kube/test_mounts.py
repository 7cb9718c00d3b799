"""A pod whose Lustre its node cannot mount, beside a real API server: it waits, and says why, until
a firewall rule lets the servers in."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from kube.objects import JsonObject, Ref, dig, labels_of
from sandbox.control_plane import ControlPlane
from sandbox.gke.agent.mounts import WAITS
from sandbox.live_kube.live_kube import LiveKube
from tests.kube.conftest import eventually
from tests.unit.memory_kube_samples import CLAIM, changed, lustre_claim, lustre_volume, pod
from tests.unit.simulated_project import FIREWALL, Project

NAME = "reader"


@pytest.fixture
def project(tmp_path: Path) -> Project:
    made = Project(tmp_path)
    made.enable("compute", "container", "lustre", "servicenetworking")
    network = made.network()
    subnet = made.subnet(network)
    made.peer(network)
    made.lustre(network)
    driver = {"lustreCsiDriverConfig": {"enabled": True}}
    version = "1.35.8-gke.1225000"
    cluster = made.cluster(network, subnet, minMasterVersion=version, addonsConfig=driver)
    made.pool(cluster, "e2-standard-4")
    return made


@pytest.fixture
def kube(project: Project) -> Iterator[LiveKube]:
    plane = ControlPlane(project.file.parent / "plane", cluster="c", cloud_file=project.file)
    try:
        plane.start()
        yield LiveKube(plane, ray_addon=False)
    finally:
        plane.remove()


def test_a_pod_waits_for_its_lustre_and_runs_once_the_servers_are_let_in(
    project: Project, kube: LiveKube
) -> None:
    kube.apply(changed(lustre_volume(), "10.10.0.2", "spec", "csi", "volumeAttributes", "ip"))
    kube.apply(lustre_claim())
    volumes = [{"name": "lustre", "persistentVolumeClaim": {"claimName": CLAIM}}]
    kube.apply(pod(NAME, spec={"volumes": volumes}))
    ref = Ref(api_version="v1", kind="Pod", namespace="default", name=NAME)

    def seen() -> JsonObject:
        return kube.get(ref) or {}

    waits = eventually(seen, lambda it: bool(dig(it, "status", "message")))
    assert waits["status"]["phase"] == "Pending"
    assert waits["status"]["message"].endswith("lets tcp:988 in from 10.10.0.2")

    project.make(
        FIREWALL,
        name="lustre",
        network="net",
        sourceRanges=["10.10.0.0/22"],
        allows=[{"protocol": "tcp", "ports": ["988"]}],
    )
    runs = eventually(seen, lambda it: dig(it, "status", "phase") == "Running")
    assert WAITS not in labels_of(runs)
    assert "message" not in runs["status"]
