"""What NeMo RL v0.4.0 demands of a GRPO run, known before a single GPU is paid for."""

from collections.abc import Iterator
from math import gcd

from stacks.commands import setting
from stacks.parts.jobs.divisors import divisors, largest_divisor
from stacks.parts.jobs.nemo_rl import NemoRlJob
from stacks.parts.pools.pod_rules import boot_disk_problems
from stacks.parts.ray.plan import PlannedRay
from stacks.plan import Plan
from stacks.problems import Problem, under


def nemo_rl_rules(plan: Plan, ray: PlannedRay, job: NemoRlJob, name: str) -> Iterator[Problem]:
    wandb = "wandb_api_key" in plan.stack.secrets_set
    yield from under({"job": f"jobs.{name}"}, nemo_rl_problems(job, ray.gpus, wandb_key=wandb))
    image_gib = plan.facts.image(ray.demands.image).unpacked_gib
    # Nothing is known of another image.
    if ray.config.image is not None or image_gib is None or plan.autopilot:
        return
    pods = [(ray.head_pool, ray.config.head)]
    pods += [(pool, it.config) for it in ray.groups.values() for pool in it.pools]
    for pool, pod in pods:
        if pool is not None:
            yield from boot_disk_problems(
                pool.host,
                pool.config.disk.size_gb,
                image_gib=image_gib,
                pods_mib=(pod.ceiling.ephemeral_storage_gib or 0) * 1024,
                field=pool.field,
            )


def nemo_rl_problems(job: NemoRlJob, gpus: int, *, wandb_key: bool) -> Iterator[Problem]:
    """`gpus` is the number in the whole pool."""
    yield from _parallelism_problems(job, gpus)
    yield from _batch_problems(job, gpus)
    if job.checkpoints.period > job.max_steps:
        yield Problem(
            "job.checkpoints.period",
            f"{job.checkpoints.period} steps are never reached in {job.max_steps}; "
            f"nearest: {job.max_steps}",
        )
    if job.wandb and not wandb_key:
        yield Problem(
            "job.wandb",
            "true needs the key of Weights & Biases; nearest: false, or "
            f"{setting('wandb_api_key')}",
        )


def _parallelism_problems(job: NemoRlJob, gpus: int) -> Iterator[Problem]:
    copy = job.parallelism.gpus_per_copy
    if gpus % copy:
        cut = {"tensor": job.parallelism.tensor, "pipeline": job.parallelism.pipeline}
        # The one that does not divide them by itself, else the larger.
        name = max(cut, key=lambda it: (gpus % cut[it] > 0, cut[it]))
        fitting = largest_divisor(max(1, gpus * cut[name] // copy), cut[name])
        yield Problem(
            f"job.parallelism.{name}",
            f"tensor {job.parallelism.tensor} x pipeline {job.parallelism.pipeline} = {copy} GPUs "
            f"for a copy of the model do not divide the pool's {gpus}; nearest: {fitting}",
        )


def _batch_problems(job: NemoRlJob, gpus: int) -> Iterator[Problem]:
    batch = job.train_global_batch_size
    samples = job.prompts_per_step * job.generations_per_prompt
    if samples % batch:
        fitting = largest_divisor(samples, batch)
        yield Problem(
            "job.train_global_batch_size",
            f"{batch} does not divide the {samples} samples of a step ({job.prompts_per_step} "
            f"prompts x {job.generations_per_prompt} generations); nearest: {fitting}",
        )
        return
    copies = gpus // job.parallelism.gpus_per_copy
    if not copies or batch % copies == 0:
        return
    if samples % copies:
        step = copies // gcd(job.generations_per_prompt, copies)
        yield Problem(
            "job.prompts_per_step",
            f"{job.prompts_per_step} prompts x {job.generations_per_prompt} generations are not "
            f"shared out evenly among {copies} copies of the model; "
            f"nearest: {max(1, round(job.prompts_per_step / step)) * step}",
        )
        return
    fitting = [it for it in divisors(samples) if it % copies == 0]
    yield Problem(
        "job.train_global_batch_size",
        f"{batch} is not shared out evenly among {copies} copies of the model; "
        f"nearest: {min(fitting, key=lambda it: abs(it - batch))}",
    )
