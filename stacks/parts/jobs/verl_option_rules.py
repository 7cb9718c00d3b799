"""What verl v0.6.1 demands of a GRPO run, known before a single GPU is paid for.

Sources: verl v0.6.1 (commit d62da495) verl/utils/config.py, verl/workers (config, fsdp_workers.py,
rollout/vllm_rollout), verl/trainer/ppo/ray_trainer.py, read 2026-11-21.
"""

from collections.abc import Iterator

from stacks.parts.jobs.verl_job import VerlJob
from stacks.problems import Problem
from stacks.rules.divisors import largest_divisor

# Prompts of the training set, as openai/gsm8k has them.
_PROMPTS = {"gsm8k": 7473}
# The most tokens that verl lets vLLM take at once unless told otherwise.
_BATCHED_TOKENS = 8192


def verl_problems(job: VerlJob, *, gpus_per_node: int, nodes: int) -> Iterator[Problem]:
    gpus = gpus_per_node * nodes
    yield from _batch_problems(job, gpus)
    yield from _parallelism_problems(job, gpus, gpus_per_node)
    yield from _length_problems(job)
    steps = job.epochs * (_PROMPTS[job.dataset] // job.train_batch_size)
    if 0 < steps < job.checkpoints.period:
        yield Problem(
            "job.checkpoints.period",
            f"{job.checkpoints.period} steps are never reached in {steps}; nearest: {steps}",
        )


def _batch_problems(job: VerlJob, gpus: int) -> Iterator[Problem]:
    batch, mini, micro = (
        job.train_batch_size,
        job.actor.mini_batch_size,
        job.actor.micro_batch_size_per_gpu,
    )
    prompts = _PROMPTS[job.dataset]
    if batch > prompts:
        yield Problem(
            "job.train_batch_size",
            f"{batch} prompts are more than the {prompts} of {job.dataset}, so no step would ever "
            f"run; nearest: {1 << (prompts.bit_length() - 1)}",
        )
    if batch * job.rollout.samples % gpus:
        step = next(n for n in range(1, gpus + 1) if n * job.rollout.samples % gpus == 0)
        yield Problem(
            "job.train_batch_size",
            f"{batch} prompts x {job.rollout.samples} samples are not shared out evenly among "
            f"{gpus} GPUs; nearest: {max(1, round(batch / step)) * step}",
        )
    if mini > batch:
        yield Problem(
            "job.actor.mini_batch_size",
            f"{mini} prompts are more than a step has; nearest: {batch}",
        )
        return
    share = mini * job.rollout.samples // gpus
    if share == 0:
        yield Problem(
            "job.actor.mini_batch_size",
            f"{mini} prompts x {job.rollout.samples} samples leave some of the {gpus} GPUs without "
            f"any; nearest: {-(-gpus // job.rollout.samples)}",
        )
    elif share % micro:
        fitting = largest_divisor(share, micro)
        yield Problem(
            "job.actor.micro_batch_size_per_gpu",
            f"{micro} does not divide the {share} samples of a mini-batch that a GPU gets ({mini} "
            f"prompts x {job.rollout.samples} samples / {gpus} GPUs); nearest: {fitting}",
        )


def _parallelism_problems(job: VerlJob, gpus: int, gpus_per_node: int) -> Iterator[Problem]:
    tensor = job.rollout.tensor_parallel
    if tensor > gpus_per_node:
        yield Problem(
            "job.rollout.tensor_parallel",
            f"{tensor} GPUs are not in one node, and vLLM 0.11 splits layers within a node; "
            f"nearest: {gpus_per_node}",
        )
    elif gpus % tensor:
        fitting = largest_divisor(gpus, tensor)
        yield Problem(
            "job.rollout.tensor_parallel",
            f"{tensor} does not divide the {gpus} GPUs; nearest: {fitting}",
        )


def _length_problems(job: VerlJob) -> Iterator[Problem]:
    """What takes more than its half gives way."""
    prompt, response = job.max_prompt_length, job.max_response_length
    if prompt + response <= _BATCHED_TOKENS:
        return
    half = _BATCHED_TOKENS // 2
    for field, tokens, other in (
        ("max_prompt_length", prompt, response),
        ("max_response_length", response, prompt),
    ):
        if tokens > half:
            yield Problem(
                f"job.{field}",
                f"{prompt} + {response} tokens are more than the {_BATCHED_TOKENS} that verl gives "
                f"vLLM at once; nearest: {max(half, _BATCHED_TOKENS - other)}",
            )
