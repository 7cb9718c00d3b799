"""What has to be there before a verl training starts: its code in Ray's pods, its data and its
model on the storage."""

from collections.abc import Mapping

import pulumi

from components.base.static_volume import VolumeMount
from components.jobs.script_job import ScriptJob, ScriptJobArgs
from components.ray.cluster import RaySetupArgs
from stacks.parts.buckets.build import MountedBucket, annotations
from stacks.parts.buckets.plan import limits_of
from stacks.parts.jobs.on_ray import workload
from stacks.parts.jobs.verl import PACKAGE_DIR, SCRATCH_DIR, VerlTraining
from stacks.parts.jobs.verl_rules import PREPARED_AT_ONCE
from stacks.parts.ray.plan import PlannedRay
from stacks.plan import Plan
from stacks.site import Site

_PREPARATION = "prepare_data.py"
# What that imports from beside itself.
_MODULES = ("downloads.py", "prepared.py")
# 66 GB of model through one pod, after an image of tens of GB.
_MINUTES = 180


def setup_of(plan: Plan, ray: PlannedRay) -> RaySetupArgs | None:
    """verl on each pod's own disk, before Ray runs in it."""
    # The rules refuse a second one.
    job = next((it for it in ray.jobs if isinstance(it, VerlTraining)), None)
    if job is None:
        return None
    # The pods wait for the release where it is prepared.
    tag = [] if job.preparation is None else [_tag(plan, job)]
    return RaySetupArgs(
        script=workload("verl/use_verl.sh"),
        arguments=[f"{plan.mount_path(_storage(plan, job))}/verl", PACKAGE_DIR, *tag],
        directory=PACKAGE_DIR,
    )


def preparation(
    site: Site,
    name: str,
    job: VerlTraining,
    buckets: Mapping[str, MountedBucket],
    lustre: VolumeMount | None,
) -> list[ScriptJob]:
    """The job that fills a training's storage before it starts."""
    if job.preparation is None:
        return []
    plan = site.plan
    ray, storage = plan.ray[plan.cluster_of(job)], _storage(plan, job)
    bucket = buckets.get(storage)
    limits = None if bucket is None else limits_of([(bucket.planned, PREPARED_AT_ONCE)])
    head = site.nodes.cpu if ray.head_pool is None else site.nodes.selectors[ray.head_pool.name]
    mount_path = plan.mount_path(storage)
    options = site.after(*site.nodes.needed)
    # Up to now it was the job's, which may get another name.
    options.aliases = [pulumi.Alias(name=f"{name}-preparation")]
    return [
        ScriptJob(
            # As what it makes is named: made for a job of another name it would be there already.
            f"{ray.name}-preparation",
            ScriptJobArgs(
                namespace=site.namespace,
                job_name=f"{ray.name}-data",
                image=plan.images.of(ray.image),
                script_name=_PREPARATION,
                script=workload(f"verl/{_PREPARATION}"),
                modules={it: workload(f"verl/{it}") for it in _MODULES},
                arguments=_arguments(plan, job, mount_path),
                secret_name=site.secret_name,
                secret_keys=site.secret_keys,
                service_account=None if bucket is None else bucket.account_name,
                volume=lustre if bucket is None else bucket.claim,
                mount_path=mount_path,
                annotations=dict(annotations(limits)),
                node_selector=head,
                taints=() if ray.head_pool is None else ray.head_pool.taints,
                cpu_millicores=job.preparation.millicores,
                memory_gib=job.preparation.memory_gib,
                ephemeral_storage_gib=job.preparation.scratch_gib,
                minutes=_MINUTES,
                labels=site.labels,
            ),
            opts=options,
        )
    ]


def _arguments(plan: Plan, job: VerlTraining, mount_path: str) -> list[str]:
    locked, tag = plan.facts.component("verl"), _tag(plan, job)
    # git's id of what the release holds is known of the version lock's.
    tree = locked.tree if tag == locked.version else None
    return [
        f"--mount={mount_path}",
        f"--code-tag={tag}",
        *([] if tree is None else [f"--code-tree={tree}"]),
        f"--dataset={job.dataset}",
        f"--model={job.model}",
        *([] if job.revision is None else [f"--revision={job.revision}"]),
        f"--scratch={SCRATCH_DIR}",
    ]


def _tag(plan: Plan, job: VerlTraining) -> str:
    """The release of verl that the job runs."""
    return job.code_tag or plan.facts.release("verl")


def _storage(plan: Plan, job: VerlTraining) -> str:
    storage = plan.storage_of(job)
    # The rules refuse a training without any.
    assert storage is not None
    return storage
