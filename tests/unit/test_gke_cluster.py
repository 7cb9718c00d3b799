"""The GKE cluster, as registered."""

import json
from dataclasses import replace
from typing import Any

import pulumi
import pulumi_gcp as gcp
import pytest

from components.control_plane import ControlPlaneEndpoint
from components.gke_cluster import (
    AuthorizedNetwork,
    GkeCluster,
    GkeClusterArgs,
    MaintenanceExclusion,
    MaintenanceWindow,
)
from stacks import kept_by_provider
from stacks.on_record import Record
from tests.conftest import DNS_NAME, Recording, Register

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
    ray_operator=True,
    deletion_protection=True,
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


def test_the_ray_addon_is_turned_off_where_somebody_else_runs_the_operator(
    register: Register,
) -> None:
    addons = inputs(register, ray_operator=False)["addonsConfig"]
    assert addons["rayOperatorConfigs"] == [{"enabled": False}]


def test_the_driver_for_lustre_is_turned_off_in_a_stack_without_it(register: Register) -> None:
    addons = inputs(register, lustre=False)["addonsConfig"]
    assert addons["lustreCsiDriverConfig"] == {"enabled": False}


def test_an_old_version_speaks_to_lustre_on_the_legacy_port(register: Register) -> None:
    addons = inputs(register, lustre_legacy_port=True)["addonsConfig"]
    assert addons["lustreCsiDriverConfig"]["enableLegacyLustrePort"] is True


def test_pods_scale_by_their_own_metrics_only_where_they_are_to(register: Register) -> None:
    assert inputs(register, custom_metrics=True)["podAutoscaling"] == {"hpaProfile": "PERFORMANCE"}
    assert "podAutoscaling" not in inputs(register)


def test_others_are_told_the_nodes_network(register: Register) -> None:
    recording = made(register)
    assert recording.outputs[recording.named("gke").urn]["network_id"] == "net"


def test_gpu_metrics_go_to_managed_prometheus(register: Register) -> None:
    monitoring = inputs(register)["monitoringConfig"]
    assert monitoring["managedPrometheus"] == {"enabled": True}
    assert "DCGM" in monitoring["enableComponents"]


def test_the_first_pool_is_removed_and_what_is_left_of_it_is_ignored(register: Register) -> None:
    cluster = made(register).one(":Cluster")
    assert cluster.inputs["removeDefaultNodePool"] is True
    assert cluster.inputs["nodeConfig"]["serviceAccount"] == "nodes@p"
    assert {"nodeConfig", "initialNodeCount"} <= set(cluster.ignore_changes)


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
        "cidrBlocks": [{"cidrBlock": "192.0.2.0/24", "displayName": "office"}],
        "gcpPublicCidrsAccessEnabled": False,
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


def test_upgrades_can_be_kept_away_for_a_time(register: Register) -> None:
    run = MaintenanceExclusion(name="run", start="a", end="b", scope="NO_UPGRADES")
    window = MaintenanceWindow(start="s", end="e", recurrence="FREQ=WEEKLY", exclusions=[run])
    policy = inputs(register, maintenance_window=window)["maintenancePolicy"]
    assert policy["maintenanceExclusions"] == [
        {
            "exclusionName": "run",
            "startTime": "a",
            "endTime": "b",
            "exclusionOptions": {"scope": "NO_UPGRADES"},
        }
    ]


def test_upgrades_can_be_kept_away_until_the_version_is_out_of_support(
    register: Register,
) -> None:
    run = MaintenanceExclusion(name="run", start="a", scope="NO_MINOR_OR_NODE_UPGRADES")
    window = MaintenanceWindow(start="s", end="e", recurrence="FREQ=WEEKLY", exclusions=[run])
    policy = inputs(register, maintenance_window=window)["maintenancePolicy"]
    options = {"scope": "NO_MINOR_OR_NODE_UPGRADES", "endTimeBehavior": "UNTIL_END_OF_SUPPORT"}
    assert policy["maintenanceExclusions"] == [
        {"exclusionName": "run", "startTime": "a", "exclusionOptions": options}
    ]


def test_pods_can_have_several_networks(register: Register) -> None:
    assert inputs(register, multi_networking=True)["enableMultiNetworking"] is True
    assert "enableMultiNetworking" not in inputs(register)


def test_a_standard_cluster_says_nothing_of_autopilot(register: Register) -> None:
    # Even a false conflicts with what only Standard clusters have.
    assert not {"enableAutopilot", "clusterAutoscaling"} & inputs(register).keys()


def test_autopilot_is_told_nothing_that_it_always_has(register: Register) -> None:
    cluster = inputs(register, autopilot=True)
    assert cluster["enableAutopilot"] is True
    given = {
        *("networkingMode", "datapathProvider", "workloadIdentityConfig", "enableShieldedNodes"),
        *("removeDefaultNodePool", "initialNodeCount", "nodeConfig"),
    }
    assert not given & cluster.keys()
    assert given <= inputs(register).keys()


def test_autopilots_addons_are_those_that_are_not_always_there(register: Register) -> None:
    addons = inputs(register, autopilot=True)["addonsConfig"]
    assert addons.keys() == {"rayOperatorConfigs", "lustreCsiDriverConfig"}


def test_autopilots_nodes_run_as_their_own_account_and_are_private(register: Register) -> None:
    cluster = inputs(register, autopilot=True, multi_networking=True)
    assert cluster["clusterAutoscaling"] == {
        "autoProvisioningDefaults": {
            "serviceAccount": "nodes@p",
            "oauthScopes": ["https://www.googleapis.com/auth/cloud-platform"],
        }
    }
    assert cluster["privateClusterConfig"]["enablePrivateNodes"] is True
    assert cluster["nodeLocations"] == ["us-east1-b"]
    assert cluster["enableMultiNetworking"] is True


def test_nobody_else_is_bound_to_a_role_by_a_group_that_everybody_is_in(
    register: Register,
) -> None:
    for autopilot in (False, True):
        cluster = inputs(register, autopilot=autopilot)
        assert set(cluster["rbacBindingConfig"].values()) == {False}
        assert cluster["anonymousAuthenticationConfig"] == {"mode": "LIMITED"}


def test_nodes_of_an_autopilot_cluster_that_runs_keep_their_kubelet(register: Register) -> None:
    cluster = made(register, autopilot=True).one(":Cluster")
    assert "nodePoolAutoConfig" in cluster.inputs
    assert "nodePoolAutoConfig" in cluster.ignore_changes


def test_an_autopilot_cluster_in_a_zone_is_refused(register: Register) -> None:
    with pytest.raises(ValueError, match=r'"us-east1-b" is a zone.*; nearest: us-east1$'):
        made(register, autopilot=True, location="us-east1-b")


@pytest.mark.parametrize("autopilot", [False, True])
def test_the_workload_pool_is_known_once_the_cluster_stands(
    register: Register, autopilot: bool
) -> None:
    def program() -> None:
        cluster = GkeCluster("gke", replace(ARGS, autopilot=autopilot))
        gcp.serviceaccount.IAMMember(
            "binding",
            service_account_id="jobs",
            role="roles/iam.workloadIdentityUser",
            member=pulumi.Output.concat("serviceAccount:", cluster.workload_pool, "[rl/jobs]"),
        )

    recording = register(program)
    binding = recording.named("binding")
    assert binding.inputs["member"] == "serviceAccount:p.svc.id.goog[rl/jobs]"
    assert "gke-cluster" in recording.waits_for("binding")


def test_google_groups_count_only_where_a_security_group_is_named(register: Register) -> None:
    assert "authenticatorGroupsConfig" not in inputs(register)
    group = "gke-security-groups@example.com"
    named = inputs(register, security_group=group)
    assert named["authenticatorGroupsConfig"] == {"securityGroup": group}
    del named["authenticatorGroupsConfig"]
    assert named == inputs(register)
    with pytest.raises(ValueError, match=r"nearest: gke-security-groups@example\.com$"):
        made(register, security_group="groups@example.com")


@pytest.mark.parametrize(
    ("kept", "on_record", "off"),
    [
        (
            "masterAuthorizedNetworksConfig",
            {"cidrBlocks": [{"cidrBlock": "203.0.113.0/24"}]},
            {
                "cidrBlocks": [{"cidrBlock": "0.0.0.0/0", "displayName": "everywhere"}],
                "gcpPublicCidrsAccessEnabled": True,
            },
        ),
        (
            "authenticatorGroupsConfig",
            {"securityGroup": "gke-security-groups@example.com"},
            {"securityGroup": ""},
        ),
        ("podAutoscaling", {"hpaProfile": "PERFORMANCE"}, {"hpaProfile": "NONE"}),
        (
            "binaryAuthorization",
            {"evaluationMode": "PROJECT_SINGLETON_POLICY_ENFORCE"},
            {"evaluationMode": "DISABLED"},
        ),
        ("databaseEncryption", {"state": "ENCRYPTED", "keyName": "k"}, {"state": "DECRYPTED"}),
        ("enableIntranodeVisibility", True, False),
        (
            "maintenancePolicy",
            {"maintenanceExclusions": [{"exclusionName": "training"}]},
            {
                "recurringWindow": {
                    "startTime": "2026-01-01T00:00:00Z",
                    "endTime": "2026-01-01T23:59:00Z",
                    "recurrence": "FREQ=DAILY",
                }
            },
        ),
    ],
)
def test_what_was_set_once_is_taken_back_by_word_for_the_provider_keeps_what_is_left_out(
    register: Register, kept: str, on_record: Any, off: Any
) -> None:
    token = "gcp:container/cluster:Cluster"
    urn = f"urn:pulumi:test::gke-ai-stacks::{token}::gke-cluster"
    record = Record({urn: {"type": token, "outputs": {kept: on_record}}})

    def program() -> None:
        kept_by_provider.install(record)
        GkeCluster("gke", ARGS)

    assert register(program).one(":Cluster").inputs[kept] == off
    assert kept not in inputs(register)


def test_who_said_who_may_reach_the_control_plane_is_heard_after_everybody(
    register: Register,
) -> None:
    token = "gcp:container/cluster:Cluster"
    kept = {"cidrBlocks": [{"cidrBlock": "0.0.0.0/0"}]}
    urn = f"urn:pulumi:test::gke-ai-stacks::{token}::gke-cluster"
    record = Record({urn: {"type": token, "outputs": {"masterAuthorizedNetworksConfig": kept}}})
    office = AuthorizedNetwork(name="office", cidr="203.0.113.0/24")

    def program() -> None:
        kept_by_provider.install(record)
        GkeCluster("gke", replace(ARGS, authorized_networks=[office]))

    cluster = register(program).one(":Cluster").inputs
    ranges = cluster["masterAuthorizedNetworksConfig"]["cidrBlocks"]
    assert [it["cidrBlock"] for it in ranges] == ["203.0.113.0/24"]


def test_a_cluster_that_gets_to_answer_by_its_name_alone_is_sent_no_ranges(
    register: Register,
) -> None:
    token = "gcp:container/cluster:Cluster"
    kept = {"cidrBlocks": [{"cidrBlock": "203.0.113.0/24"}]}
    urn = f"urn:pulumi:test::gke-ai-stacks::{token}::gke-cluster"
    record = Record({urn: {"type": token, "outputs": {"masterAuthorizedNetworksConfig": kept}}})

    def program() -> None:
        kept_by_provider.install(record)
        GkeCluster("gke", replace(ARGS, endpoint=ControlPlaneEndpoint.DNS))

    assert "masterAuthorizedNetworksConfig" not in register(program).one(":Cluster").inputs


@pytest.mark.parametrize(
    "answered",
    [
        {"binaryAuthorization": {"enabled": False, "evaluationMode": ""}},
        {"databaseEncryption": {"state": "DECRYPTED", "keyName": ""}},
        {"enableIntranodeVisibility": True, "enableAutopilot": True},
    ],
)
def test_what_gke_answers_with_for_every_cluster_is_not_taken_back(
    register: Register, answered: dict[str, Any]
) -> None:
    token = "gcp:container/cluster:Cluster"
    urn = f"urn:pulumi:test::gke-ai-stacks::{token}::gke-cluster"
    record = Record({urn: {"type": token, "outputs": answered}})

    def program() -> None:
        kept_by_provider.install(record)
        GkeCluster("gke", ARGS)

    cluster = register(program).one(":Cluster").inputs
    assert not cluster.keys() & (answered.keys() - {"enableAutopilot"})


def server_of(made: Recording) -> str:
    config = json.loads(made.one("pulumi:providers:kubernetes").inputs["kubeconfig"])
    return config["clusters"][0]["cluster"]["server"]


@pytest.mark.parametrize(
    ("endpoint", "host"),
    [
        (ControlPlaneEndpoint.PUBLIC, "203.0.113.7"),
        (ControlPlaneEndpoint.PRIVATE, "10.10.1.2"),
        (ControlPlaneEndpoint.DNS, DNS_NAME),
    ],
)
def test_objects_go_to_the_endpoint_and_their_provider_knows_the_cluster_by_its_name(
    register: Register, endpoint: ControlPlaneEndpoint, host: str
) -> None:
    made_with = made(register, endpoint=endpoint)
    assert server_of(made_with) == f"https://{host}"
    provider = made_with.one("pulumi:providers:kubernetes").inputs
    assert provider["clusterIdentifier"] == DNS_NAME


def test_a_control_plane_without_addresses_answers_by_its_name_alone(register: Register) -> None:
    cluster = inputs(register, endpoint=ControlPlaneEndpoint.DNS)
    assert cluster["controlPlaneEndpointsConfig"] == {
        "dnsEndpointConfig": {"allowExternalTraffic": True},
        "ipEndpointsConfig": {"enabled": False},
    }
    assert "masterAuthorizedNetworksConfig" not in cluster


def test_a_private_address_has_authorized_networks_with_or_without_ranges(
    register: Register,
) -> None:
    cluster = inputs(register, endpoint=ControlPlaneEndpoint.PRIVATE)
    assert cluster["privateClusterConfig"]["enablePrivateEndpoint"] is True
    assert cluster["masterAuthorizedNetworksConfig"] == {
        "cidrBlocks": [],
        "gcpPublicCidrsAccessEnabled": False,
    }
    assert "controlPlaneEndpointsConfig" not in cluster
