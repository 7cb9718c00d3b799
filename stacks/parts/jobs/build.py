"""Jobs on RayClusters, each as a launcher with its parameters, and fine-tunings."""

from collections.abc import Mapping
from dataclasses import dataclass, replace

import pulumi

from components.jobs.fine_tune import FineTuneJob, FineTuneJobArgs
from components.nccl.gib import nccl_environment
from components.ray.cluster import RayCluster
from components.ray.job import RayJob, RayJobArgs, ResumeArgs, TestArgs
from components.ray.launchers import RayLaunchers, RayLaunchersArgs
from stacks.outputs import submit_command, with_token
from stacks.parts.buckets.build import MountedBucket, annotations
from stacks.parts.images.driver_path import driver_environment
from stacks.parts.jobs.config import MaxTextTraining, Training, VerlTraining
from stacks.parts.jobs.fine_tune import LAUNCHER_NAME
from stacks.parts.jobs.on_ray import UNBUFFERED, Place, Work, workload
from stacks.parts.jobs.plan import PlannedFineTuning
from stacks.parts.jobs.requirements import packages_of
from stacks.parts.jobs.script import Script, launcher, stored
from stacks.parts.jobs.verl_build import preparation
from stacks.parts.pools.staying import staying
from stacks.parts.queues.build import Queues
from stacks.parts.ray.build import Surroundings
from stacks.parts.ray.plan import PlannedRay
from stacks.parts.servers.build import TOKEN, gpu_selector, once_its_nodes_stand
from stacks.plan import Plan
from stacks.site import Site


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
        else _training(site.plan, name, job)
        for name, job in site.plan.ray_jobs.items()
    }
    shared = _launchers(site, clusters, works)
    for name, job in site.plan.ray_jobs.items():
        ray, work = site.plan.cluster_of(job), works[name]
        # It waits for data and model; Ray itself comes up beside them.
        before = (
            preparation(site, name, job, around.buckets, around.lustre)
            if isinstance(job, VerlTraining)
            else []
        )
        made = RayJob(
            name,
            _job_args(site, clusters[ray], ray, work, shared[ray]),
            opts=site.after(*before),
        )
        before_it = with_token(site.plan.ray[ray], site.plan.stack.namespace)
        submit = submit_command(made.command, work.runtime_environment(), before=before_it)
        found[name] = Launched(job_name=made.job_name, submit=submit)
    return found


def fine_tunings(
    site: Site, queues: Queues, buckets: Mapping[str, MountedBucket]
) -> dict[str, FineTuneJob]:
    return {
        name: _fine_tuning(site, queues, it, buckets[it.bucket.key])
        for name, it in site.plan.fine_tunings.items()
    }


def _launchers(
    site: Site, clusters: Mapping[str, RayCluster], works: Mapping[str, Work]
) -> dict[str, RayLaunchers]:
    """By RayCluster that has jobs; names of files change with what is in them."""
    found: dict[str, RayLaunchers] = {}
    for ray, cluster in clusters.items():
        jobs = [name for name, it in site.plan.ray_jobs.items() if site.plan.cluster_of(it) == ray]
        if not jobs:
            continue
        args = [_job_args(site, cluster, ray, works[it]) for it in jobs]
        files = {name: text for it in args for name, text in {**it.scripts, **it.files}.items()}
        found[ray] = RayLaunchers(
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
    return found


def _job_args(
    site: Site, cluster: RayCluster, ray: str, work: Work, launchers: RayLaunchers | None = None
) -> RayJobArgs:
    resume = None
    if work.gpus is not None or work.retries:
        # By `ray list nodes`: a node that was killed is out of it in 12 seconds (run with ray
        # 2.54.0, 2026-11-22).
        resume = ResumeArgs(
            name="resume.py",
            script=workload("ray/resume.py"),
            gpus=work.gpus or 0,
            retries=work.retries,
            checkpoints=work.checkpoints,
            test=None if work.gpus is None else _network_test(site.plan.ray[ray]),
        )
    return RayJobArgs(
        namespace=site.namespace,
        job_name=work.name,
        ray_cluster=cluster,
        launcher_name=work.launcher_name,
        launcher=work.launcher,
        files=work.files,
        parameters=work.parameters,
        environment=work.environment,
        packages=work.packages,
        resume=resume,
        launchers=launchers,
        labels=site.labels,
    )


def _network_test(ray: PlannedRay) -> TestArgs | None:
    wanted, group = ray.config.nccl_test, ray.accelerated
    if wanted is None:
        return None
    return TestArgs(
        name="network_test.py",
        script=workload("nccl/network_test.py"),
        arguments=[str(group.count), str(group.gpus), f"{wanted.minimum_bus_bandwidth_gbps:g}"],
    )


def _training(plan: Plan, name: str, job: Training) -> Work:
    ray, storage = plan.ray[plan.cluster_of(job)], plan.storage_of(job)
    group = ray.accelerated
    # The rules refuse a job without any.
    assert storage is not None
    at = Place(
        name=name,
        mount_path=plan.mount_path(storage),
        workers=group.count,
        gpus=group.gpus,
        nccl={} if ray.nccl is None else nccl_environment(ray.nccl.variables),
        packages=ray.demands.packages,
        wandb="wandb_api_key" in plan.stack.secrets_set,
    )
    if not isinstance(job, MaxTextTraining):
        work = replace(job.work(at), retries=job.runs_again)
        # The head would count the checkpoints of a listing that is not read again.
        return replace(work, checkpoints=None) if _keeps_listings(plan, storage) else work
    # The rules refuse a topology that the machine does not have.
    assert group.first.topology is not None
    work = job.work(at, group.first.topology, plan.facts.release("maxtext"))
    return replace(work, retries=job.runs_again)


def _keeps_listings(plan: Plan, storage: str) -> bool:
    bucket = plan.buckets.get(storage)
    return bucket is not None and bool(bucket.config.mount.kernel_list_cache_ttl_s)


def _script(name: str, script: Script, files: Mapping[str, str]) -> Work:
    return Work(
        name=name,
        launcher_name=f"{name}.sh",
        launcher=launcher(script, files),
        files=stored(files),
        parameters={},
        environment={**UNBUFFERED, **script.environment},
        packages=packages_of(files) if script.install_requirements else (),
        retries=script.retries,
    )


def _fine_tuning(
    site: Site, queues: Queues, tuning: PlannedFineTuning, mounted: MountedBucket
) -> FineTuneJob:
    job, requests = tuning.config, tuning.requests
    mount_path = tuning.bucket.config.mount_path
    # The config refuses to be without a token.
    assert site.secret_name is not None
    return FineTuneJob(
        tuning.name,
        FineTuneJobArgs(
            namespace=site.namespace,
            job_name=tuning.name,
            image=site.plan.images.of(tuning.image),
            script_name=LAUNCHER_NAME,
            script=workload(f"fine_tune/{LAUNCHER_NAME}"),
            environment={
                **driver_environment(site.plan, tuning.image, job.gpus),
                **job.environment(mount_path),
            },
            pods=job.pods,
            gpus=job.gpus,
            shm_gib=job.shm_gib,
            cpu_millicores=requests.millicores,
            memory_gib=requests.memory_gib,
            ephemeral_storage_gib=requests.ephemeral_storage_gib or 0,
            bucket=mounted.args,
            mount_path=mount_path,
            annotations={
                **staying(site, "Job", f"{tuning.name}-job", [tuning.pool]),
                **annotations(tuning.limits),
            },
            service_account=mounted.account_name,
            secret_name=site.secret_name,
            secret_key=TOKEN,
            priority_class=queues.priority(job.priority),
            queue=queues.queues[tuning.queue],
            workload_priority=queues.workload_priority(job.workload_priority),
            node_selector=gpu_selector(site, tuning.pool.name, queued=True),
            taints=tuning.pool.taints,
            backoff_limit=job.retries,
            labels=site.labels,
        ),
        opts=once_its_nodes_stand(site, queues, tuning.name, tuning.pool.name),
    )
