"""A NeMo RL GRPO training as parameters of its launcher. Pure, but for reading the launcher."""

from pathlib import Path

from stacks.parts.jobs.grpo_job import GrpoJob

LAUNCHER_NAME = "nemo_rl_grpo.sh"
_LAUNCHER = Path(__file__).parents[3] / "workloads" / "nemo_rl" / "nemo_rl_grpo.sh"


def launcher() -> str:
    return _LAUNCHER.read_text(encoding="utf-8")


def environment(job: GrpoJob, mount_path: str) -> dict[str, str]:
    """Variables of every process of the job; tokens are in the pods' own environment."""
    return {
        "HF_HOME": f"{mount_path}/{job.hugging_face_cache}",
        "GLOO_SOCKET_IFNAME": job.socket_interface,
        "NCCL_SOCKET_IFNAME": job.socket_interface,
    }


def parameters(job: GrpoJob, *, nodes: int, gpus_per_node: int, mount_path: str) -> dict[str, str]:
    """The launcher's own (recipe, mkdir, fetch), and NeMo RL v0.4.0's overrides by their names."""
    checkpoints = f"{mount_path}/{job.checkpoints.directory}"
    return {
        "recipe": job.recipe,
        "mkdir": f"{mount_path}/{job.hugging_face_cache}:{checkpoints}",
        # 64 ranks at once would each ask Hugging Face for it.
        "fetch": job.model,
        "policy.model_name": job.model,
        "policy.megatron_cfg.converter_type": job.converter,
        "policy.megatron_cfg.tensor_model_parallel_size": str(job.parallelism.tensor),
        "policy.megatron_cfg.pipeline_model_parallel_size": str(job.parallelism.pipeline),
        "policy.train_global_batch_size": str(job.train_global_batch_size),
        "grpo.max_num_steps": str(job.max_steps),
        "grpo.num_prompts_per_step": str(job.prompts_per_step),
        "grpo.num_generations_per_prompt": str(job.generations_per_prompt),
        "cluster.num_nodes": str(nodes),
        "cluster.gpus_per_node": str(gpus_per_node),
        "checkpointing.enabled": "true",
        "checkpointing.save_period": str(job.checkpoints.period),
        "checkpointing.keep_top_k": str(job.checkpoints.keep),
        # Not in the recipe's own form: null keeps the latest instead of the best.
        "checkpointing.metric_name": job.checkpoints.metric or "null",
        "checkpointing.checkpoint_dir": checkpoints,
        "data.dataset_name": job.dataset,
        # The recipe's is relative: a folder of the head's container, which goes with it.
        "logger.log_dir": f"{checkpoints}/logs",
        "logger.wandb_enabled": str(job.wandb).lower(),
        "logger.wandb.name": job.name,
    }
