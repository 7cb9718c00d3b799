"""A stack with TPU7x, as registered; that Google places its hosts no test here can prove."""

from typing import Any

from stacks.config import validate
from tests.conftest import Recording, changed
from tests.parts.machine_samples import IRONWOOD
from tests.parts.samples import TPU
from tests.programs import registered


def made(**values: Any) -> Recording:
    return registered(validate(changed(TPU, **{**IRONWOOD, **values})))


def test_all_slices_of_a_pool_are_placed_by_one_policy_of_their_shape() -> None:
    found = made()
    policy = found.named("tpu-placement-policy").inputs
    assert (policy["name"], policy["region"]) == ("tpu-tpu-2x2x4", "us-central1")
    assert policy["workloadPolicy"] == {
        "type": "HIGH_THROUGHPUT",
        "acceleratorTopology": "2x2x4",
    }
    for number in (0, 1):
        placed = found.named(f"tpu-{number}-pool").inputs["placementPolicy"]
        assert placed["policyName"] == "tpu-tpu-2x2x4"
        assert placed["tpuTopology"] == "2x2x4"


def test_a_host_by_itself_has_no_policy() -> None:
    found = made(
        pools__tpu__topology="2x2x1",
        jobs__maxtext__ici={"fsdp": -1},
        jobs__maxtext__per_device_batch_size=1,
    )
    assert not [it for it in found.resources if it.type.endswith(":ResourcePolicy")]
    assert "placementPolicy" not in found.named("tpu-0-pool").inputs


def test_the_trainer_is_told_of_two_devices_a_chip_and_of_ray_s_name() -> None:
    entry = made().named("maxtext-job").inputs["spec"]["entrypoint"]
    assert "accelerator=TPU-V7X" in entry
    assert "devices=2" in entry


def test_flags_that_were_found_on_trillium_are_not_its_defaults() -> None:
    assert "xla_tpu_scoped_vmem_limit_kib" not in str(made().resources)
    told = made(pools__tpu__libtpu_flags=[{"name": "xla_tpu_flag", "value": "1"}])
    assert "--xla_tpu_flag=1" in str(told.resources)
