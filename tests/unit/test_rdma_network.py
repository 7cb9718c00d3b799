"""The VPC of RDMA interfaces, as registered."""

from components.network.rdma import RdmaNetwork, RdmaNetworkArgs
from tests.conftest import Recording, Register

RANGES = {f"rdma-{index}": f"192.168.{index + 1}.0/24" for index in range(8)}
ARGS = RdmaNetworkArgs(
    project="p",
    region="us-central1",
    base_name="demo",
    profile="us-central1-b-vpc-roce",
    subnet_ranges=RANGES,
    protect=True,
)


def made(register: Register) -> Recording:
    return register(lambda: RdmaNetwork("rdma", ARGS))


def test_each_interface_has_a_subnetwork_named_after_it(register: Register) -> None:
    recording = made(register)
    assert len(recording.of_type(":Subnetwork")) == 8
    third = recording.named("rdma-subnet-rdma-2").inputs
    assert (third["name"], third["ipCidrRange"]) == ("demo-rdma-2-sub", "192.168.3.0/24")
    outputs = recording.outputs[recording.named("rdma").urn]
    assert outputs["network_name"] == "demo-rdma-net"
    assert outputs["subnetwork_names"] == {key: f"demo-{key}-sub" for key in RANGES}


def test_subnetworks_but_the_first_are_made_at_the_same_time_and_go_with_it(
    register: Register,
) -> None:
    recording = made(register)
    first, *others = recording.of_type(":Subnetwork")
    assert recording.waits_for(first.name) == {"rdma", "rdma-vpc"}
    for one in others:
        assert recording.waits_for(one.name) == {"rdma", "rdma-vpc", first.name}
        assert one.inputs["network"] == first.inputs["network"]


def test_there_is_no_firewall_rule_which_such_a_vpc_would_refuse(register: Register) -> None:
    kinds = {it.type.rpartition(":")[2] for it in made(register).resources if it.custom}
    assert kinds == {"Network", "Subnetwork"}


def test_protection_covers_all_of_it(register: Register) -> None:
    assert all(it.protect for it in made(register).resources if it.custom)
