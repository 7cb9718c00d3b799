"""What stacks register that stand on parts which exist already, and what is wrong with the parts.

It shows nothing of what the engine makes of it; tests/stacks/test_existing.py does.
"""

from pathlib import Path
from typing import Any

import pulumi
import pytest

from components.base.labels import stack_labels
from tests.conftest import Recording, changed
from tests.parts.existing_samples import (
    IN_CLUSTER,
    ON_NETWORK,
    ON_PLATFORM,
    PARTS,
    PLATFORM_OUTPUTS,
    Simulated,
    built,
    parts,
)
from tests.stacks.on_existing import HOST, REGION, VPC

MADE_LUSTRE = {"name": "ours", "capacity_gib": 9000, "throughput_mbps_per_tib": 1000}
SCRIPT: dict[str, Any] = {
    "type": "script",
    "command": ["true"],
    "image": "python:3.11",
    "requests": {"cpu": 1, "memory_gib": 2},
}


@pytest.fixture
def simulated(tmp_path: Path) -> Simulated:
    return Simulated(tmp_path)


def types_of(made: Recording) -> set[str]:
    return {it.type for it in made.resources if it.custom}


@pytest.mark.parametrize(
    ("config", "own"),
    [
        (ON_NETWORK, {"gcp:container/cluster:Cluster", "gcp:serviceaccount/account:Account"}),
        (IN_CLUSTER, {"gcp:serviceaccount/account:Account"}),
        (ON_PLATFORM, {"gcp:serviceaccount/account:Account"}),
    ],
    ids=lambda it: it["name"] if isinstance(it, dict) else "",
)
def test_nothing_is_registered_for_what_exists_already(
    simulated: Simulated, config: dict[str, Any], own: set[str]
) -> None:
    assert types_of(built(config, simulated)) & PARTS == own


def test_a_cluster_is_made_in_the_ranges_of_a_network_that_is_there(simulated: Simulated) -> None:
    cluster = built(ON_NETWORK, simulated).one(":Cluster").inputs
    assert cluster["network"] == VPC.id
    assert cluster["subnetwork"].endswith(f"{HOST}/regions/{REGION}/subnetworks/nodes")
    assert cluster["ipAllocationPolicy"] == {
        "clusterSecondaryRangeName": "gke-pods",
        "servicesSecondaryRangeName": "gke-services",
    }


def test_pools_in_a_cluster_of_others_have_the_stacks_name_and_pods_keep_to_them(
    simulated: Simulated,
) -> None:
    made = built(IN_CLUSTER, simulated)
    names = {it.inputs["name"] for it in made.of_type(":NodePool")}
    assert names == {"in-cluster-cpu-pool", "in-cluster-gpu-pool"}
    assert {it.inputs["cluster"] for it in made.of_type(":NodePool")} == {"platform"}
    (group,) = made.named("work-cluster").inputs["spec"]["workerGroupSpecs"]
    selector = group["template"]["spec"]["nodeSelector"]
    assert selector["cloud.google.com/gke-nodepool"] == "in-cluster-gpu-pool"


def test_slices_in_a_cluster_of_others_are_told_by_a_label(simulated: Simulated) -> None:
    tpu = {"machine_type": "ct5lp-hightpu-4t", "topology": "2x4", "slices": 1}
    values: dict[str, Any] = {"ray": None, "pools__tpu": tpu, "network": {"dcn": []}}
    made = built(changed(IN_CLUSTER, **values), simulated)
    (pool,) = [it for it in made.of_type(":NodePool") if "-tpu-" in it.inputs["name"]]
    assert pool.inputs["name"] == "in-cluster-tpu-0"
    assert pool.inputs["nodeConfig"]["labels"]["gke-ai-stacks/stack"] == "in-cluster"


def test_what_a_platform_has_installed_is_installed_once(simulated: Simulated) -> None:
    made = built(changed(ON_PLATFORM, jobs={"own": SCRIPT}), simulated)
    assert not made.of_type(":Release")
    assert not made.of_type(":Firewall")
    assert made.of_type(":ClusterQueue")
    simulated.outputs = {**PLATFORM_OUTPUTS, "operators": []}
    made = built(changed(ON_PLATFORM, jobs={"own": SCRIPT}), simulated)
    charts = {it.name for it in made.of_type(":Release")}
    assert charts == {"kuberay-release", "kueue-release", "jobset-release"}


def test_webhooks_and_lustre_are_let_in_by_rules_of_the_networks_project(
    simulated: Simulated,
) -> None:
    simulated.outputs = {**PLATFORM_OUTPUTS, "operators": ["kuberay"]}
    made = built(
        changed(ON_PLATFORM, lustre=MADE_LUSTRE, network={"peering": "10.10.0.0/22"}), simulated
    )
    rules = {it.name: it.inputs for it in made.of_type(":Firewall")}
    assert {it["project"] for it in rules.values()} == {HOST}
    assert {it["network"] for it in rules.values()} == {VPC.id}
    sources = {name: it["sourceRanges"] for name, it in rules.items()}
    # The range of the control plane is the cluster's, and that of the servers the config's.
    assert sources == {
        "kueue-webhook-rule": ["10.10.4.0/28"],
        "lustre-firewall": ["10.10.0.0/22"],
    }
    assert not made.of_type(":Connection")
    assert not made.of_type(":GlobalAddress")


def test_only_the_apis_that_the_stack_itself_needs_are_turned_on(simulated: Simulated) -> None:
    made = built(ON_NETWORK, simulated)
    apis = {it.inputs["service"].partition(".")[0] for it in made.of_type(":Service")}
    assert {"storage", "compute"} <= apis
    assert not {"lustre", "servicenetworking"} & apis


RDMA: dict[str, Any] = {
    "lustre": None,
    "pools__gpu": {
        "machine_type": "a3-ultragpu-8g",
        "nodes": 1,
        "capacity": {"mode": "spot"},
        "zone": "us-central1-b",
    },
}


def names_of(made: Recording, kind: str) -> set[str]:
    kinds = made.of_type(f"1:{kind}")
    return {it.inputs["metadata"]["name"] for it in kinds}


@pytest.mark.parametrize("name", ["in-cluster", "a-name-with-all-letters-that-it-may"])
def test_what_a_cluster_has_once_has_the_stacks_name_where_others_may_be(
    tmp_path: Path, name: str
) -> None:
    answers = Simulated(tmp_path, parts("container/cluster:Cluster", enableMultiNetworking=True))
    made = built(changed(IN_CLUSTER, name=name, **RDMA), answers)
    networks = names_of(made, "Network") | names_of(made, "GKENetworkParamSet")
    assert {it for it in networks if not it.startswith(name[:30])} == set()
    assert len(networks) == 9
    pools = {it.inputs["name"] for it in made.of_type(":NodePool")}
    assert {it for it in pools if not it.startswith(name[:30])} == set()
    assert len(pools) == 2
    assert names_of(made, "DaemonSet") == {f"{name}-nccl-rdma-installer", f"{name}-cpu-images"}


def test_the_volume_of_an_instance_is_the_stacks_own(simulated: Simulated) -> None:
    made = built(IN_CLUSTER, simulated)
    volumes = [it.inputs["metadata"]["name"] for it in made.of_type(":PersistentVolume")]
    assert volumes == ["in-cluster-fast-pv"]


def lines(config: dict[str, Any], answers: Simulated) -> list[str]:
    """What the program says of the parts before it ends."""
    with pytest.raises(pulumi.RunError) as caught:
        built(config, answers)
    return [it.strip() for it in str(caught.value).splitlines()[1:]]


@pytest.mark.parametrize(
    ("config", "values", "line"),
    [
        (ON_NETWORK, {"network__existing__pods_range": "lost"}, "network.existing.pods_range: "),
        (
            ON_NETWORK,
            {"network__control_plane": "10.8.0.0/28"},
            "network.control_plane: 10.8.0.0/28 overlaps ",
        ),
        (
            IN_CLUSTER,
            {"cluster__ray_operator": None},
            "cluster.existing.name: platform has no Ray operator; nearest: `gcloud ",
        ),
        (
            IN_CLUSTER,
            {"cluster__release_channel": "RAPID"},
            "cluster.release_channel: platform is in REGULAR, not in RAPID; nearest: REGULAR",
        ),
        (
            IN_CLUSTER,
            {"cluster__existing__operators": ["kuberay"], "cluster__ray_operator": None},
            "cluster.ray_operator: KubeRay is in the cluster by its Helm chart, and two",
        ),
        (
            ON_PLATFORM,
            {"queues__version": "0.18.6"},
            "queues.version: Kueue is in the cluster already, with its own; nearest: leave it out",
        ),
        (
            IN_CLUSTER,
            {"teams": {"vision": {"groups": {"edit": ["vision@example.com"]}}}},
            "cluster.existing.name: platform knows no groups, and teams are of groups; nearest: ",
        ),
        (
            IN_CLUSTER,
            {"lustre__filesystem": "other"},
            "lustre.filesystem: ",
        ),
        (
            ON_NETWORK,
            {"buckets__data__hierarchical_namespace": True},
            'buckets.data.hierarchical_namespace: "platform-data" has no hierarchical namespace',
        ),
        (
            ON_PLATFORM,
            {"cluster__stack": "organization/gke-ai-stacks/on-platform"},
            "cluster.stack: ",
        ),
    ],
)
def test_what_does_not_fit_is_said_under_its_field(
    simulated: Simulated, config: dict[str, Any], values: dict[str, Any], line: str
) -> None:
    found = lines(changed(config, **values), simulated)
    assert len(found) == 1
    assert found[0].startswith(line if line.startswith("gcp:") else f"stack.{line}"), found


def test_a_cluster_in_another_project_is_refused(simulated: Simulated) -> None:
    simulated.outputs = {**PLATFORM_OUTPUTS, "project": "theirs"}
    (line,) = lines(ON_PLATFORM, simulated)
    assert line.startswith("gcp:project: the cluster is in theirs, ")


def test_all_that_is_not_there_is_said_at_once(simulated: Simulated) -> None:
    values = {"lustre__existing": "lost", "buckets__data__existing": "lost-too"}
    found = lines(changed(IN_CLUSTER, cluster__existing__name="gone", **values), simulated)
    assert [it.partition(":")[0] for it in found] == [
        "stack.cluster.existing.name",
        "stack.lustre.existing",
        "stack.buckets.data.existing",
    ]


@pytest.mark.parametrize(
    ("token", "field"),
    [
        ("container/cluster:Cluster", "cluster.existing.name"),
        ("storage/bucket:Bucket", "buckets.data.existing"),
        ("lustre/instance:Instance", "lustre.existing"),
    ],
)
def test_a_part_of_another_stack_is_refused_but_for_the_platforms(
    tmp_path: Path, token: str, field: str
) -> None:
    key = "resourceLabels" if "cluster" in token else "labels"
    answers = Simulated(tmp_path, parts(token, **{key: stack_labels({}, "platform")}))
    (line,) = lines(IN_CLUSTER, answers)
    assert line.startswith(f"stack.{field}: ")
    assert "belongs to the stack platform" in line
    assert built(ON_PLATFORM, answers).of_type(":NodePool")


LEGACY = {"datapathProvider": None}
CALICO = {**LEGACY, "networkPolicy": {"enabled": True, "provider": "CALICO"}}


@pytest.mark.parametrize(
    ("data_plane", "why"),
    [(LEGACY, "enforces no network policies"), (CALICO, "enforces network policies by Calico")],
)
def test_teams_are_refused_in_a_cluster_whose_data_plane_keeps_pods_not_apart(
    tmp_path: Path, data_plane: dict[str, Any], why: str
) -> None:
    """A platform's cluster may be such a one, too."""
    answers = Simulated(tmp_path, parts("container/cluster:Cluster", **data_plane))
    for config, field in ((IN_CLUSTER, "cluster.existing.name"), (ON_PLATFORM, "cluster.stack")):
        (line,) = lines(changed(config, teams={"vision": {}}), answers)
        assert line.startswith(f"stack.{field}: platform {why}, ")
        assert "nearest: a cluster on Dataplane V2" in line
        assert built(config, answers).of_type(":RayCluster")


def test_teams_are_built_in_a_cluster_on_dataplane_v2(simulated: Simulated) -> None:
    made = built(changed(IN_CLUSTER, teams={"vision": {}}), simulated)
    assert made.named("vision-access")


def test_pods_of_an_autopilot_cluster_of_others_need_no_pools(tmp_path: Path) -> None:
    autopilot = parts("container/cluster:Cluster", enableAutopilot=True)
    values: dict[str, Any] = {"cluster__mode": "autopilot", "pools__cpu": None}
    made = built(changed(IN_CLUSTER, **values), Simulated(tmp_path, autopilot))
    assert not made.of_type(":NodePool")
    assert not made.of_type(":Account")
    assert made.named("work-cluster")
