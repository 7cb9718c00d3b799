"""Private service access, as registered; what Google makes of a deletion no test here can show."""

import pytest

from components.private_service_access import PrivateServiceAccess, PrivateServiceAccessArgs
from components.private_service_access_policy import PeeringRemoval
from stacks import kept_names
from stacks.on_record import Record
from tests.conftest import Recording, Register

NOTHING = Record()
RANGE = "gcp:compute/globalAddress:GlobalAddress"


def made_with(register: Register, removal: PeeringRemoval, record: Record = NOTHING) -> Recording:
    args = PrivateServiceAccessArgs(
        project="p",
        service="servicenetworking.googleapis.com",
        base_name="demo",
        network_id="projects/p/global/networks/demo-net",
        address_range="10.10.0.0/22",
        removal=removal,
        labels={"stack": "test"},
    )

    def program() -> None:
        kept_names.install(record)
        PrivateServiceAccess("services", args)

    return register(program)


def test_the_range_is_the_plans_and_not_googles_choice(register: Register) -> None:
    address = made_with(register, PeeringRemoval.DELETE).one(":GlobalAddress")
    assert address.inputs["address"] == "10.10.0.0"
    assert address.inputs["prefixLength"] == 22
    assert address.inputs["purpose"] == "VPC_PEERING"
    assert address.inputs["name"] == "demo-services-10-10-0-0-22"
    assert address.inputs["labels"] == {"stack": "test"}


@pytest.mark.parametrize(
    ("prefix_length", "name"),
    [(22, "google-managed-services-demo"), (20, "demo-services-10-10-0-0-22")],
)
def test_a_range_of_an_earlier_release_keeps_its_name_as_long_as_it_is_the_same(
    register: Register, prefix_length: int, name: str
) -> None:
    had = {"address": "10.10.0.0", "prefixLength": prefix_length}
    outputs = {**had, "name": "google-managed-services-demo"}
    record = Record({"urn::services-range": {"type": RANGE, "outputs": outputs}})
    address = made_with(register, PeeringRemoval.DELETE, record).one(":GlobalAddress")
    assert address.inputs["name"] == name


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
