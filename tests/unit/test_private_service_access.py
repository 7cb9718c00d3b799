"""Private service access, as registered; what Google makes of a deletion no test here can show."""

import pytest

from components.private_service_access import PrivateServiceAccess, PrivateServiceAccessArgs
from components.private_service_access_policy import PeeringRemoval
from tests.conftest import Recording, Register


def made_with(register: Register, removal: PeeringRemoval) -> Recording:
    args = PrivateServiceAccessArgs(
        project="p",
        service="servicenetworking.googleapis.com",
        base_name="demo",
        network_id="projects/p/global/networks/demo-net",
        address_range="10.10.0.0/22",
        removal=removal,
        labels={"stack": "test"},
    )
    return register(lambda: PrivateServiceAccess("services", args))


def test_the_range_is_the_plans_and_not_googles_choice(register: Register) -> None:
    address = made_with(register, PeeringRemoval.DELETE).one(":GlobalAddress")
    assert address.inputs["address"] == "10.10.0.0"
    assert address.inputs["prefixLength"] == 22
    assert address.inputs["purpose"] == "VPC_PEERING"
    assert address.inputs["name"] == "demo-services-10-10-0-0-22"
    assert address.inputs["labels"] == {"stack": "test"}


@pytest.mark.parametrize(
    ("removal", "policy"),
    [
        (PeeringRemoval.REMOVE, "REMOVE_PEERING"),
        (PeeringRemoval.DELETE, "DELETE"),
        (PeeringRemoval.ABANDON, "ABANDON"),
    ],
)
def test_the_peering_goes_the_way_that_was_asked_for(
    register: Register, removal: PeeringRemoval, policy: str
) -> None:
    peering = made_with(register, removal).one(":Connection")
    assert peering.inputs["deletionPolicy"] == policy
    assert peering.inputs["reservedPeeringRanges"] == ["demo-services-10-10-0-0-22"]
    assert peering.inputs["updateOnCreationFail"] is True


def test_the_network_it_hands_out_is_known_only_with_the_peering(register: Register) -> None:
    made = made_with(register, PeeringRemoval.DELETE)
    outputs = made.outputs[made.named("services").urn]
    assert outputs == {"network_id": "projects/p/global/networks/demo-net"}
