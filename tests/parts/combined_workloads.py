"""Jobs and servers of a combination, cut to the pools that they run on."""

from typing import Any

from tests.parts.drawing import Drawn, maybe, one_of

# Held by the GPUs of any machine that is drawn.
_SMALL = "Qwen/Qwen2.5-0.5B-Instruct"


def job_on(drawn: Drawn, ray: str, pools: list[str]) -> dict[str, Any] | None:
    draw, raw = drawn.draw, drawn.raw
    cluster = raw["ray"][ray]
    everything = cluster.get("mounts") or [
        *(["lustre"] if "lustre" in raw else []),
        *raw["buckets"],
    ]
    job: dict[str, Any] = {"ray": ray}
    if maybe(draw, 2):
        job["storage"] = one_of(draw, everything)
    if pools[0].startswith("tpu"):
        return job | _maxtext(drawn) if maybe(draw, 1) else None
    nodes = sum(raw["pools"][it]["nodes"] for it in pools)
    each = drawn.accelerators(pools[0])
    kind = one_of(draw, (_nemo_rl, _verl, _classifier, None))
    if kind is None:
        return None
    found = job | kind(drawn, nodes, each)
    if found["type"] != "image-classifier":
        found["checkpoints"] = {**found.get("checkpoints", {}), "directory": f"runs-{ray}"}
    return found


def _maxtext(drawn: Drawn) -> dict[str, Any]:
    job: dict[str, Any] = {"type": "maxtext", "model": "llama3-8b", "steps": 50}
    job |= {"per_device_batch_size": 1, "max_target_length": 2048}
    if maybe(drawn.draw, 3):
        job["elastic"] = {"min_slices": 1, "max_failures": 3}
    if maybe(drawn.draw, 3):
        job["install_maxtext"] = False
    return job


def _nemo_rl(drawn: Drawn, nodes: int, each: int) -> dict[str, Any]:
    gpus = nodes * each
    return {
        "type": "nemo-rl",
        "model": _SMALL,
        "converter": "Qwen2ForCausalLM",
        "dataset": "DeepScaler",
        "max_steps": 20,
        "prompts_per_step": gpus,
        "generations_per_prompt": 4,
        "train_global_batch_size": gpus * 4,
        "parallelism": {"tensor": each, "pipeline": one_of(drawn.draw, (1, nodes))},
        "checkpoints": {"directory": "runs", "period": 5},
        "wandb": maybe(drawn.draw, 4),
    }


def _verl(drawn: Drawn, nodes: int, each: int) -> dict[str, Any]:
    job: dict[str, Any] = {
        "type": "verl",
        "model": _SMALL,
        "train_batch_size": 8 * nodes * each,
        "rollout": {"tensor_parallel": each},
        "actor": {"mini_batch_size": 8 * nodes * each, "micro_batch_size_per_gpu": 16},
    }
    if maybe(drawn.draw, 2):
        job["preparation"] = None
    elif maybe(drawn.draw, 2):
        job["preparation"] = {"cpu": 1, "memory_gib": 4, "scratch_gib": 10}
    return job


def _classifier(drawn: Drawn, nodes: int, each: int) -> dict[str, Any]:
    del nodes, each
    job: dict[str, Any] = {"type": "image-classifier", "epochs": 5}
    if maybe(drawn.draw, 2):
        job |= {"data": "generated", "install_torch": False}
    return job


def server(drawn: Drawn, pool: str) -> dict[str, Any]:
    """A small model on one GPU, or one that takes all that a node has."""
    draw, most = drawn.draw, drawn.accelerators(pool)
    gpus = most if drawn.autopilot else one_of(draw, (1, most))
    found: dict[str, Any] = {
        "engine": one_of(draw, ("vllm", "tgi")),
        "pool": pool,
        "model": "google/gemma-2-2b-it",
        "gpus": min(gpus, 4) if not drawn.autopilot else gpus,
        "requests": {"cpu": 2, "memory_gib": 12, "ephemeral_storage_gib": 30},
    }
    if maybe(draw, 2):
        found["replicas"] = one_of(draw, (1, 2))
    elif drawn.raw.get("cluster", {}).get("release_channel") == "RAPID":
        found["autoscaling"] = {"max": 3, "target_queue_size": 4}
    if found["engine"] == "vllm" and maybe(draw, 2):
        found["max_model_len"] = 4096
    return found


def fine_tuning(drawn: Drawn, pool: str) -> dict[str, Any]:
    draw, most = drawn.draw, drawn.accelerators(pool)
    gpus = most if drawn.autopilot else one_of(draw, (1, most))
    job: dict[str, Any] = {"type": "fine-tune", "pool": pool, "gpus": gpus, "shm_gib": 2}
    job |= {"pods": one_of(draw, (1, 2)), "storage": one_of(draw, drawn.raw["buckets"])}
    if maybe(draw, 3):
        job["requests"] = {"cpu": 1, "memory_gib": 8, "ephemeral_storage_gib": 20}
    return job
