"""The cloud side of the verl stacks as a graph: networks, clusters, nodes, bucket."""

import json
from typing import Any

import pytest

from tests.conftest import PROJECT_NUMBER, Recording, Register
from tests.unit.stack_graphs import before_ray, built, images_of, pods_of

B200, H200, AUTOPILOT = "verl-b200", "verl-h200", "verl-b200-autopilot"
STACKS = [B200, H200, AUTOPILOT]
INTERFACES = ("gvnic-1", *(f"rdma-{number}" for number in range(8)))
OBJECTS = {f"interfaces-{kind}-{name}" for kind in ("network", "parameters") for name in INTERFACES}
NETWORKS = {
    *("gvnic-1-vpc", "gvnic-1-subnet", "rdma-vpc"),
    *(f"rdma-subnet-rdma-{number}" for number in range(8)),
}
INFRASTRUCTURE = {
    *("google", "network-vpc", "network-subnet", "network-router", "network-nat"),
    *(f"apis-{it}" for it in ("compute", "container", "iam", "cloudresourcemanager")),
    *("apis-monitoring", "apis-storage", "gke-cluster", "gke-kubernetes"),
    *("gvnic-1-internal", "bucket-bucket", "bucket-user-grant", "account-account"),
    *("bucket-volume-volume", "bucket-volume-claim", "nccl-daemon-set", "monitoring-dashboard"),
    "verl-grpo-job",
    *NETWORKS,
    *OBJECTS,
}


def infrastructure(stack: str) -> set[str]:
    ray = "h200-ray-cluster" if stack == H200 else "b200-ray-cluster"
    prepared = {f"{ray}-preparation-script", f"{ray}-preparation-job"}
    own = {f"{ray}-{it}" for it in ("cluster", "access", "launchers-files")}
    return INFRASTRUCTURE | prepared | own


def pool(made: Recording, name: str = "gpu-pool") -> dict[str, Any]:
    return made.named(name).inputs


@pytest.mark.parametrize("stack", [B200, H200])
def test_a_standard_stack_is_all_that_the_scenario_asks_for(register: Register, stack: str) -> None:
    pools = {"cpu-pool", "cpu-nodes-account", "cpu-nodes-role"}
    pools |= {name.replace("cpu", "gpu") for name in pools} | images_of("cpu", "gpu")
    made = {it.name for it in built(register, stack).resources if it.custom}
    assert made == infrastructure(stack) | pools


def test_an_autopilot_stack_has_no_pools_and_a_namespace_for_the_installer(
    register: Register,
) -> None:
    made = {it.name for it in built(register, AUTOPILOT).resources if it.custom}
    own = {"auto-nodes-account", "auto-nodes-role", "nccl-namespace"}
    assert made == infrastructure(AUTOPILOT) | own | images_of("auto", standard=False)


@pytest.mark.parametrize("stack", STACKS)
def test_each_interface_has_a_range_of_its_own_in_the_scenarios_order(
    register: Register, stack: str
) -> None:
    made = built(register, stack)
    ranges = {it.name: it.inputs["ipCidrRange"] for it in made.of_type(":Subnetwork")}
    del ranges["network-subnet"]
    assert ranges == {
        "gvnic-1-subnet": "192.168.0.0/24",
        **{f"rdma-subnet-rdma-{n}": f"192.168.{n + 1}.0/24" for n in range(8)},
    }
    assert made.named("rdma-vpc").inputs["networkProfile"] == (
        "projects/my-project/global/networkProfiles/us-central1-b-vpc-roce"
    )
    assert {it.inputs["mtu"] for it in made.of_type("compute/network:Network")} == {8896}


def test_only_the_gvnic_network_has_a_firewall_for_the_whole_range(register: Register) -> None:
    rule = built(register, B200).one(":Firewall").inputs
    assert rule["network"].endswith("/verl-b200-gvnic-1-net")
    assert rule["sourceRanges"] == ["192.168.0.0/16"]


def test_a_smaller_mtu_leaves_rdma_at_what_its_driver_expects(register: Register) -> None:
    made = built(register, B200, network={"mtu": 1460})
    mtus = {it.name: it.inputs["mtu"] for it in made.of_type("compute/network:Network")}
    assert mtus == {"network-vpc": 1460, "gvnic-1-vpc": 1460, "rdma-vpc": 8896}


@pytest.mark.parametrize(
    ("stack", "machine", "gpu"),
    [(B200, "a4-highgpu-8g", "nvidia-b200"), (H200, "a3-ultragpu-8g", "nvidia-h200-141gb")],
)
def test_the_gpu_pool_grows_from_two_nodes_to_ten_out_of_a_reservation(
    register: Register, stack: str, machine: str, gpu: str
) -> None:
    inputs = pool(built(register, stack))
    assert inputs["initialNodeCount"] == 2
    assert inputs["autoscaling"] == {
        "totalMinNodeCount": 2,
        "totalMaxNodeCount": 10,
        "locationPolicy": "ANY",
    }
    assert inputs["nodeLocations"] == ["us-central1-b"]
    node = inputs["nodeConfig"]
    assert node["machineType"] == machine
    assert node["guestAccelerators"] == [
        {
            "type": gpu,
            "count": 8,
            "gpuDriverInstallationConfig": {"gpuDriverVersion": "DEFAULT"},
        }
    ]
    assert node["reservationAffinity"] == {
        "consumeReservationType": "SPECIFIC_RESERVATION",
        "key": "compute.googleapis.com/reservation-name",
        "values": [stack],
    }
    assert node["ephemeralStorageLocalSsdConfig"] == {"localSsdCount": 32}
    assert node["spot"] is False
    assert "flexStart" not in node
    assert "placementPolicy" not in inputs


def test_the_cpu_pool_is_the_scenarios(register: Register) -> None:
    inputs = pool(built(register, B200), "cpu-pool")
    assert inputs["nodeConfig"]["machineType"] == "c2-standard-16"
    assert inputs["initialNodeCount"] == 1
    assert inputs["autoscaling"]["totalMinNodeCount"] == 1
    assert inputs["autoscaling"]["totalMaxNodeCount"] == 5
    assert "additionalNodeNetworkConfigs" not in inputs.get("networkConfig", {})


def test_the_standard_cluster_has_the_networking_and_add_ons_of_the_scenario(
    register: Register,
) -> None:
    inputs = built(register, B200).named("gke-cluster").inputs
    assert inputs["enableMultiNetworking"] is True
    assert inputs["datapathProvider"] == "ADVANCED_DATAPATH"
    assert inputs["networkingMode"] == "VPC_NATIVE"
    assert inputs["workloadIdentityConfig"] == {"workloadPool": "my-project.svc.id.goog"}
    assert inputs["addonsConfig"]["gcsFuseCsiDriverConfig"] == {"enabled": True}
    assert inputs["addonsConfig"]["rayOperatorConfigs"][0]["enabled"] is True


def test_an_autopilot_cluster_goes_before_the_networks_that_its_nodes_are_in(
    register: Register,
) -> None:
    assert built(register, AUTOPILOT).waits_for("gke-cluster") >= NETWORKS
    assert not NETWORKS & built(register, B200).waits_for("gke-cluster")


def test_the_autopilot_cluster_is_told_only_what_it_does_not_decide_itself(
    register: Register,
) -> None:
    inputs = built(register, AUTOPILOT).named("gke-cluster").inputs
    assert inputs["enableAutopilot"] is True
    assert inputs["enableMultiNetworking"] is True
    assert inputs["location"] == "us-central1"
    assert inputs["addonsConfig"]["rayOperatorConfigs"][0]["enabled"] is True
    decided = {"nodeConfig", "removeDefaultNodePool", "initialNodeCount", "datapathProvider"}
    assert not decided & inputs.keys()


@pytest.mark.parametrize("stack", STACKS)
def test_pool_network_objects_and_pods_agree_interface_by_interface(
    register: Register, stack: str
) -> None:
    made = built(register, stack)
    annotations = pods_of(made)[1]["metadata"]["annotations"]
    asked = json.loads(annotations["networking.gke.io/interfaces"])
    assert annotations["networking.gke.io/default-interface"] == "eth0"
    assert [it["interfaceName"] for it in asked] == [f"eth{number}" for number in range(10)]
    assert [it["network"] for it in asked] == ["default", *INTERFACES]
    found: list[tuple[str, str]] = []
    for name in INTERFACES:
        network = made.named(f"interfaces-network-{name}").inputs
        parameters = made.named(f"interfaces-parameters-{name}").inputs
        assert network["metadata"]["name"] == name
        assert network["spec"]["parametersRef"]["name"] == parameters["metadata"]["name"] == name
        mode = "RDMA" if name.startswith("rdma") else "NetDevice"
        assert parameters["spec"]["deviceMode"] == mode
        found.append((parameters["spec"]["vpc"], parameters["spec"]["vpcSubnet"]))
    assert len(set(found)) == 9
    names = {
        (it.inputs["network"].rpartition("/")[2], it.inputs["name"])
        for it in made.of_type(":Subnetwork")
    }
    assert set(found) < names
    if stack != AUTOPILOT:
        config = pool(made)["networkConfig"]
        attached = [
            (it["network"], it["subnetwork"]) for it in config["additionalNodeNetworkConfigs"]
        ]
        assert attached == found
        assert config["enablePrivateNodes"] is True


@pytest.mark.parametrize(("stack", "gpu"), [(B200, "nvidia-b200"), (H200, "nvidia-h200-141gb")])
def test_the_plugin_goes_onto_the_gpu_nodes(register: Register, stack: str, gpu: str) -> None:
    made = built(register, stack)
    installer = made.named("nccl-daemon-set").inputs
    assert installer["metadata"]["namespace"] == "kube-system"
    selector = installer["spec"]["template"]["spec"]["nodeSelector"]
    assert selector["cloud.google.com/gke-accelerator"] == gpu
    assert selector == pods_of(made)[1]["spec"]["nodeSelector"]


def test_on_autopilot_the_plugin_goes_onto_the_nodes_of_googles_own_installer(
    register: Register,
) -> None:
    installer = built(register, AUTOPILOT).named("nccl-daemon-set").inputs
    assert installer["metadata"]["namespace"] == "rdma-system"
    pod = installer["spec"]["template"]["spec"]
    assert "nodeSelector" not in pod
    assert "nvidia-b200" in str(pod["affinity"]["nodeAffinity"])


@pytest.mark.parametrize("stack", STACKS)
def test_the_bucket_is_private_and_goes_with_the_stack(register: Register, stack: str) -> None:
    bucket = built(register, stack).named("bucket-bucket").inputs
    assert bucket["location"] == "US-CENTRAL1"
    # The scenario's has real folders, which would stay and keep it.
    assert bucket["hierarchicalNamespace"] == {"enabled": False}
    assert bucket["forceDestroy"] is True
    assert bucket["uniformBucketLevelAccess"] is True
    assert bucket["publicAccessPrevention"] == "enforced"
    assert bucket["name"].endswith("-my-project")
    assert bucket["versioning"] == {"enabled": False}


@pytest.mark.parametrize("stack", STACKS)
def test_one_kubernetes_account_may_use_the_objects_of_that_bucket_alone(
    register: Register, stack: str
) -> None:
    made = built(register, stack)
    grant = made.one(":BucketIAMMember").inputs
    account = made.named("account-account").inputs["metadata"]
    assert grant["role"] == "roles/storage.objectUser"
    assert grant["bucket"] == made.named("bucket-bucket").inputs["name"]
    assert grant["member"] == (
        f"principal://iam.googleapis.com/projects/{PROJECT_NUMBER}/locations/global/"
        "workloadIdentityPools/my-project.svc.id.goog/subject/ns/default/sa/"
        f"{account['name']}"
    )
    for pod in pods_of(made):
        assert pod["spec"]["serviceAccountName"] == account["name"]


def test_one_switch_protects_what_holds_data_or_is_hard_to_get_back(register: Register) -> None:
    made = built(register, B200, deletion_protection=True)
    assert {it.name for it in made.resources if it.protect} == {
        *("network-vpc", "network-subnet", "gke-cluster", "bucket-bucket"),
        *NETWORKS,
    }


def test_the_bucket_waits_for_no_cluster_and_no_network(register: Register) -> None:
    assert built(register, B200).waits_for("bucket-bucket") == {
        *("google", "apis", "apis-storage", "bucket")
    }


def test_the_gpu_pool_waits_for_its_interfaces_and_not_for_the_cpu_pool(register: Register) -> None:
    waits = built(register, B200).waits_for("gpu-pool")
    assert {"gke-cluster", *NETWORKS} <= waits
    assert not {"cpu-pool", "bucket-bucket", "network-nat"} & waits


def test_the_cluster_waits_for_neither_bucket_nor_nat(register: Register) -> None:
    for stack in (B200, AUTOPILOT):
        waits = built(register, stack).waits_for("gke-cluster")
        assert not {"bucket-bucket", "network-nat"} & waits


def test_network_objects_need_the_cluster_and_no_node(register: Register) -> None:
    waits = built(register, B200).waits_for("interfaces-network-rdma-0")
    assert {"gke-cluster", "rdma-subnet-rdma-0", "interfaces-parameters-rdma-0"} <= waits
    assert not {"gpu-pool", "cpu-pool", "rdma-subnet-rdma-1"} & waits


def test_a_second_pool_takes_the_same_interfaces_and_more_workers(register: Register) -> None:
    machine = {"machine_type": "a4-highgpu-8g", "nodes": 2, "capacity": {"mode": "spot"}}
    made = built(register, B200, pools__spot=machine)
    first, second = pool(made), pool(made, "spot-pool")
    assert second["networkConfig"] == first["networkConfig"]
    assert second["nodeConfig"]["spot"] is True
    workers = made.one(":RayCluster").inputs["spec"]["workerGroupSpecs"][0]
    assert workers["replicas"] == 4
    assert "spot-pool" in before_ray(made)
    assert "spot-pool" not in made.waits_for("gpu-pool")
