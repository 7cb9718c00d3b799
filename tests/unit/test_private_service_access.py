"""Private service access, as registered; what Google makes of a deletion no test here can show."""

import pytest

from components.network.peering_removal import PeeringRemoval
from components.network.private_service_access import PrivateServiceAccess, PrivateServiceAccessArgs
from stacks import kept_names
from stacks.on_record import Record
from tests.conftest import Recording, Register

NOTHING = Record()
RANGE = "gcp:compute/globalAddress:GlobalAddress"


def made_with(register: Register, removal: PeeringRemoval, record: Record = NOTHING) -> Recording:
    args = PrivateServiceAccessArgs(
        project="p",
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


def test_the_network_it_hands_out_is_known_only_with_the_peering(register: Register) -> None:
    made = made_with(register, PeeringRemoval.DELETE)
    outputs = made.outputs[made.named("services").urn]
    assert outputs == {"network_id": "projects/p/global/networks/demo-net"}
