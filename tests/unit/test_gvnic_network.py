"""A further VPC of nodes, as registered."""

from components.gvnic_network import GvnicNetwork, GvnicNetworkArgs
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


def test_it_is_a_vpc_with_large_packets_and_one_subnetwork(register: Register) -> None:
    recording = made(register)
    vpc = recording.named("gvnic-vpc").inputs
    assert (vpc["name"], vpc["mtu"], vpc["autoCreateSubnetworks"]) == (
        "demo-gvnic-1-net",
        8896,
        False,
    )
    subnet = recording.named("gvnic-subnet").inputs
    assert (subnet["name"], subnet["ipCidrRange"]) == ("demo-gvnic-1-sub", "192.168.0.0/24")


def test_its_nodes_may_talk_to_the_whole_internal_range(register: Register) -> None:
    rule = made(register).one(":Firewall").inputs
    assert rule["name"] == "demo-gvnic-1-internal"
    assert rule["direction"] == "INGRESS"
    assert rule["sourceRanges"] == ["192.168.0.0/16"]
    assert rule["allows"] == [{"protocol": "tcp"}, {"protocol": "udp"}, {"protocol": "icmp"}]


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
