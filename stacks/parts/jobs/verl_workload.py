"""A verl GRPO training as parameters of its scripts. Pure, but for reading the scripts."""

from pathlib import Path

from stacks.parts.jobs.verl_job import VerlJob

LAUNCHER_NAME = "verl_grpo.sh"
PREPARATION_NAME = "prepare_data.py"
# Where each pod has verl's package on its own disk.
PACKAGE_DIR = "/opt/verl"
# The node's own disk; Ray's logs and the caches of model hubs and compilers go there.
SCRATCH_DIR = "/tmp"

_SCRIPTS = Path(__file__).parents[3] / "workloads" / "verl"


def launcher() -> str:
    return _script(LAUNCHER_NAME)


def setup() -> str:
    return _script("use_verl.sh")


def preparation() -> str:
    return _script(PREPARATION_NAME)


def preparation_modules() -> dict[str, str]:
    """What the preparation imports from beside itself."""
    return {f"{name}.py": _script(f"{name}.py") for name in ("downloads", "prepared")}


def preparation_arguments(
    job: VerlJob, code_tag: str, code_tree: str | None, mount_path: str
) -> list[str]:
    """`code_tree` is git's id of what the tag holds, where it is known."""
    revision = [] if job.revision is None else [f"--revision={job.revision}"]
    return [
        f"--mount={mount_path}",
        f"--code-tag={code_tag}",
        *([] if code_tree is None else [f"--code-tree={code_tree}"]),
        f"--dataset={job.dataset}",
        f"--model={job.model}",
        *revision,
        f"--scratch={SCRATCH_DIR}",
    ]


def setup_arguments(mount_path: str, prepared_tag: str | None) -> list[str]:
    """Where verl is on the bucket and goes to; `prepared_tag` is the release to wait for."""
    return [f"{mount_path}/verl", PACKAGE_DIR, *([] if prepared_tag is None else [prepared_tag])]


def environment(job: VerlJob, nccl: dict[str, str]) -> dict[str, str]:
    """Variables of every process of the job; `nccl` are those of the machine family."""
    return {
        **nccl,
        "NCCL_DEBUG": job.nccl_debug,
        "NCCL_SOCKET_IFNAME": job.socket_interface,
        "GLOO_SOCKET_IFNAME": job.socket_interface,
        "PYTHONPATH": PACKAGE_DIR,
        # Not on the bucket: the hub's cache is made of links and locks.
        "HF_HOME": f"{SCRATCH_DIR}/huggingface",
    }


def parameters(
    job: VerlJob, *, nodes: int, gpus_per_node: int, mount_path: str, wandb: bool
) -> dict[str, str]:
    """The launcher's own (code) and verl v0.6.1's options, by their names there."""
    actor, rollout, apart = job.actor, job.rollout, job.divergence
    data = f"{mount_path}/{job.dataset}"
    return {
        "code": PACKAGE_DIR,
        "algorithm.adv_estimator": "grpo",
        "algorithm.kl_ctrl.kl_coef": str(apart.coefficient),
        "data.train_files": f"{data}/train.parquet",
        "data.val_files": f"{data}/test.parquet",
        "data.train_batch_size": str(job.train_batch_size),
        "data.max_prompt_length": str(job.max_prompt_length),
        "data.max_response_length": str(job.max_response_length),
        "actor_rollout_ref.model.path": f"{mount_path}/{job.model.rpartition('/')[2]}",
        "actor_rollout_ref.actor.strategy": actor.strategy,
        "actor_rollout_ref.actor.optim.lr": str(actor.learning_rate),
        "actor_rollout_ref.actor.ppo_mini_batch_size": str(actor.mini_batch_size),
        "actor_rollout_ref.actor.ppo_micro_batch_size_per_gpu": str(actor.micro_batch_size_per_gpu),
        "actor_rollout_ref.actor.use_kl_loss": str(apart.loss),
        "actor_rollout_ref.actor.kl_loss_coef": str(apart.coefficient),
        "actor_rollout_ref.rollout.name": "vllm",
        "actor_rollout_ref.rollout.n": str(rollout.samples),
        "actor_rollout_ref.rollout.tensor_model_parallel_size": str(rollout.tensor_parallel),
        "actor_rollout_ref.rollout.gpu_memory_utilization": str(rollout.gpu_memory_utilization),
        "actor_rollout_ref.rollout.log_prob_micro_batch_size_per_gpu": str(
            rollout.log_prob_micro_batch_size_per_gpu
        ),
        "actor_rollout_ref.ref.log_prob_micro_batch_size_per_gpu": str(
            apart.reference_micro_batch_size_per_gpu
        ),
        **_reporting(job, wandb=wandb),
        "trainer.val_before_train": str(job.validate_first),
        "trainer.nnodes": str(nodes),
        "trainer.n_gpus_per_node": str(gpus_per_node),
        "trainer.total_epochs": str(job.epochs),
        "trainer.save_freq": str(job.checkpoints.period),
        "trainer.test_freq": str(job.test_period),
        "trainer.max_actor_ckpt_to_keep": str(job.checkpoints.keep),
        "trainer.default_local_dir": f"{mount_path}/{job.checkpoints.directory}",
    }


def _reporting(job: VerlJob, *, wandb: bool) -> dict[str, str]:
    """Weights & Biases where there is a key for it, under the job's name; the log always."""
    if not wandb:
        return {"trainer.logger": "console"}
    return {"loggers": "console,wandb", "trainer.experiment_name": job.name}


def _script(name: str) -> str:
    return (_SCRIPTS / name).read_text(encoding="utf-8")
