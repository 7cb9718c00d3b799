"""Whether the nodes of a simulated cluster can mount a simulated Lustre instance.

It cannot prove that a real mount works: no Lustre client runs here.
"""

from pathlib import Path
from typing import Any

import pytest

from sandbox.cloud.resource import Resource
from sandbox.clusters import Kube, in_memory
from tests.unit.memory_kube_samples import (
    CLAIM,
    changed,
    lustre_claim,
    lustre_volume,
    only_pod,
    pod,
)
from tests.unit.simulated_project import CLUSTER, FIREWALL, Project

NEW, OLD = "1.34.1-gke.1829001", "1.33.2-gke.4000000"
LEGACY = {"enabled": True, "enableLegacyLustrePort": True}


class Site:
    """A cluster with a node, and an instance on its network."""

    def __init__(self, folder: Path) -> None:
        self.project = Project(folder)
        self.project.enable("compute", "container", "lustre", "servicenetworking")
        self.network = self.project.network()
        self.subnet = self.project.subnet(self.network)
        self.project.peer(self.network)

    def cluster(self, *, version: str = NEW, **driver: Any) -> Resource:
        made = self.project.cluster(
            self.network,
            self.subnet,
            minMasterVersion=version,
            addonsConfig={"lustreCsiDriverConfig": driver or {"enabled": True}},
        )
        self.project.pool(made, "e2-standard-4")
        return made

    def let_in(self, port: str, source: str = "10.10.0.0/22") -> None:
        self.project.make(
            FIREWALL,
            name="lustre",
            network=self.network.id,
            sourceRanges=[source],
            allows=[{"protocol": "tcp", "ports": [port]}],
        )


@pytest.fixture
def site(tmp_path: Path) -> Site:
    return Site(tmp_path)


def mounting(site: Site, cluster: Resource, ip: str = "10.10.0.2") -> Kube:
    kube = in_memory(cluster, site.project.cloud)
    kube.apply(changed(lustre_volume(), ip, "spec", "csi", "volumeAttributes", "ip"))
    kube.apply(lustre_claim())
    volumes = [{"name": "lustre", "persistentVolumeClaim": {"claimName": CLAIM}}]
    kube.apply(pod(spec={"volumes": volumes}))
    return kube


@pytest.mark.parametrize(
    ("support", "version", "driver", "port"),
    [
        (None, NEW, {"enabled": True}, "988"),
        (True, NEW, LEGACY, "6988"),
        (True, OLD, LEGACY, "6988"),
    ],
)
def test_a_pod_mounts_where_all_three_are_on_one_port(
    site: Site, support: bool | None, version: str, driver: dict[str, Any], port: str
) -> None:
    site.project.lustre(site.network, gkeSupportEnabled=support)
    site.let_in(port)
    assert only_pod(mounting(site, site.cluster(version=version, **driver))).phase == "Running"


@pytest.mark.parametrize(
    ("support", "version", "driver", "ports"),
    [
        (True, NEW, {"enabled": True}, "port 6988, and the nodes of c speak on port 988"),
        (None, NEW, LEGACY, "port 988, and the nodes of c speak on port 6988"),
        (None, OLD, {"enabled": True}, "port 988, and the nodes of c speak on port 6988"),
    ],
)
def test_a_pod_starts_never_where_server_and_nodes_speak_on_two_ports(
    site: Site, support: bool | None, version: str, driver: dict[str, Any], ports: str
) -> None:
    site.project.lustre(site.network, gkeSupportEnabled=support)
    site.let_in("1-65535")
    found = only_pod(mounting(site, site.cluster(version=version, **driver)))
    assert found.phase == "Pending"
    assert ports in found.reason


@pytest.mark.parametrize(
    ("port", "source"),
    [("6988", "10.10.0.0/22"), ("988", "10.10.2.0/23"), ("443-500", "0.0.0.0/0")],
)
def test_a_firewall_that_lets_in_something_else_does_not_help(
    site: Site, port: str, source: str
) -> None:
    site.project.lustre(site.network)
    site.let_in(port, source)
    found = only_pod(mounting(site, site.cluster()))
    assert found.reason.endswith("no firewall rule of network net lets tcp:988 in from 10.10.0.2")


def test_the_firewall_is_asked_again_when_it_changes(site: Site) -> None:
    site.project.lustre(site.network)
    cluster = site.cluster()
    assert only_pod(mounting(site, cluster)).phase == "Pending"
    site.let_in("988")
    assert only_pod(in_memory(cluster, site.project.cloud)).phase == "Running"


def test_a_cluster_without_the_driver_a_wrong_address_and_a_wrong_file_system(site: Site) -> None:
    site.project.lustre(site.network, filesystem="other")
    site.let_in("988")
    cluster = site.cluster(enabled=False)
    assert "not found in the list of registered CSI drivers" in (
        only_pod(mounting(site, cluster)).reason
    )
    site.project.cloud.update(
        CLUSTER,
        cluster.id,
        {**cluster.inputs, "addonsConfig": {"lustreCsiDriverConfig": {"enabled": True}}},
    )
    cluster = next(site.project.cloud.find(CLUSTER))
    assert only_pod(in_memory(cluster, site.project.cloud)).reason.endswith(
        "instance fast has the file system other"
    )
    site.project.delete(next(site.project.cloud.find("gcp:lustre/instance:Instance")))
    assert only_pod(in_memory(cluster, site.project.cloud)).reason.endswith(
        "no Managed Lustre instance of network net has this address"
    )
