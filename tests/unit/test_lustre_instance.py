"""The Managed Lustre instance, as registered."""

from dataclasses import replace

from components.lustre.instance import LustreInstance, LustreInstanceArgs
from tests.conftest import Register

ARGS = LustreInstanceArgs(
    project="p",
    zone="us-east1-b",
    instance_name="rl-demo-gpu-lustre",
    network_id="projects/p/global/networks/demo-net",
    capacity_gib=9000,
    throughput_mbps_per_tib=1000,
    filesystem="lustre",
    peering_range="10.10.0.0/22",
    port=988,
    labels={"stack": "test"},
    protect=True,
)


def test_gke_support_is_what_puts_it_on_the_port_of_older_nodes(register: Register) -> None:
    older = replace(ARGS, legacy_port=True, port=6988)
    made = register(lambda: LustreInstance("lustre", older))
    assert made.one(":Instance").inputs["gkeSupportEnabled"] is True
    assert made.one(":Firewall").inputs["allows"] == [{"protocol": "tcp", "ports": ["6988"]}]


def test_it_is_protected_given_time_and_never_made_beside_itself(register: Register) -> None:
    instance = register(lambda: LustreInstance("lustre", ARGS)).one(":Instance")
    assert instance.protect
    assert instance.create_timeout == "120m"
    assert instance.delete_before_replace


def test_address_and_handle_come_from_the_instance(register: Register) -> None:
    made = register(lambda: LustreInstance("lustre", ARGS))
    outputs = made.outputs[made.named("lustre").urn]
    assert outputs["mount_point"] == "10.10.0.2@tcp:/lustre"
    assert outputs["address"] == "10.10.0.2"
    assert outputs["handle"] == "p/us-east1-b/rl-demo-gpu-lustre"
