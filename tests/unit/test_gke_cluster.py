"""The GKE cluster, as registered."""

import json
from dataclasses import replace
from typing import Any

import pulumi
import pulumi_gcp as gcp
import pytest

from components.cluster.cluster import (
    AuthorizedNetwork,
    GkeCluster,
    GkeClusterArgs,
)
from components.cluster.control_plane import ControlPlaneEndpoint
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


def test_others_are_told_the_nodes_network(register: Register) -> None:
    recording = made(register)
    assert recording.outputs[recording.named("gke").urn]["network_id"] == "net"


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


def test_the_kubernetes_provider_is_made_from_the_clusters_outputs(register: Register) -> None:
    provider = made(register).one("providers:kubernetes")
    config = json.loads(provider.inputs["kubeconfig"])
    assert config["clusters"][0]["cluster"]["server"] == "https://203.0.113.7"
    assert any(urn.endswith("gke-cluster") for urn in provider.dependencies)


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
