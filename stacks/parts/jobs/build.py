"""Jobs on RayClusters: each as a launcher with its parameters."""

from collections.abc import Mapping
from dataclasses import dataclass

import pulumi

from components.ray_cluster import RayCluster
from components.ray_job import RayJob
from components.ray_launchers import RayLaunchers, RayLaunchersArgs
from stacks.outputs import submit_command
from stacks.parts.jobs import checkpoint_workload, grpo_workload, maxtext_workload, verl_workload
from stacks.parts.jobs.config import (
    ImageClassifierTraining,
    MaxTextTraining,
    NemoRlJob,
    Training,
    VerlTraining,
)
from stacks.parts.jobs.grpo_job import GrpoJob
from stacks.parts.jobs.image_classifier_job import ImageClassifierJob
from stacks.parts.jobs.maxtext_job import MaxTextJob
from stacks.parts.jobs.preparation import preparation
from stacks.parts.jobs.script import on_ray
from stacks.parts.jobs.script.config import Script
from stacks.parts.jobs.verl_job import VerlJob
from stacks.parts.jobs.work import Work, job_args
from stacks.parts.named import named
from stacks.parts.ray.build import Surroundings
from stacks.plan import Plan
from stacks.site import Site

# Lines of the log as they come.
_UNBUFFERED = {"PYTHONUNBUFFERED": "1"}


@dataclass(frozen=True, kw_only=True)
class Launched:
    """`submit` is the command to do the same by hand."""

    job_name: pulumi.Output[str]
    submit: pulumi.Output[str]


def build(
    site: Site,
    around: Surroundings,
    clusters: Mapping[str, RayCluster],
    of_users: Mapping[str, Mapping[str, str]],
) -> dict[str, Launched]:
    """`of_users` are the files that users bring, by job.

    Jobs of one RayCluster run beside each other as far as Ray has room for what they ask. One that
    takes all GPUs waits until the others leave them.
    """
    found: dict[str, Launched] = {}
    works = {
        name: _script(name, job, of_users[name])
        if isinstance(job, Script)
        else work_of(site.plan, name, job)
        for name, job in site.plan.ray_jobs.items()
    }
    shared = _launchers(site, clusters, works)
    for name, job in site.plan.ray_jobs.items():
        ray, work = site.plan.cluster_of(job), works[name]
        cluster = clusters[ray]
        # It waits for data and model; Ray itself comes up beside them.
        before = preparation(site, around, name, job)
        made = RayJob(
            name,
            job_args(site.namespace, ray, cluster, work, site.labels, shared.get(ray)),
            opts=site.after(*before),
        )
        submit = submit_command(made.command, work.runtime_environment())
        found[name] = Launched(job_name=made.job_name, submit=submit)
    return found


def _launchers(
    site: Site, clusters: Mapping[str, RayCluster], works: Mapping[str, Work]
) -> dict[str, pulumi.Resource]:
    """By RayCluster that has jobs; names of files change with what is in them."""
    found: dict[str, pulumi.Resource] = {}
    for ray, cluster in clusters.items():
        jobs = [name for name, it in site.plan.ray_jobs.items() if site.plan.cluster_of(it) == ray]
        if not jobs:
            continue
        args = [job_args(site.namespace, ray, cluster, works[it], site.labels) for it in jobs]
        files = {name: text for it in args for name, text in {**it.scripts, **it.files}.items()}
        made = RayLaunchers(
            f"{ray}-launchers",
            RayLaunchersArgs(
                namespace=site.namespace,
                ray_cluster=ray,
                jobs=jobs,
                files=files,
                labels=site.labels,
            ),
            opts=site.inside,
        )
        found[ray] = made.config_map
    return found


def work_of(plan: Plan, name: str, job: Training) -> Work:
    storage = plan.storage_of(job)
    # The rules refuse a job without any.
    assert storage is not None
    mount_path = plan.mount_path(storage)
    match job:
        case NemoRlJob():
            return _nemo_rl(plan, named(GrpoJob, job, name), job, mount_path)
        case VerlTraining():
            return _verl(plan, named(VerlJob, job, name), job, mount_path)
        case MaxTextTraining():
            return _maxtext(plan, named(MaxTextJob, job, name), job, mount_path)
        case ImageClassifierTraining():
            return _classifier(plan, named(ImageClassifierJob, job, name), job, mount_path)


def _script(name: str, script: Script, files: Mapping[str, str]) -> Work:
    return Work(
        name=name,
        launcher_name=f"{name}.sh",
        launcher=on_ray.launcher(script, files),
        files=on_ray.stored(files),
        parameters={},
        environment={**_UNBUFFERED, **script.environment},
    )


def _nemo_rl(plan: Plan, job: GrpoJob, of: NemoRlJob, mount_path: str) -> Work:
    ray = plan.ray[plan.cluster_of(of)]
    nccl = {} if ray.nccl is None else ray.nccl.variables
    return Work(
        name=job.name,
        launcher_name=grpo_workload.LAUNCHER_NAME,
        launcher=grpo_workload.launcher(),
        parameters=grpo_workload.parameters(
            job, nodes=ray.workers, gpus_per_node=ray.accelerated.gpus, mount_path=mount_path
        ),
        environment={**nccl, **grpo_workload.environment(job, mount_path)},
        gpus=ray.gpus,
    )


def _verl(plan: Plan, job: VerlJob, of: VerlTraining, mount_path: str) -> Work:
    ray = plan.ray[plan.cluster_of(of)]
    return Work(
        name=job.name,
        launcher_name=verl_workload.LAUNCHER_NAME,
        gpus=ray.gpus,
        launcher=verl_workload.launcher(),
        parameters=verl_workload.parameters(
            job,
            nodes=ray.workers,
            gpus_per_node=ray.accelerated.gpus,
            mount_path=mount_path,
            wandb="wandb_api_key" in plan.stack.secrets_set,
        ),
        environment=verl_workload.environment(job, {} if ray.nccl is None else ray.nccl.variables),
    )


def _maxtext(plan: Plan, job: MaxTextJob, of: MaxTextTraining, mount_path: str) -> Work:
    group = plan.ray[plan.cluster_of(of)].accelerated
    topology, released = group.first.topology, plan.facts.component("maxtext").version
    # The rules refuse a topology that the machine does not have; the lock has a version.
    assert topology is not None
    assert released is not None
    return Work(
        name=job.name,
        launcher_name=maxtext_workload.TRAINER_NAME,
        launcher=maxtext_workload.trainer(),
        files=maxtext_workload.files(group.count),
        parameters=maxtext_workload.parameters(
            job,
            run_name=job.run_name or job.name,
            tpu=group.first.as_slices,
            generation=topology.generation,
            hosts=topology.hosts,
            chips_per_host=topology.chips // topology.hosts,
            mount_path=mount_path,
            maxtext=released if job.install_maxtext else "",
        ),
        environment=_UNBUFFERED,
    )


def _classifier(
    plan: Plan, job: ImageClassifierJob, of: ImageClassifierTraining, mount_path: str
) -> Work:
    ray = plan.ray[plan.cluster_of(of)]
    return Work(
        name=job.name,
        launcher_name=checkpoint_workload.TRAINER_NAME,
        launcher=checkpoint_workload.trainer(),
        files=checkpoint_workload.files(),
        parameters=checkpoint_workload.parameters(
            job,
            workers=ray.workers,
            gpus_per_worker=ray.accelerated.gpus,
            mount_path=mount_path,
        ),
        environment=_UNBUFFERED,
        packages=ray.demands.packages,
    )
