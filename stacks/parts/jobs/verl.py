"""A verl GRPO training (options as in verl v0.6.1). Nodes and GPUs are the pool's. No Pulumi
import."""

from typing import Literal

from catalog import Catalog
from stacks.parts.jobs.checkpoint_layout import CheckpointLayout, Written
from stacks.parts.jobs.on_ray import OnRay, Place, RayDemands, Work, workload
from stacks.types import (
    BatchSize,
    Block,
    Coefficient,
    Cpus,
    Epochs,
    GitTag,
    InterfaceName,
    KeptVerlCheckpoints,
    LearningRate,
    MemoryGiB,
    MemoryShare,
    ModelName,
    Parts,
    RelativePath,
    Revision,
    Steps,
    StorageGiB,
    Tokens,
)

LAUNCHER_NAME = "verl_grpo.sh"
# Where each pod has verl's package on its own disk.
PACKAGE_DIR = "/opt/verl"
# `latest` is written last, and names what a restart takes: resume_mode is auto by default. Of one
# that is not kept any more verl takes away `actor` alone (volcengine/verl
# verl/trainer/config/ppo_trainer.yaml:169, verl/trainer/ppo/ray_trainer.py and
# verl/utils/checkpoint/checkpoint_manager.py, v0.6.1, d62da495).
CHECKPOINTS = CheckpointLayout(
    launcher=LAUNCHER_NAME,
    folder="{trainer.default_local_dir}",
    key="checkpoints.directory",
    name=r"global_step_(\d+)",
    files=("actor", "data.pt"),
    latest="latest_checkpointed_iteration.txt",
)
# The node's own disk; Ray's logs and the caches of model hubs and compilers go there.
SCRATCH_DIR = "/tmp"


class Rollout(Block, frozen=True):
    """How samples are generated."""

    samples: BatchSize = 8
    """Samples of a prompt."""
    tensor_parallel: Parts = 8
    """GPUs of one copy of the model, all in one node."""
    gpu_memory_utilization: MemoryShare = 0.6
    """Share of a GPU's memory for vLLM."""
    log_prob_micro_batch_size_per_gpu: BatchSize = 8
    """Samples that a GPU computes probabilities of at once."""


class Actor(Block, frozen=True):
    """How the policy is trained."""

    strategy: Literal["fsdp", "fsdp2"] = "fsdp2"
    """How the weights are spread over GPUs."""
    learning_rate: LearningRate = 1e-5
    """How far a step goes."""
    mini_batch_size: BatchSize = 256
    """Prompts of an update, at most a step's."""
    micro_batch_size_per_gpu: BatchSize = 64
    """Samples that a GPU has at once."""


class Divergence(Block, frozen=True):
    """Keeps the policy near its start."""

    loss: bool = False
    """Add a KL term to the loss; without it verl ignores the other two."""
    coefficient: Coefficient = 0.001
    """Weight of that term."""
    reference_micro_batch_size_per_gpu: BatchSize = 4
    """Samples that a GPU has at once of the policy at its start."""


class VerlCheckpoints(Block, frozen=True):
    """What is kept of the training."""

    directory: RelativePath = "checkpoints"
    """Folder below the bucket's mount."""
    period: Steps = 10
    """Steps between checkpoints."""
    keep: KeptVerlCheckpoints = 3
    """How many are kept; verl deletes the oldest before it writes the newest."""


class Preparation(Block, frozen=True):
    """The job that fills the bucket."""

    cpu: Cpus = 2
    """CPUs of the job."""
    memory_gib: MemoryGiB = 8
    """GiB of memory of the job."""
    scratch_gib: StorageGiB = 20
    """GiB of disk, for one file at a time."""

    @property
    def millicores(self) -> int:
        return round(self.cpu * 1000)


class VerlTraining(OnRay, frozen=True):
    """A verl GRPO training."""

    code_tag: GitTag | None = None
    """verl release; by default the version lock's."""
    model: ModelName = "Qwen/Qwen2.5-32B-Instruct"
    """Model on Hugging Face."""
    revision: Revision | None = None
    """Commit or branch of the model; by default its newest."""
    dataset: Literal["gsm8k"] = "gsm8k"
    """Data set; the only one."""
    epochs: Epochs = 2
    """How often the training goes through the data."""
    train_batch_size: BatchSize = 256
    """Prompts of a step."""
    max_prompt_length: Tokens = 512
    """Most tokens of a prompt."""
    max_response_length: Tokens = 512
    """Most tokens of an answer."""
    rollout: Rollout = Rollout()
    """Generation of samples, by vLLM."""
    actor: Actor = Actor()
    """Training of the policy."""
    divergence: Divergence = Divergence()
    """What keeps the policy near its start."""
    checkpoints: VerlCheckpoints = VerlCheckpoints()
    """What is kept, and where."""
    test_period: Steps = 10
    """Steps between validations."""
    validate_first: bool = False
    """Validate before the first step."""
    socket_interface: InterfaceName = "eth0"
    """Interface for the sockets of NCCL and Gloo; data goes over RDMA."""
    nccl_debug: Literal["WARN", "INFO", "TRACE"] = "INFO"
    """How much NCCL logs."""
    preparation: Preparation | None = Preparation()
    """The job that fills the bucket; with `null` it is filled by hand."""
    type: Literal["verl"]
    """Which job it is."""

    def resumes(self, name: str, mount_path: str) -> Written:
        return CHECKPOINTS.resumes(self._place(mount_path), f"{self.checkpoints.period} steps")

    def demands(self, facts: Catalog) -> RayDemands:
        return RayDemands(
            image="verl",
            # All ranks save at once, each one file after the other (volcengine/verl verl/utils/
            # checkpoint/fsdp_checkpoint_manager.py:190-260, v0.6.1, d62da495, 2025-11-14).
            files_per_gpu=1,
            # verl's controller must not land there: it has neither GPU nor network for it.
            head_runs_nothing=True,
            scratch=("/tmp/ray", SCRATCH_DIR),
        )

    def work(self, at: Place) -> Work:
        return Work(
            name=at.name,
            launcher_name=LAUNCHER_NAME,
            launcher=workload(f"verl/{LAUNCHER_NAME}"),
            parameters=self._parameters(at),
            environment={
                **at.nccl,
                "NCCL_DEBUG": self.nccl_debug,
                "NCCL_SOCKET_IFNAME": self.socket_interface,
                "GLOO_SOCKET_IFNAME": self.socket_interface,
                "PYTHONPATH": PACKAGE_DIR,
                # Not on the bucket: the hub's cache is made of links and locks.
                "HF_HOME": f"{SCRATCH_DIR}/huggingface",
            },
            gpus=at.workers * at.gpus,
            checkpoints=CHECKPOINTS.prefix(self._place(at.mount_path)),
        )

    def _parameters(self, at: Place) -> dict[str, str]:
        """The launcher's own (code) and verl v0.6.1's options, by their names there."""
        actor, rollout, apart = self.actor, self.rollout, self.divergence
        # To Weights & Biases where there is a key for it; to the log always. One of verl's backends
        # or a list (volcengine/verl verl/utils/tracking.py:28-75, v0.6.1, d62da495, 2025-11-14).
        reporting = {"trainer.logger": "console"}
        if at.wandb:
            reporting = {"loggers": "console,wandb", "trainer.experiment_name": at.name}
        data = f"{at.mount_path}/{self.dataset}"
        return {
            "code": PACKAGE_DIR,
            "algorithm.adv_estimator": "grpo",
            "algorithm.kl_ctrl.kl_coef": str(apart.coefficient),
            "data.train_files": f"{data}/train.parquet",
            "data.val_files": f"{data}/test.parquet",
            "data.train_batch_size": str(self.train_batch_size),
            "data.max_prompt_length": str(self.max_prompt_length),
            "data.max_response_length": str(self.max_response_length),
            "actor_rollout_ref.model.path": f"{at.mount_path}/{self.model.rpartition('/')[2]}",
            "actor_rollout_ref.actor.strategy": actor.strategy,
            "actor_rollout_ref.actor.optim.lr": str(actor.learning_rate),
            "actor_rollout_ref.actor.ppo_mini_batch_size": str(actor.mini_batch_size),
            "actor_rollout_ref.actor.ppo_micro_batch_size_per_gpu": str(
                actor.micro_batch_size_per_gpu
            ),
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
            **reporting,
            "trainer.val_before_train": str(self.validate_first),
            "trainer.nnodes": str(at.workers),
            "trainer.n_gpus_per_node": str(at.gpus),
            "trainer.total_epochs": str(self.epochs),
            "trainer.save_freq": str(self.checkpoints.period),
            "trainer.test_freq": str(self.test_period),
            "trainer.max_actor_ckpt_to_keep": str(self.checkpoints.keep),
            **self._place(at.mount_path),
        }

    def _place(self, mount_path: str) -> dict[str, str]:
        return {"trainer.default_local_dir": f"{mount_path}/{self.checkpoints.directory}"}
