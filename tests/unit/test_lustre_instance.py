"""The Managed Lustre instance, as registered."""

from components.lustre_instance import LustreInstance, LustreInstanceArgs
from tests.conftest import Register

ARGS = LustreInstanceArgs(
    project="p",
    zone="us-east1-b",
    instance_name="rl-demo-gpu-lustre",
    network_id="projects/p/global/networks/demo-net",
    capacity_gib=9000,
    throughput_mbps_per_tib=1000,
    filesystem="lustre",
    labels={"stack": "test"},
    protect=True,
)


def test_it_is_the_scenarios_instance_with_gke_support(register: Register) -> None:
    instance = register(lambda: LustreInstance("lustre", ARGS)).one(":Instance")
    assert instance.inputs == {
        "project": "p",
        "location": "us-east1-b",
        "instanceId": "rl-demo-gpu-lustre",
        "network": "projects/p/global/networks/demo-net",
        "capacityGib": "9000",
        "perUnitStorageThroughput": "1000",
        "filesystem": "lustre",
        "gkeSupportEnabled": True,
        "labels": {"stack": "test"},
    }


def test_it_is_protected_given_time_and_never_made_beside_itself(register: Register) -> None:
    instance = register(lambda: LustreInstance("lustre", ARGS)).one(":Instance")
    assert instance.protect
    assert instance.create_timeout == "60m"
    assert instance.delete_before_replace


def test_address_and_handle_come_from_the_instance(register: Register) -> None:
    made = register(lambda: LustreInstance("lustre", ARGS))
    outputs = made.outputs[made.named("lustre").urn]
    assert outputs["mount_point"] == "10.10.0.2@tcp:/lustre"
    assert outputs["address"] == "10.10.0.2"
    assert outputs["handle"] == "p/us-east1-b/rl-demo-gpu-lustre"
