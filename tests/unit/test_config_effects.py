"""Every key of a stack's config changes something: no key is read and then forgotten."""

from typing import Any

import pytest

from stacks.lustre_training_config import LustreTraining
from stacks.verl_training_config import VerlTraining
from tests.conftest import Register
from tests.unit.config_keys import EFFECTS, EFFECTS_WITHIN, untried
from tests.unit.stack_graphs import built, fingerprint

TOKEN = ("hugging_face_token",)
LUSTRE: list[dict[str, Any]] = [
    {"network__peering": "10.23.0.0/24"},
    {"network__peering_on_destroy": "delete"},
    {"cluster__version": "1.33.2-gke.2000000"},
    {"lustre__name": "other"},
    {"lustre__capacity_gib": 18000},
    {"lustre__throughput_mbps_per_tib": 500, "lustre__capacity_gib": 18000},
    {"lustre__filesystem": "scratch"},
    {"lustre__mount_path": "/data"},
    {"ray__head__limits__cpu": 40},
    {"ray__head__limits__memory_gib": 500},
    {"job__name": "other"},
    {"job__recipe": "examples/configs/other.yaml"},
    {"job__model": "Qwen/Qwen3-32B"},
    {"job__converter": "LlamaForCausalLM"},
    {"job__dataset": "OpenMathInstruct-2"},
    {"job__max_steps": 40},
    {"job__prompts_per_step": 64},
    {"job__generations_per_prompt": 16},
    {"job__train_global_batch_size": 128},
    {"job__parallelism": {"tensor": 8}},
    {"job__parallelism": {"pipeline": 2}},
    {"job__checkpoints__directory": "other"},
    {"job__checkpoints__period": 4},
    {"job__checkpoints__keep": 3},
    {"job__checkpoints__metric": "val:accuracy"},
    {"job__hugging_face_cache": "other"},
    {"job__socket_interface": "eth1"},
    {"job": None},
]
VERL: list[dict[str, Any]] = [
    {"bucket__name": "other-bucket"},
    {"bucket__hierarchical_namespace": False},
    {"bucket__hierarchical_namespace": False, "bucket__versioning": True},
    {"bucket__soft_delete_days": 0},
    {"bucket__force_destroy": False},
    {"bucket__mount_path": "/bucket"},
    {"bucket__capacity_gib": 100},
    {"bucket__mount": {"implicit_dirs": False}},
    {"bucket__mount": {"metadata_negative_ttl_s": 60}},
    {"bucket__mount": {"metadata_ttl_s": 60}},
    {"bucket__mount": {"stat_cache_mib": 64}},
    {"bucket__mount": {"type_cache_mib": 64}},
    {"bucket__mount": {"file_cache_mib": 64}},
    {"bucket__mount": {"cache_file_for_range_read": False}},
    {"bucket__mount": {"parallel_downloads": False}},
    {"bucket__mount": {"read_ahead_kib": 2048}},
    {"bucket__mount": {"streaming_writes": False}},
    {"bucket__mount": {"write_global_max_blocks": 100}},
    {"bucket__mount": {"metadata_prefetch": False}},
    {"bucket__mount": {"skip_access_check": False}},
    {"job__name": "other"},
    {"job__code_tag": "v0.7.0"},
    {"job__model": "Qwen/Qwen3-32B"},
    {"job__revision": "main"},
    {"job__epochs": 3},
    {"job__train_batch_size": 512},
    {"job__max_prompt_length": 1024},
    {"job__max_response_length": 1024},
    {"job__rollout": {"samples": 16}},
    {"job__rollout": {"tensor_parallel": 4}},
    {"job__rollout": {"gpu_memory_utilization": 0.7}},
    {"job__rollout": {"log_prob_micro_batch_size_per_gpu": 4}},
    {"job__actor": {"strategy": "fsdp"}},
    {"job__actor": {"learning_rate": 2e-6}},
    {"job__actor": {"mini_batch_size": 128}},
    {"job__actor": {"micro_batch_size_per_gpu": 32}},
    {"job__divergence": {"loss": True}},
    {"job__divergence": {"coefficient": 0.01}},
    {"job__divergence": {"reference_micro_batch_size_per_gpu": 2}},
    {"job__checkpoints": {"directory": "runs/first"}},
    {"job__checkpoints": {"period": 5}},
    {"job__checkpoints": {"keep": 2}},
    {"job__test_period": 5},
    {"job__validate_first": True},
    {"job__socket_interface": "eth1"},
    {"job__nccl_debug": "WARN"},
    {"job__preparation": {"cpu": 4}},
    {"job__preparation": {"memory_gib": 16}},
    {"job__preparation": {"scratch_gib": 30}},
    {"job": {"name": "verl-grpo", "preparation": None}},
    {"job": None},
]
# Keys of Autopilot's own, which verl-b200 does not take.
AUTOPILOT: list[dict[str, Any]] = [
    {"gpu_nodes__nodes": 4},
    {"gpu_nodes__capacity": {"mode": "reservation", "name": "r"}},
    {"nccl_test": {}},
]
# Their effects need another zone, another secret, or another mode of the cluster.
APART = {"cluster__mode", "job__wandb", "job__dataset", "gpu_nodes__machine_type"}
ALL = [
    *(("b200-lustre", TOKEN, values) for values in LUSTRE),
    *(("verl-b200", (), values) for values in (*EFFECTS, *VERL)),
    *(("verl-b200-autopilot", (), values) for values in AUTOPILOT),
]


def name_of(value: Any) -> str:
    return "-".join(value) if isinstance(value, dict | tuple) else str(value)


@pytest.mark.parametrize(("stack", "keys", "values"), ALL, ids=name_of)
def test_every_key_of_the_config_has_an_effect(
    register: Register, stack: str, keys: tuple[str, ...], values: dict[str, Any]
) -> None:
    unchanged = built(register, stack, keys=keys)
    assert fingerprint(built(register, stack, keys=keys, **values)) != fingerprint(unchanged)


@pytest.mark.parametrize(("block", "values"), EFFECTS_WITHIN, ids=name_of)
def test_every_key_of_a_block_that_is_asked_for_has_an_effect(
    register: Register, block: dict[str, Any], values: dict[str, Any]
) -> None:
    with_block = fingerprint(built(register, "verl-b200", **block))
    assert fingerprint(built(register, "verl-b200", **{**block, **values})) != with_block


def test_no_key_is_left_out_of_the_lists_above() -> None:
    shared = [*EFFECTS, *(values for _, values in EFFECTS_WITHIN)]
    lustre = untried(LustreTraining, [*shared, *LUSTRE])
    verl = untried(VerlTraining, [*shared, *VERL, *AUTOPILOT])
    # The same blocks as those of the GPU pool and of the workers.
    alike = ("cpu_pool__capacity__", "gpu_nodes__capacity__", "ray__head__limits__")
    assert {key for key in (lustre | verl) - APART if not key.startswith(alike)} == set()
