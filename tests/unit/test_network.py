"""The VPC, as registered."""

from components.network.network import ClusterNetwork, ClusterNetworkArgs
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


def test_the_subnetwork_does_not_wait_for_the_nat(register: Register) -> None:
    made = register(lambda: ClusterNetwork("network", ARGS))
    assert made.waits_for("network-subnet") == {"network", "network-vpc"}


def test_protection_covers_the_vpc_and_its_subnetwork(register: Register) -> None:
    made = register(lambda: ClusterNetwork("network", ARGS))
    protected = {it.name for it in made.resources if it.protect}
    assert protected == {"network-vpc", "network-subnet"}
