"""Network objects and their parameters, as registered; what pods make of them is for tests with a
control plane.
"""

import pytest

from components.network.device_networks import DeviceNetworks, DeviceNetworksArgs
from components.network.gvnic import GvnicNetwork, GvnicNetworkArgs
from components.network.node_network import NodeNetwork
from tests.conftest import Recording, Register, inside

API = "networking.gke.io/v1"
RDMA = NodeNetwork(
    name="rdma-0", interface="eth2", rdma=True, network="rdma-net", subnetwork="rdma-0-sub"
)


def made(register: Register) -> Recording:
    def program() -> None:
        vpc = GvnicNetwork(
            "vpc",
            GvnicNetworkArgs(
                project="p",
                region="us-east1",
                base_name="demo",
                key="gvnic-1",
                subnet_range="192.168.0.0/24",
                internal_range="192.168.0.0/16",
                mtu=8896,
            ),
        )
        gvnic = NodeNetwork(
            name="gvnic-1",
            interface="eth1",
            rdma=False,
            network=vpc.plain_names[0],
            subnetwork=vpc.plain_names[1],
            vpc=vpc.vpc,
            subnet=vpc.subnetwork,
        )
        DeviceNetworks(
            "nets",
            DeviceNetworksArgs(api_version=API, networks=[gvnic, RDMA], labels={"stack": "test"}),
            opts=inside(),
        )

    return register(program)


def test_all_of_it_is_gone_before_the_vpc_is(register: Register) -> None:
    waits = made(register).waits_for("nets-network-gvnic-1")
    assert {"nets-parameters-gvnic-1", "vpc-vpc", "vpc-subnet"} <= waits
    assert not any("rdma" in name for name in waits)


def test_a_changed_interface_replaces_parameters_and_network_together(register: Register) -> None:
    recording = made(register)
    parameters = recording.named("nets-parameters-rdma-0")
    network = recording.named("nets-network-rdma-0")
    for one in (parameters, network):
        assert one.replace_on_changes == ("spec",)
        assert one.delete_before_replace
    assert network.replace_with == {parameters.urn}


def test_pods_are_told_the_names_in_the_nodes_order(register: Register) -> None:
    recording = made(register)
    outputs = recording.outputs[recording.named("nets").urn]
    assert outputs == {"network_names": ["gvnic-1", "rdma-0"]}


def test_a_name_too_long_for_a_device_is_refused(register: Register) -> None:
    long = NodeNetwork(name="n" * 42, interface="eth1", rdma=False, network="v", subnetwork="s")
    with pytest.raises(ValueError, match=r"has at most 41; nearest: n+-[0-9a-f]{6}$"):
        register(
            lambda: DeviceNetworks(
                "nets",
                DeviceNetworksArgs(api_version=API, networks=[long], labels={}),
                opts=inside(),
            )
        )
