"""A further VPC of nodes, as registered."""

from components.network.gvnic import GvnicNetwork, GvnicNetworkArgs
from tests.conftest import Recording, Register

ARGS = GvnicNetworkArgs(
    project="p",
    region="us-east1",
    base_name="demo",
    key="gvnic-1",
    subnet_range="192.168.0.0/24",
    internal_range="192.168.0.0/16",
    protect=True,
    mtu=8896,
)


def made(register: Register) -> Recording:
    return register(lambda: GvnicNetwork("gvnic", ARGS))


def test_the_subnetwork_does_not_wait_for_the_firewall(register: Register) -> None:
    assert made(register).waits_for("gvnic-subnet") == {"gvnic", "gvnic-vpc"}


def test_nodes_and_pods_are_given_names_not_paths(register: Register) -> None:
    recording = made(register)
    outputs = recording.outputs[recording.named("gvnic").urn]
    assert {key: outputs[key] for key in ("network_id", "network_name", "subnetwork_name")} == {
        "network_id": "projects/p/global/networks/demo-gvnic-1-net",
        "network_name": "demo-gvnic-1-net",
        "subnetwork_name": "demo-gvnic-1-sub",
    }


def test_protection_covers_the_vpc_and_its_subnetwork(register: Register) -> None:
    protected = {it.name for it in made(register).resources if it.protect}
    assert protected == {"gvnic-vpc", "gvnic-subnet"}
