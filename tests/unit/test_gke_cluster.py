"""The GKE cluster, as registered."""

import json
from dataclasses import replace
from typing import Any

import pytest

from components.gke_cluster import (
    AuthorizedNetwork,
    GkeCluster,
    GkeClusterArgs,
    MaintenanceWindow,
)
from tests.conftest import Recording, Register

ARGS = GkeClusterArgs(
    project="p",
    location="us-east1",
    zone="us-east1-b",
    cluster_name="demo",
    network_id="net",
    subnetwork_id="subnet",
    control_plane_range="10.10.1.0/28",
    node_service_account="nodes@p",
    release_channel="REGULAR",
    lustre=True,
    labels={"stack": "test"},
)


def made(register: Register, **values: Any) -> Recording:
    return register(lambda: GkeCluster("gke", replace(ARGS, **values)))


def inputs(register: Register, **values: Any) -> dict[str, Any]:
    return made(register, **values).one(":Cluster").inputs


def test_nodes_are_private_shielded_and_have_workload_identity(register: Register) -> None:
    cluster = inputs(register)
    assert cluster["privateClusterConfig"] == {
        "enablePrivateNodes": True,
        "enablePrivateEndpoint": False,
        "masterIpv4CidrBlock": "10.10.1.0/28",
    }
    assert cluster["enableShieldedNodes"] is True
    assert cluster["workloadIdentityConfig"] == {"workloadPool": "p.svc.id.goog"}
    assert cluster["datapathProvider"] == "ADVANCED_DATAPATH"
    assert cluster["networkingMode"] == "VPC_NATIVE"
    assert cluster["ipAllocationPolicy"] == {
        "clusterSecondaryRangeName": "pods",
        "servicesSecondaryRangeName": "services",
    }


def test_addons_are_ray_with_logs_and_metrics_lustre_and_fuse(register: Register) -> None:
    addons = inputs(register)["addonsConfig"]
    assert addons["rayOperatorConfigs"] == [
        {
            "enabled": True,
            "rayClusterLoggingConfig": {"enabled": True},
            "rayClusterMonitoringConfig": {"enabled": True},
        }
    ]
    assert addons["lustreCsiDriverConfig"] == {"enabled": True}
    assert addons["gcsFuseCsiDriverConfig"] == {"enabled": True}


def test_a_stack_without_lustre_has_no_driver_for_it(register: Register) -> None:
    assert "lustreCsiDriverConfig" not in inputs(register, lustre=False)["addonsConfig"]


def test_an_old_version_speaks_to_lustre_on_the_legacy_port(register: Register) -> None:
    addons = inputs(register, lustre_legacy_port=True)["addonsConfig"]
    assert addons["lustreCsiDriverConfig"]["enableLegacyLustrePort"] is True


def test_gpu_metrics_go_to_managed_prometheus(register: Register) -> None:
    monitoring = inputs(register)["monitoringConfig"]
    assert monitoring["managedPrometheus"] == {"enabled": True}
    assert "DCGM" in monitoring["enableComponents"]


def test_the_first_pool_is_removed_and_what_is_left_of_it_is_ignored(register: Register) -> None:
    cluster = made(register).one(":Cluster")
    assert cluster.inputs["removeDefaultNodePool"] is True
    assert cluster.inputs["nodeConfig"]["serviceAccount"] == "nodes@p"
    assert cluster.ignore_changes == ("nodeConfig", "initialNodeCount")


@pytest.mark.parametrize("protection", [True, False])
def test_deletion_protection_is_googles_and_pulumis(register: Register, protection: bool) -> None:
    cluster = made(register, deletion_protection=protection).one(":Cluster")
    assert cluster.inputs["deletionProtection"] is protection
    assert cluster.protect is protection


def test_a_regional_cluster_keeps_its_nodes_in_one_zone(register: Register) -> None:
    assert inputs(register)["nodeLocations"] == ["us-east1-b"]
    zonal = inputs(register, location="us-east1-b")
    assert zonal["location"] == "us-east1-b"
    assert "nodeLocations" not in zonal


def test_version_and_channel_are_the_configs(register: Register) -> None:
    cluster = inputs(register, version="1.34.1", release_channel="RAPID")
    assert cluster["minMasterVersion"] == "1.34.1"
    assert cluster["releaseChannel"] == {"channel": "RAPID"}
    assert "minMasterVersion" not in inputs(register)


def test_who_may_reach_the_control_plane_can_be_narrowed(register: Register) -> None:
    office = [AuthorizedNetwork(name="office", cidr="192.0.2.0/24")]
    cluster = inputs(register, authorized_networks=office)
    assert cluster["masterAuthorizedNetworksConfig"] == {
        "cidrBlocks": [{"cidrBlock": "192.0.2.0/24", "displayName": "office"}]
    }
    assert "masterAuthorizedNetworksConfig" not in inputs(register)


def test_a_maintenance_window_recurs(register: Register) -> None:
    window = MaintenanceWindow(start="s", end="e", recurrence="FREQ=WEEKLY")
    assert inputs(register, maintenance_window=window)["maintenancePolicy"] == {
        "recurringWindow": {"startTime": "s", "endTime": "e", "recurrence": "FREQ=WEEKLY"}
    }


def test_the_kubernetes_provider_is_made_from_the_clusters_outputs(register: Register) -> None:
    provider = made(register).one("providers:kubernetes")
    config = json.loads(provider.inputs["kubeconfig"])
    assert config["clusters"][0]["cluster"]["server"] == "https://203.0.113.7"
    assert any(urn.endswith("gke-cluster") for urn in provider.dependencies)
