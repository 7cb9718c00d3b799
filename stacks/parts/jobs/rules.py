"""What each job demands of what it runs on. No Pulumi import."""

from collections.abc import Iterator, Mapping
from typing import Any

from catalog import Catalog
from stacks.config_errors import nearest
from stacks.fields import under
from stacks.parts.jobs.config import (
    FineTuning,
    ImageClassifierTraining,
    MaxTextTraining,
    NemoRlJob,
    OnRay,
    RayJob,
    Training,
    VerlTraining,
)
from stacks.parts.jobs.demands import image_of
from stacks.parts.jobs.fine_tune_rules import fine_tune_rules
from stacks.parts.jobs.grpo_job import GrpoJob
from stacks.parts.jobs.grpo_rules import grpo_problems
from stacks.parts.jobs.maxtext_job import MaxTextJob
from stacks.parts.jobs.maxtext_memory_rules import Chips, memory_problems
from stacks.parts.jobs.maxtext_rules import maxtext_problems
from stacks.parts.jobs.script import rules as script
from stacks.parts.jobs.script import sharing
from stacks.parts.jobs.script.config import Script
from stacks.parts.jobs.socket_rules import socket_problems
from stacks.parts.jobs.verl_rules import verl_rules
from stacks.parts.named import named
from stacks.parts.servers.rules import gpu_pool_problems
from stacks.plan import Plan
from stacks.problems import Problem
from stacks.rules.boot_disk import boot_disk_problems
from stacks.stack import LUSTRE, Stack


def references(stack: Stack, facts: Catalog) -> Iterator[Problem]:
    """Each job has its RayCluster, or its pool, and somewhere to keep its data."""
    gpu_pools = [
        name
        for name, pool in stack.pools.items()
        if (it := facts.machines.get(pool.machine_type)) and it.accelerator
        if it.accelerator.kind == "gpu"
    ]
    first: dict[str, tuple[str, Training]] = {}
    for name, job in stack.jobs.items():
        field = f"jobs.{name}"
        if isinstance(job, FineTuning):
            yield from gpu_pool_problems(field, job.pool, gpu_pools)
            yield from _one_of(f"{field}.storage", job.storage, stack.buckets, "bucket")
            continue
        if isinstance(job, Script):
            yield from script.references(stack, facts, name, job)
            if job.ray is None:
                continue
        broken = tuple(_one_of(f"{field}.ray", job.ray, stack.ray, "RayCluster"))
        yield from broken
        if broken:
            continue
        cluster = job.ray or next(iter(stack.ray))
        if isinstance(job, Script):
            continue
        other, before = first.setdefault(cluster, (name, job))
        own_image = stack.ray[cluster].image is not None
        if not own_image and image_of(job, facts) != image_of(before, facts):
            yield Problem(
                f"{field}.ray",
                f"{cluster} is in the image of jobs.{other}; nearest: a RayCluster for each",
            )
        if other != name and isinstance(job, VerlTraining) and isinstance(before, VerlTraining):
            yield Problem(
                f"{field}.ray",
                f"{cluster} is prepared for jobs.{other}, with its model and its code; "
                "nearest: a RayCluster for each",
            )
        yield from _storage_problems(stack, field, cluster, job)


def job_rules(plan: Plan) -> Iterator[Problem]:
    for name, job in plan.ray_jobs.items():
        names = {"job": f"jobs.{name}"}
        match job:
            case NemoRlJob():
                yield from under(names, _nemo_rl_problems(plan, job, name))
            case VerlTraining():
                yield from verl_rules(plan, job, name)
            case MaxTextTraining():
                yield from _maxtext_problems(plan, job, name)
            case ImageClassifierTraining():
                yield from _kind_problems(plan, job, name, "gpu")
    for tuning in plan.fine_tunings.values():
        yield from fine_tune_rules(plan, tuning)
    for one in plan.scripts.values():
        yield from script.script_rules(plan, one)
        yield from (it for rule in sharing.RULES for it in rule(plan, one))


RULES = (job_rules,)


def _nemo_rl_problems(plan: Plan, job: NemoRlJob, name: str) -> Iterator[Problem]:
    ray = plan.ray[plan.cluster_of(job)]
    wrong = tuple(_kind_problems(plan, job, name, "gpu"))
    yield from wrong
    if wrong:
        return
    yield from socket_problems(job.socket_interface, ray.accelerated.devices)
    if ray.gpus:
        wandb = "wandb_api_key" in plan.stack.secrets_set
        yield from grpo_problems(named(GrpoJob, job, name), ray.gpus, wandb_key=wandb)
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


def _maxtext_problems(plan: Plan, job: MaxTextTraining, name: str) -> Iterator[Problem]:
    wrong = tuple(_kind_problems(plan, job, name, "tpu"))
    yield from wrong
    group = plan.ray[plan.cluster_of(job)].accelerated
    topology = group.first.topology
    if wrong or topology is None:
        return
    options, chips, slices = named(MaxTextJob, job, name), topology.chips, group.count
    run_name = job.run_name or name
    found = tuple(maxtext_problems(options, run_name=run_name, chips=chips, slices=slices))
    yield from under({"job": f"jobs.{name}"}, found)
    # What a chip has to hold is not known where the cut is wrong.
    cut = any(it.field.startswith(("job.ici", "job.dcn")) for it in found)
    accelerator = group.first.machine.accelerator
    if not cut and accelerator is not None:
        there = Chips(chips, slices, accelerator.memory_gib)
        yield from under(
            {"job": f"jobs.{name}"}, memory_problems(plan.facts.maxtext, options, there)
        )


def _kind_problems(plan: Plan, job: RayJob, name: str, kind: str) -> Iterator[Problem]:
    """The workers have what the job computes on."""
    group = plan.ray[plan.cluster_of(job)].accelerated
    if group.first.kind != kind:
        what = {"gpu": "GPUs", "tpu": "TPUs"}[kind]
        yield Problem(
            f"jobs.{name}.ray",
            f"workers of {plan.cluster_of(job)} are on {group.first.machine.name}, without {what}; "
            f"nearest: a RayCluster on a pool with {what}",
        )


def _storage_problems(stack: Stack, field: str, cluster: str, job: OnRay) -> Iterator[Problem]:
    everything = [*([LUSTRE] if stack.lustre else []), *stack.buckets]
    asked = stack.ray[cluster].mounts
    mounts = everything if asked is None else [it for it in everything if it in asked]
    if not mounts:
        yield Problem(
            f"{field}.storage",
            f"{cluster} mounts neither Lustre nor a bucket, where the job's data would be; "
            "nearest: a block in buckets",
        )
    elif job.storage is not None and job.storage not in mounts:
        yield Problem(
            f"{field}.storage",
            f'"{job.storage}" is not among what {cluster} mounts; '
            f"nearest: {nearest(job.storage, mounts)}",
        )


def _one_of(field: str, name: str | None, known: Mapping[str, Any], what: str) -> Iterator[Problem]:
    if not known:
        yield Problem(field, f"the stack has no {what}, and the job needs one; nearest: one more")
    elif name is None and len(known) > 1:
        yield Problem(field, f"missing, and there are several; nearest: {', '.join(known)}")
    elif name is not None and name not in known:
        near = nearest(name, list(known))
        yield Problem(field, f'"{name}" is no {what} of this stack; nearest: {near}')
