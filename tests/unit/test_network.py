"""The VPC, as registered."""

from components.network import ClusterNetwork, ClusterNetworkArgs
from tests.conftest import Register

ARGS = ClusterNetworkArgs(
    project="p",
    region="us-east1",
    base_name="demo",
    mtu=8896,
    subnet_range="10.0.0.0/20",
    pods_range="10.8.0.0/16",
    services_range="10.9.0.0/20",
    protect=True,
)


def test_it_is_a_vpc_a_subnetwork_and_a_nat(register: Register) -> None:
    made = register(lambda: ClusterNetwork("network", ARGS))
    assert made.children("network") == {
        *("network-vpc", "network-subnet", "network-router", "network-nat"),
    }
    vpc = made.one(":Network")
    assert vpc.inputs["mtu"] == 8896
    assert vpc.inputs["autoCreateSubnetworks"] is False
    nat = made.one(":RouterNat")
    assert nat.inputs["router"] == "demo-router"


def test_a_node_gets_more_ports_when_it_opens_many_connections(register: Register) -> None:
    nat = register(lambda: ClusterNetwork("network", ARGS)).one(":RouterNat").inputs
    assert nat["enableDynamicPortAllocation"] is True
    assert nat["enableEndpointIndependentMapping"] is False
    assert (nat["minPortsPerVm"], nat["maxPortsPerVm"]) == (1024, 65536)


def test_pods_and_services_have_named_ranges_of_the_subnetwork(register: Register) -> None:
    subnet = register(lambda: ClusterNetwork("network", ARGS)).one(":Subnetwork")
    assert subnet.inputs["secondaryIpRanges"] == [
        {"rangeName": "pods", "ipCidrRange": "10.8.0.0/16"},
        {"rangeName": "services", "ipCidrRange": "10.9.0.0/20"},
    ]
    assert subnet.inputs["privateIpGoogleAccess"] is True


def test_the_subnetwork_does_not_wait_for_the_nat(register: Register) -> None:
    made = register(lambda: ClusterNetwork("network", ARGS))
    assert made.waits_for("network-subnet") == {"network", "network-vpc"}


def test_protection_covers_the_vpc_and_its_subnetwork(register: Register) -> None:
    made = register(lambda: ClusterNetwork("network", ARGS))
    protected = {it.name for it in made.resources if it.protect}
    assert protected == {"network-vpc", "network-subnet"}
