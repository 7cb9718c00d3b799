"""What verl v0.6.1 demands of a GRPO run, of its storage and of the node under Ray's head, known
before a single GPU is paid for.

Sources: verl v0.6.1 (commit d62da495) verl/utils/config.py, verl/workers (config, fsdp_workers.py,
rollout/vllm_rollout), verl/trainer/ppo/ray_trainer.py, read 2026-11-21;
workloads/verl/prepare_data.py; GKE documentation, "Plan GKE Standard node sizes".
"""

from collections.abc import Iterator
from itertools import combinations
from pathlib import PurePosixPath

from stacks.parts.buckets.plan import limits_of, sidecar_of
from stacks.parts.jobs.divisors import largest_divisor
from stacks.parts.jobs.verl import Preparation, VerlTraining
from stacks.parts.pools.nodes import Amounts, Host
from stacks.parts.pools.pod_rules import boot_disk_problems
from stacks.parts.pools.room import Resident, passing_problems
from stacks.parts.ray.plan import PlannedRay
from stacks.plan import Plan
from stacks.problems import Problem, under

# One large file, or many small ones that are soon done.
PREPARED_AT_ONCE = 4
# Prompts of the training set, as openai/gsm8k has them.
_PROMPTS = {"gsm8k": 7473}
# The most tokens that verl lets vLLM take at once unless told otherwise.
_BATCHED_TOKENS = 8192
_MIB = 1024
_OTHER_MODEL = "nearest: Qwen/Qwen2.5-32B-Instruct"


def verl_rules(plan: Plan, ray: PlannedRay, job: VerlTraining, name: str) -> Iterator[Problem]:
    group, head_pool = ray.accelerated, ray.head_pool
    names = {
        "job": f"jobs.{name}",
        "cpu_pool": "pools.cpu" if head_pool is None else head_pool.field,
    }
    found = [
        *_folder_problems(job),
        *_cpu_node_problems(plan, ray, job),
        *verl_problems(job, gpus_per_node=group.gpus, nodes=group.count),
    ]
    yield from under(names, found)
    yield from _streaming_problems(plan, job)


def verl_problems(job: VerlTraining, *, gpus_per_node: int, nodes: int) -> Iterator[Problem]:
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


def _batch_problems(job: VerlTraining, gpus: int) -> Iterator[Problem]:
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


def _parallelism_problems(job: VerlTraining, gpus: int, gpus_per_node: int) -> Iterator[Problem]:
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


def _length_problems(job: VerlTraining) -> Iterator[Problem]:
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


def _folder_problems(job: VerlTraining) -> Iterator[Problem]:
    """Each has a folder of its own: what one is made anew from another must not take along."""
    model = job.model.rpartition("/")[2]
    folders = [
        ("verl's code", "verl"),
        ("the data set", job.dataset),
        ("what is prepared", ".prepared"),
        ("job.model", model),
        ("job.checkpoints.directory", job.checkpoints.directory),
    ]
    told: set[str] = set()
    for (what, folder), (field, other) in combinations(folders, 2):
        if field.startswith("job.") and field not in told and _overlap(folder, other):
            told.add(field)
            free = next(it for it in ("checkpoints", "runs") if it != model)
            near = _OTHER_MODEL if field == "job.model" else f"nearest: {free}"
            yield Problem(
                field,
                f'its folder on the bucket, "{other}", is not apart from "{folder}" of {what}; '
                f"{near}",
            )


def _overlap(one: str, other: str) -> bool:
    first, second = PurePosixPath(one), PurePosixPath(other)
    return first == second or first in second.parents or second in first.parents


def _streaming_problems(plan: Plan, job: VerlTraining) -> Iterator[Problem]:
    bucket = plan.buckets.get(plan.storage_of(job) or "")
    if bucket is not None and not bucket.config.mount.streaming_writes:
        yield Problem(
            f"{bucket.field}.mount.streaming_writes",
            "false has every rank write its part of a checkpoint to the sidecar's disk first, "
            "and the pod is evicted; nearest: true",
        )


def _cpu_node_problems(plan: Plan, ray: PlannedRay, job: VerlTraining) -> Iterator[Problem]:
    """What Ray's head and the job that fills the storage share: that fits a node, and beside what
    stays there."""
    pool, host = ray.head_pool, ray.head_host
    head = Amounts.of_pod(ray.config.head.requests, 0, ray.sidecar(head=True))
    pods_mib = head.ephemeral_storage_mib
    if job.preparation is not None:
        buckets = [it for key, it in plan.buckets.items() if key == plan.storage_of(job)]
        limits = limits_of([(it, PREPARED_AT_ONCE) for it in buckets])
        found = sidecar_of(buckets, limits, plan.facts)
        # Lustre is mounted by the node itself.
        sidecar = Amounts() if found is None else Amounts.of_sidecar(found)
        pod = sidecar + _container(job.preparation)
        pods_mib += pod.ephemeral_storage_mib
        yield from _preparation_problems(job.preparation, Amounts.of_node(host) - sidecar, host)
        if pool is not None:
            one = Resident(field="job.preparation", pod=pod, pods=1)
            yield from passing_problems(plan, pool, one)
    image_gib = plan.facts.image(ray.demands.image).unpacked_gib
    if pool is not None and ray.config.image is None and image_gib is not None:
        size_gb = pool.config.disk.size_gb
        yield from boot_disk_problems(host, size_gb, image_gib=image_gib, pods_mib=pods_mib)


def _container(job: Preparation) -> Amounts:
    return Amounts(job.millicores, job.memory_gib * _MIB, job.scratch_gib * _MIB)


def _preparation_problems(job: Preparation, left: Amounts, host: Host) -> Iterator[Problem]:
    for key, asked, has, unit in (
        ("cpu", job.millicores, left.cpu_millicores, 1000),
        ("memory_gib", job.memory_gib * _MIB, left.memory_mib, _MIB),
        ("scratch_gib", job.scratch_gib * _MIB, left.ephemeral_storage_mib, _MIB),
    ):
        if asked > has:
            near = has // unit
            yield Problem(
                f"job.preparation.{key}",
                f"{asked / unit:g} is more than is left to it on a {host.name}; "
                f"nearest: {near if near > 0 else 'a larger cpu_pool.machine_type'}",
            )
