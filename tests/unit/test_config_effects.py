"""Every key of a stack's config changes something: no key is read and then forgotten."""

from typing import Any

import pytest
from stacks.blocks.cluster_stack import ClusterStack
from stacks.checkpoint_training_config import CheckpointTraining
from stacks.dev_config import Dev
from stacks.lustre_training_config import LustreTraining
from stacks.tpu_training_config import TpuTraining
from stacks.train_and_serve_config import TrainAndServe
from stacks.verl_training_config import VerlTraining

from tests.conftest import Register
from tests.unit.config_keys import (
    BUCKET_EFFECTS,
    BUCKET_WITHIN,
    EFFECTS,
    EFFECTS_WITHIN,
    GPU_EFFECTS,
    GPU_WITHIN,
    HEAD_EFFECTS,
    RAY_EFFECTS,
    Within,
    untried,
)
from tests.unit.config_keys_queues import (
    CHECKED_WITHIN,
    CHECKPOINT,
    CHECKPOINT_WITHIN,
    DEV,
    DEV_WITHIN,
    KUEUE_WITHIN,
    SERVE,
    SERVE_APART,
    SERVE_WITHIN,
)
from tests.unit.stack_graphs import built, fingerprint

TOKEN = ("hugging_face_token",)
LUSTRE: list[dict[str, Any]] = [
    {"network__peering": "10.23.0.0/22"},
    {"network__peering_on_destroy": "delete"},
    {"cluster__version": "1.33.2-gke.2000000"},
    {"lustre__name": "other"},
    {"lustre__capacity_gib": 18000},
    {"lustre__throughput_mbps_per_tib": 500, "lustre__capacity_gib": 18000},
    {"lustre__filesystem": "scratch"},
    {"lustre__mount_path": "/data"},
    {"ray__head__limits": {"cpu": 14, "memory_gib": 48}},
    {"ray__head__limits": {"cpu": 12, "memory_gib": 50}},
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
    *EFFECTS,
    *RAY_EFFECTS,
    *HEAD_EFFECTS,
    *GPU_EFFECTS,
    *BUCKET_EFFECTS,
    {"bucket__role": "objectAdmin"},
    {"bucket__force_destroy": False},
    {"bucket__capacity_gib": 100},
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
_TPU_DISKS = {
    "ray__head__requests__ephemeral_storage_gib": 10,
    "ray__worker__requests__ephemeral_storage_gib": 10,
}
TPU: list[dict[str, Any]] = [
    {"bucket__mount__streaming_writes": False},
    *EFFECTS,
    *RAY_EFFECTS,
    # Its chart has no webhook for TPUs.
    *(it for it in HEAD_EFFECTS if it != {"ray__operator": "helm"}),
    *(it for it in BUCKET_EFFECTS if "ephemeral" not in str(it)),
    {"bucket__role": "objectAdmin"},
    {"bucket__force_destroy": False},
    {"cluster__location": "regional"},
    {"network__dcn": [{"name": "net-1", "range": "10.50.0.0/16"}]},
    {"tpu__slices": 3},
    {"tpu__capacity": {"mode": "spot"}},
    {"tpu__threads_per_core": 2},
    {"tpu__disk": {"size_gb": 200}},
    {"tpu__max_pods_per_node": 64},
    {"tpu__libtpu_flags": [{"name": "xla_enable_async_all_gather"}]},
    {"ray__worker__requests__cpu": 9},
    {"ray__worker__requests__memory_gib": 100},
    {"ray__worker__requests__ephemeral_storage_gib": 30},
    {"ray__worker__limits": {"cpu": 20, "memory_gib": 200}},
    {"ray__worker__shm_gib": 50},
    {"job__name": "other"},
    {"job__run_name": "other"},
    {"job__directory": "runs/first"},
    {"job__model": "llama3.1-8b"},
    {"job__steps": 200},
    {"job__per_device_batch_size": 2},
    {"job__max_target_length": 8192},
    {"job__ici": {"fsdp": 8, "tensor": 2}},
    {"job__ici__fsdp": -1},
    {"job__ici": {"tensor": 4, "data": 2}},
    {"job__dcn__data": 2},
    {"job__dcn": {"fsdp": 2}},
    {"job__remat_policy": "minimal"},
    {"job__checkpoint_period": 5},
    {"job__checkpoints_to_keep": 5},
    {"job__install_maxtext": False},
    {"job__elastic": {}},
    {"job": None},
]
_RESERVED = {"tpu__capacity": {"mode": "reservation", "name": "r", "block": "b"}}
_TWO_NETWORKS = [
    {"name": "net-1", "range": "10.50.0.0/16"},
    {"name": "net-2", "range": "10.60.0.0/16"},
]
TPU_WITHIN: Within = [
    (_TPU_DISKS, {"bucket__mount__sidecar": {"ephemeral_storage_gib": 7}}),
    ({"job__ici": {}}, {"tpu__topology": "2x4"}),
    ({"job__elastic": {}}, {"job__elastic__min_slices": 2}),
    ({"job__elastic": {}}, {"job__elastic__max_failures": 9}),
    (_RESERVED, {"tpu__capacity__name": "other"}),
    (_RESERVED, {"tpu__capacity__project": "shared-project"}),
    (_RESERVED, {"tpu__capacity__block": "c"}),
    (_RESERVED, {"tpu__capacity__sub_block": "s"}),
    ({"tpu__capacity": {"mode": "flex-start"}}, {"tpu__capacity__max_run_hours": 24}),
    (
        {"network__dcn": _TWO_NETWORKS},
        {"network__dcn": [{**_TWO_NETWORKS[0], "name": "other"}, _TWO_NETWORKS[1]]},
    ),
    (
        {"network__dcn": _TWO_NETWORKS},
        {"network__dcn": [{**_TWO_NETWORKS[0], "range": "10.51.0.0/16"}, _TWO_NETWORKS[1]]},
    ),
]
# Their effects need another zone, another secret, or another mode of the cluster.
# A rank's checkpoint by way of the disk is refused in verl's stacks.
STREAMED = {"bucket__mount__streaming_writes"}
APART = {"cluster__mode", "job__wandb", "job__dataset", "gpu_nodes__machine_type"}
ALL = [
    *(("b200-lustre", TOKEN, values) for values in LUSTRE),
    *(("verl-b200", (), values) for values in VERL),
    *(("verl-b200-autopilot", (), values) for values in AUTOPILOT),
    *(("tpu-multislice", (), values) for values in TPU),
    *(("kueue-mixed", TOKEN, values) for values in SERVE),
    *(("gcsfuse-checkpoint", (), values) for values in CHECKPOINT),
    *(("dev", (), values) for values in DEV),
]
ALL_WITHIN = [
    *(("verl-b200", (), *one) for one in [*EFFECTS_WITHIN, *GPU_WITHIN, *BUCKET_WITHIN]),
    *(("tpu-multislice", (), *one) for one in TPU_WITHIN),
    *(("kueue-mixed", TOKEN, *one) for one in SERVE_WITHIN),
    *(("gcsfuse-checkpoint", (), *one) for one in CHECKPOINT_WITHIN),
    *(("dev", (), *one) for one in DEV_WITHIN),
]
# The same blocks as those of the GPU pool and of the workers.
# Their effects need another zone, another secret, or another mode of the cluster.
APART = {"cluster__mode", "job__wandb", "job__dataset", "gpu_nodes__machine_type"}
# Refused in stacks without queues.
NO_QUEUES = {"ray__queue"}
TPU_APART = {"ray__operator", "ray__autoscaling__min_workers", "ray__autoscaling__idle_seconds"}
QUEUES_WITHIN = [*CHECKPOINT_WITHIN, *GPU_WITHIN, *KUEUE_WITHIN, *CHECKED_WITHIN]
ALIKE = (
    *("cpu_pool__capacity__", "gpu_nodes__capacity__", "extra_gpu_pools__"),
    *("ray__head__limits__", "ray__worker__limits__"),
)


def name_of(value: Any) -> str:
    return "-".join(value) if isinstance(value, dict | tuple) else str(value)


@pytest.mark.thorough
@pytest.mark.parametrize(("stack", "keys", "values"), ALL, ids=name_of)
def test_every_key_of_the_config_has_an_effect(
    register: Register, stack: str, keys: tuple[str, ...], values: dict[str, Any]
) -> None:
    unchanged = built(register, stack, keys=keys)
    assert fingerprint(built(register, stack, keys=keys, **values)) != fingerprint(unchanged)


@pytest.mark.thorough
@pytest.mark.parametrize(("stack", "keys", "block", "values"), ALL_WITHIN, ids=name_of)
def test_every_key_of_a_block_that_is_asked_for_has_an_effect(
    register: Register,
    stack: str,
    keys: tuple[str, ...],
    block: dict[str, Any],
    values: dict[str, Any],
) -> None:
    with_block = fingerprint(built(register, stack, keys=keys, **block))
    assert fingerprint(built(register, stack, keys=keys, **{**block, **values})) != with_block


def tried(one: list[dict[str, Any]], within: Within) -> list[dict[str, Any]]:
    return [*one, *(values for _, values in [*within, *BUCKET_WITHIN])]


@pytest.mark.parametrize(
    ("model", "values", "apart"),
    [
        # What they share with verl's stacks is tried there.
        (LustreTraining, tried([*LUSTRE, *VERL], [*EFFECTS_WITHIN, *GPU_WITHIN]), NO_QUEUES),
        (
            VerlTraining,
            tried([*VERL, *AUTOPILOT], [*EFFECTS_WITHIN, *GPU_WITHIN]),
            NO_QUEUES | STREAMED,
        ),
        (TpuTraining, tried(TPU, [*EFFECTS_WITHIN, *TPU_WITHIN]), NO_QUEUES | TPU_APART),
        (TrainAndServe, tried(SERVE, SERVE_WITHIN), SERVE_APART),
        # What they have of machines with interfaces is tried in verl's stacks, too, and what they
        # have of queues in the one that serves.
        (CheckpointTraining, tried([*CHECKPOINT, *GPU_EFFECTS], QUEUES_WITHIN), set[str]()),
        (Dev, tried(DEV, [*DEV_WITHIN, *KUEUE_WITHIN, *CHECKED_WITHIN]), set[str]()),
    ],
    ids=lambda it: it.__name__ if isinstance(it, type) else "",
)
def test_no_key_is_left_out_of_the_lists_above(
    model: type[ClusterStack], values: list[dict[str, Any]], apart: set[str]
) -> None:
    left = untried(model, values) - APART - apart
    assert {key for key in left if not key.startswith(ALIKE)} == set()
