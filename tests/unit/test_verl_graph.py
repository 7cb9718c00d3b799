"""The cloud side of the verl stacks as a graph: networks, clusters, nodes, bucket."""

import json
from typing import Any

import pytest

from tests.conftest import Recording, Register
from tests.unit.stack_graphs import before_ray, built, pods_of

B200, H200, AUTOPILOT = "verl-b200", "verl-h200", "verl-b200-autopilot"
STACKS = [B200, H200, AUTOPILOT]
INTERFACES = ("gvnic-1", *(f"rdma-{number}" for number in range(8)))
NETWORKS = {
    *("gvnic-1-vpc", "gvnic-1-subnet", "rdma-vpc"),
    *(f"rdma-subnet-rdma-{number}" for number in range(8)),
}


def pool(made: Recording, name: str = "gpu-pool") -> dict[str, Any]:
    return made.named(name).inputs


def test_an_autopilot_cluster_goes_before_the_networks_that_its_nodes_are_in(
    register: Register,
) -> None:
    assert built(register, AUTOPILOT).waits_for("gke-cluster") >= NETWORKS
    assert not NETWORKS & built(register, B200).waits_for("gke-cluster")


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
