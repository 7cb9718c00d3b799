"""Node pools, as registered."""

from dataclasses import replace
from typing import Any

import pytest

from components.base.capacity import CapacityArgs
from components.base.component import check_arguments
from components.base.taints import NodeTaintArgs
from components.network.gvnic import GvnicNetwork, GvnicNetworkArgs
from components.network.node_network import NodeNetwork
from components.pools.node_pool import GpuArgs, NodeBoundsArgs, NodePool, NodePoolArgs
from tests.conftest import Recording, Register

CPU = NodePoolArgs(
    project="p",
    location="us-east1",
    zone="us-east1-b",
    cluster_name="demo",
    pool_name="cpu-pool",
    service_account="nodes@p",
    machine_type="e2-standard-4",
    nodes=2,
    bounds=NodeBoundsArgs(min=1, max=3),
    capacity=CapacityArgs(mode="on-demand"),
    disk_type="pd-balanced",
    disk_gb=100,
    max_pods_per_node=110,
    labels={"stack": "test"},
)
GPU = replace(
    CPU,
    pool_name="gpu-pool",
    machine_type="a4-highgpu-8g",
    nodes=8,
    bounds=None,
    capacity=CapacityArgs(mode="spot"),
    disk_type="hyperdisk-balanced",
    local_ssds=32,
    gpu=GpuArgs(type="nvidia-b200", count=8, driver="LATEST"),
)

NETWORKS = (
    NodeNetwork(name="gvnic-1", interface="eth1", rdma=False, network="gvnic", subnetwork="g-sub"),
    NodeNetwork(name="rdma-0", interface="eth2", rdma=True, network="rdma", subnetwork="r-sub-0"),
)


def made(register: Register, args: NodePoolArgs, **values: Any) -> Recording:
    return register(lambda: NodePool("pool", replace(args, **values)))


@pytest.mark.parametrize("args", [CPU, GPU])
def test_a_changed_size_never_replaces_the_pool(register: Register, args: NodePoolArgs) -> None:
    pool = made(register, args).one(":NodePool")
    assert pool.ignore_changes == ("initialNodeCount",)


@pytest.mark.parametrize("mode", ["flex-start", "queued"])
@pytest.mark.parametrize("bounds", [None, NodeBoundsArgs(min=0, max=8)])
def test_machines_on_request_are_never_there_from_the_start(
    mode: str, bounds: NodeBoundsArgs | None
) -> None:
    with pytest.raises(ValueError, match=r"nearest: nodes=0, bounds=NodeBoundsArgs\(min=0, max=8"):
        check_arguments(replace(GPU, capacity=CapacityArgs(mode=mode), bounds=bounds))


def test_there_is_time_for_scarce_capacity(register: Register) -> None:
    assert made(register, GPU).one(":NodePool").create_timeout == "120m"


def test_a_pool_has_a_selector_of_its_own_and_one_of_its_accelerators(register: Register) -> None:
    def program() -> None:
        NodePool("spot", replace(GPU, pool_name="spot-pool"))
        NodePool("pool", GPU)
        NodePool("cpu", CPU)

    recording = register(program)
    outputs = {it: recording.outputs[recording.named(it).urn] for it in ("spot", "pool", "cpu")}
    pool = "cloud.google.com/gke-nodepool"
    own = {name: it["node_selector"] for name, it in outputs.items()}
    assert own == {
        "spot": {pool: "spot-pool"},
        "pool": {pool: "gpu-pool"},
        "cpu": {pool: "cpu-pool"},
    }
    shared = {"cloud.google.com/gke-accelerator": "nvidia-b200"}
    assert {name: it["accelerator_selector"] for name, it in outputs.items()} == {
        "spot": shared,
        "pool": shared,
        "cpu": own["cpu"],
    }


def test_a_pool_with_gpus_is_tainted_unless_it_is_to_have_none(register: Register) -> None:
    taint = {"key": "nvidia.com/gpu", "value": "present", "effect": "NO_SCHEDULE"}
    node = made(register, GPU).one(":NodePool").inputs["nodeConfig"]
    assert node["taints"] == [taint]
    assert "taints" not in made(register, GPU, tainted=False).one(":NodePool").inputs["nodeConfig"]


def test_managed_interfaces_have_no_networks_of_others(register: Register) -> None:
    with pytest.raises(ValueError, match=r"additional_networks; nearest: one of the two$"):
        made(register, GPU, managed_interfaces=True, additional_networks=NETWORKS)


def test_a_pool_is_replaced_with_its_networks_though_no_property_depends_on_them(
    register: Register,
) -> None:
    def program() -> None:
        net = GvnicNetwork(
            "gvnic-1",
            GvnicNetworkArgs(
                project="p",
                region="r",
                base_name="b",
                key="gvnic-1",
                subnet_range="10.0.0.0/24",
                internal_range="10.0.0.0/16",
                mtu=8896,
            ),
        )
        network, subnetwork = net.plain_names
        one = NodeNetwork(
            name="gvnic-1",
            interface="eth1",
            rdma=False,
            network=network,
            subnetwork=subnetwork,
            vpc=net.vpc,
            subnet=net.subnetwork,
        )
        assert {type(network), type(subnetwork)} == {str}
        NodePool("pool", replace(GPU, additional_networks=[one]))

    recording = register(program)
    pool = recording.named("pool-pool")
    networks = {recording.named(it).urn for it in ("gvnic-1-vpc", "gvnic-1-subnet")}
    assert networks <= pool.replace_with
    assert networks <= pool.dependencies
    assert not networks & pool.property_dependencies["networkConfig"]


@pytest.mark.parametrize(
    "values",
    [
        {"node_labels": {"kubernetes.io/team": "a"}},
        {"taints": [NodeTaintArgs(key="nvidia.com/gpu", value="a", effect="NoSchedule")]},
    ],
)
def test_what_gke_keeps_for_itself_is_refused_before_any_resource(
    register: Register, values: dict[str, Any]
) -> None:
    with pytest.raises(ValueError, match="keep for themselves; nearest: "):
        made(register, GPU, **values)


@pytest.mark.parametrize(
    "values",
    [
        {"gpu": None},
        {"gpu": GpuArgs(type="nvidia-h200-141gb", count=8, driver="LATEST")},
        {"managed_interfaces": True},
        {"additional_networks": NETWORKS},
    ],
)
def test_other_accelerators_or_interfaces_make_another_pool(
    register: Register, values: dict[str, Any]
) -> None:
    before = made(register, GPU).one(":NodePool").replacement_trigger
    assert before is not None
    assert made(register, GPU, nodes=4).one(":NodePool").replacement_trigger == before
    assert made(register, GPU, **values).one(":NodePool").replacement_trigger != before
