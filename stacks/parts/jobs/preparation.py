"""The job that fills a verl training's storage before it starts."""

import pulumi

from components.script_job import ScriptJob, ScriptJobArgs
from stacks.parts.buckets.build import annotations
from stacks.parts.buckets.plan import limits_of
from stacks.parts.jobs import verl_workload
from stacks.parts.jobs.config import RayJob, VerlTraining
from stacks.parts.jobs.setup import code_tag
from stacks.parts.jobs.verl_job import VerlJob
from stacks.parts.jobs.verl_rules import PREPARED_AT_ONCE
from stacks.parts.named import named
from stacks.parts.ray.build import Surroundings
from stacks.site import Site

# 66 GB of model through one pod, after an image of tens of GB.
_MINUTES = 180


def preparation(site: Site, around: Surroundings, name: str, job: RayJob) -> list[ScriptJob]:
    if not isinstance(job, VerlTraining) or job.preparation is None:
        return []
    plan = site.plan
    ray, storage = plan.ray[plan.cluster_of(job)], plan.storage_of(job)
    # The rules refuse a training without any.
    assert storage is not None
    bucket = around.buckets.get(storage)
    volume = around.lustre if bucket is None else bucket.claim
    limits = None
    if bucket is not None:
        limits = limits_of([(bucket.planned, PREPARED_AT_ONCE)])
    tag = code_tag(plan, job)
    locked = plan.facts.component("verl")
    head = site.nodes.cpu if ray.head_pool is None else site.nodes.selectors[ray.head_pool.name]
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
                image=ray.image,
                script_name=verl_workload.PREPARATION_NAME,
                script=verl_workload.preparation(),
                modules=verl_workload.preparation_modules(),
                arguments=verl_workload.preparation_arguments(
                    named(VerlJob, job, name),
                    tag,
                    # git's id of what the release holds is known of the version lock's.
                    locked.tree if tag == locked.version else None,
                    plan.mount_path(storage),
                ),
                secret_name=site.secret_name,
                secret_keys=site.secret_keys,
                service_account=None if bucket is None else bucket.account_name,
                volume=volume,
                mount_path=plan.mount_path(storage),
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
