"""The data's preparation and the training of the verl stacks, and what they wait for."""

import json
import re
from typing import Any

import pytest

from tests.conftest import ENCODED_TOKEN, Recording, Register
from tests.unit.stack_graphs import at, before_ray, built, options_of, pods_of

B200, H200, AUTOPILOT = "verl-b200", "verl-h200", "verl-b200-autopilot"
STACKS = [B200, H200, AUTOPILOT]
# Of both stacks with B200s.
RAY = "ray__b200-ray-cluster"


def of_ray(made: Recording, end: str) -> str:
    """What has the RayCluster's name."""
    return f"{made.one(':RayCluster').name.removesuffix('cluster')}{end}"


def of_preparation(made: Recording) -> str:
    return of_ray(made, "preparation-job")


def preparation(made: Recording) -> dict[str, Any]:
    return made.named(of_preparation(made)).inputs["spec"]["template"]


@pytest.mark.parametrize("stack", STACKS)
def test_the_training_waits_for_ray_and_for_the_data(register: Register, stack: str) -> None:
    made = built(register, stack)
    ray = made.one(":RayCluster").name
    prepared = of_preparation(made)
    assert {ray, prepared, of_ray(made, "launchers-files")} <= made.waits_for("verl-grpo-job")
    assert prepared not in made.waits_for(ray)
    assert ray not in made.waits_for(prepared)


@pytest.mark.parametrize("stack", STACKS)
def test_pods_wait_for_the_grant_the_volume_and_the_nat(register: Register, stack: str) -> None:
    made = built(register, stack)
    for waits in (before_ray(made), made.waits_for(of_preparation(made))):
        assert {"bucket-user-grant", "account-account", "network-nat"} <= waits
        assert "bucket-volume-claim" in waits


@pytest.mark.parametrize("stack", STACKS)
def test_ray_waits_for_the_plugin_and_the_network_objects(register: Register, stack: str) -> None:
    waits = before_ray(built(register, stack))
    assert {"nccl-daemon-set", "interfaces-network-gvnic-1", "interfaces-network-rdma-7"} <= waits


def test_the_preparation_waits_for_no_gpu(register: Register) -> None:
    made = built(register, B200)
    waits = made.waits_for(of_preparation(made))
    assert "cpu-pool" in waits
    assert not {"gpu-pool", "nccl-daemon-set", "rdma-vpc"} & waits


def test_a_test_of_the_network_is_part_of_the_job_and_changes_nothing_else(
    register: Register,
) -> None:
    """It so needs no machines of its own, which a spot pool has not, and sees the training's."""
    without = built(register, AUTOPILOT, **at(f"{RAY}__nccl_test", None))
    faster = at(f"{RAY}__nccl_test", {"minimum_bus_bandwidth_gbps": 300})
    tested = built(register, AUTOPILOT, **faster)
    assert without.names() == tested.names()
    differing = {it.name for it in tested.resources if it.inputs != without.named(it.name).inputs}
    assert differing == {"verl-grpo-job", of_ray(tested, "launchers-files")}
    entrypoint = tested.named("verl-grpo-job").inputs["spec"]["entrypoint"]
    assert re.search(r" --test /etc/launcher/network_test-\w+\.py:2:8:300 16 0 ", entrypoint)


def test_no_token_is_needed_and_one_that_is_given_stays_in_its_secret(register: Register) -> None:
    assert "tokens-secret" not in built(register, B200).names()
    made = built(register, B200, keys=("hugging_face_token",))
    holders = [it.name for it in made.resources if ENCODED_TOKEN in json.dumps(it.inputs)]
    assert holders == ["tokens-secret"]
    assert preparation(made)["spec"]["containers"][0]["env"][0]["name"] == "HF_TOKEN"


def test_with_its_key_the_run_is_reported_to_weights_and_biases(register: Register) -> None:
    made = built(register, B200, keys=("wandb_api_key",))
    options = options_of(made)
    assert options["loggers"] == "console,wandb"
    assert options["trainer.experiment_name"] == "verl-grpo"
    worker = pods_of(made)[1]["spec"]["containers"][0]
    assert "WANDB_API_KEY" in [it["name"] for it in worker["env"]]


def test_the_training_runs_again_when_a_machine_goes_and_resumes_by_verls_own_default(
    register: Register,
) -> None:
    made = built(register, "verl-b200")
    entrypoint = made.named("verl-grpo-job").inputs["spec"]["entrypoint"]
    assert re.search(
        r" python3 /etc/launcher/resume-\w+\.py --checkpoints /data/checkpoints/global_step_ "
        r"--test /etc/launcher/network_test-\w+\.py:2:8:0 16 0 bash /etc/launcher/verl_grpo-",
        entrypoint,
    )
    assert "trainer.resume_mode" not in entrypoint


def test_checkpoints_in_a_listing_that_is_kept_are_not_counted(register: Register) -> None:
    cached = built(register, B200, **at("buckets__bucket__mount__kernel_list_cache_ttl_s", -1))
    assert "--checkpoints" not in cached.named("verl-grpo-job").inputs["spec"]["entrypoint"]
