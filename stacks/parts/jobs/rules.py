"""What each job demands of what it runs on. No Pulumi import."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from catalog import Catalog
from stacks.config_errors import nearest
from stacks.parts.jobs.config import (
    FineTuning,
    MaxTextTraining,
    NemoRlJob,
    Script,
    Training,
    VerlTraining,
)
from stacks.parts.jobs.fine_tune_rules import fine_tune_rules
from stacks.parts.jobs.gpu_memory_rules import gpu_memory_rules
from stacks.parts.jobs.maxtext_rules import maxtext_memory_rules, maxtext_rules
from stacks.parts.jobs.nemo_rl_rules import nemo_rl_rules
from stacks.parts.jobs.on_ray import OnRay
from stacks.parts.jobs.script_rules import script_references, script_rules
from stacks.parts.jobs.transport_rules import transport_problems
from stacks.parts.jobs.verl_rules import verl_rules
from stacks.parts.servers.rules import gpu_pool_problems
from stacks.plan import Plan
from stacks.planned_jobs import planned_jobs
from stacks.problems import Problem
from stacks.stack import LUSTRE, Stack


def references(stack: Stack, facts: Catalog) -> Iterator[Problem]:
    """Each job has its RayCluster, or its pool, and somewhere to keep its data."""
    first: dict[str, tuple[str, Training]] = {}
    for name, job in stack.jobs.items():
        field = f"jobs.{name}"
        if isinstance(job, FineTuning):
            yield from gpu_pool_problems(field, job.pool, stack, facts)
            yield from _one_of(f"{field}.storage", job.storage, stack.buckets, "bucket")
            continue
        if isinstance(job, Script):
            yield from script_references(stack, facts, name, job)
            if job.ray is None:
                continue
        broken = tuple(_one_of(f"{field}.ray", job.ray, stack.ray, "RayCluster"))
        yield from broken
        if broken or isinstance(job, Script):
            continue
        cluster = job.ray or next(iter(stack.ray))
        other, before = first.setdefault(cluster, (name, job))
        own_image = stack.ray[cluster].image is not None
        if not own_image and job.demands(facts).image != before.demands(facts).image:
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
        if not isinstance(job, Script):
            yield from _of_kind(plan, job, name) or _training_problems(plan, job, name)
    for tuning in plan.fine_tunings.values():
        yield from fine_tune_rules(plan, tuning)
    for script in plan.scripts.values():
        yield from script_rules(plan, script)


def fit_rules(plan: Plan) -> Iterator[Problem]:
    """A model that its accelerators cannot hold, by arithmetic; one that the catalog does not know
    is not judged."""
    for name, job in plan.ray_jobs.items():
        if isinstance(job, Script) or _of_kind(plan, job, name):
            continue
        ray = plan.ray[plan.cluster_of(job)]
        if isinstance(job, MaxTextTraining):
            yield from maxtext_memory_rules(plan, ray, job, name)
        elif isinstance(job, VerlTraining | NemoRlJob):
            yield from gpu_memory_rules(plan, name, job)
    for name, tuning in plan.fine_tunings.items():
        yield from gpu_memory_rules(plan, name, tuning.config)


def apart_rules(plan: Plan) -> Iterator[Problem]:
    """No training goes on from another's checkpoints, or writes over them."""
    first: dict[str, str] = {}
    for job in planned_jobs(plan).values():
        if job.written is None:
            continue
        other = first.setdefault(job.written.folder, job.name)
        if other != job.name:
            yield Problem(
                f"jobs.{job.name}.{job.written.key}",
                f"its checkpoints are in {job.written.folder}, as those of jobs.{other}: each "
                f"would go on from the other's and write over them; nearest: {job.name}-2",
            )


RULES = (job_rules, transport_problems, fit_rules, apart_rules)


def _of_kind(plan: Plan, job: Training, name: str) -> list[Problem]:
    """The workers have what the job computes on."""
    cluster, kind = plan.cluster_of(job), "tpu" if isinstance(job, MaxTextTraining) else "gpu"
    pool = plan.ray[cluster].accelerated.first
    if pool.kind == kind:
        return []
    what = f"{kind.upper()}s"
    return [
        Problem(
            f"jobs.{name}.ray",
            f"workers of {cluster} are on {pool.machine.name}, without {what}; "
            f"nearest: a RayCluster on a pool with {what}",
        )
    ]


def _training_problems(plan: Plan, job: Training, name: str) -> Iterator[Problem]:
    ray = plan.ray[plan.cluster_of(job)]
    if isinstance(job, MaxTextTraining):
        yield from maxtext_rules(plan, ray, job, name)
    if isinstance(job, NemoRlJob | VerlTraining):
        interface, devices = job.socket_interface, ray.accelerated.devices
        yield from socket_problems(f"jobs.{name}.socket_interface", interface, devices)
    if isinstance(job, NemoRlJob):
        yield from nemo_rl_rules(plan, ray, job, name)
    if isinstance(job, VerlTraining):
        yield from verl_rules(plan, ray, job, name)


def socket_problems(field: str, interface: str, devices: Sequence[str]) -> Iterator[Problem]:
    """What the processes of a job talk over is an interface of the workers."""
    if interface not in devices:
        yield Problem(
            field,
            f"{interface} is not an interface of the workers ({', '.join(devices)}); "
            f"nearest: {devices[0]}",
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
