"""Servers of models, and fine-tunings that share their nodes."""

from pathlib import Path

import pulumi

from components.fine_tune_job import FineTuneJob, FineTuneJobArgs
from components.inference_server import InferenceServer, InferenceServerArgs
from stacks.parts.buckets.build import MountedBucket, annotations
from stacks.parts.jobs.plan import PlannedFineTuning
from stacks.parts.queues.build import Queues
from stacks.parts.servers.plan import PlannedServer
from stacks.site import Selector, Site
from stacks.tokens import VARIABLES

_LAUNCHER = Path(__file__).parents[3] / "workloads" / "fine_tune" / "launch.sh"
_TOKEN = VARIABLES["hugging_face_token"]


def build(site: Site, queues: Queues) -> dict[str, InferenceServer]:
    return {name: _server(site, queues, it) for name, it in site.plan.servers.items()}


def fine_tunings(
    site: Site, queues: Queues, buckets: dict[str, MountedBucket]
) -> dict[str, FineTuneJob]:
    return {
        name: _fine_tuning(site, queues, it, buckets[it.bucket.key])
        for name, it in site.plan.fine_tunings.items()
    }


def _server(site: Site, queues: Queues, server: PlannedServer) -> InferenceServer:
    config = server.config
    scaling = config.autoscaling
    return InferenceServer(
        server.name,
        InferenceServerArgs(
            namespace=site.namespace,
            server_name=server.name,
            engine=config.engine,
            image=server.image,
            model=config.model,
            replicas=config.least,
            max_replicas=None if scaling is None else scaling.max,
            target_queue_size=1 if scaling is None else scaling.target_queue_size,
            gpus=config.gpus,
            shards=config.model_shards,
            max_model_len=config.max_model_len,
            gpu_memory_utilization=config.gpu_memory_utilization,
            cpu_millicores=config.requests.millicores,
            memory_gib=config.requests.memory_gib,
            ephemeral_storage_gib=config.requests.ephemeral_storage_gib or 0,
            shm_gib=config.shm_gib,
            # A Secret may have other tokens alone.
            secret_name=site.secret_name if _TOKEN in site.secret_keys else None,
            secret_key=_TOKEN,
            priority_class=queues.priority(config.priority),
            queue=queues.queue(config.queue),
            workload_priority=queues.workload_priority(config.workload_priority),
            node_selector=_selector(site, server.pool.name, queued=config.queue is not None),
            taints=server.pool.taints,
            minutes=config.minutes,
            labels=site.labels,
        ),
        opts=_after(site, queues, server.pool.name),
    )


def _fine_tuning(
    site: Site, queues: Queues, tuning: PlannedFineTuning, mounted: MountedBucket
) -> FineTuneJob:
    job, requests = tuning.job, tuning.requests
    mount_path = tuning.bucket.config.mount_path
    # The config refuses to be without a token.
    assert site.secret_name is not None
    return FineTuneJob(
        tuning.name,
        FineTuneJobArgs(
            namespace=site.namespace,
            job_name=tuning.name,
            image=tuning.image,
            script_name=_LAUNCHER.name,
            script=_LAUNCHER.read_text(encoding="utf-8"),
            environment=job.environment(mount_path),
            pods=job.pods,
            gpus=job.gpus,
            shm_gib=job.shm_gib,
            cpu_millicores=requests.millicores,
            memory_gib=requests.memory_gib,
            ephemeral_storage_gib=requests.ephemeral_storage_gib or 0,
            bucket=mounted.args,
            mount_path=mount_path,
            annotations=annotations(tuning.limits),
            service_account=mounted.account_name,
            secret_name=site.secret_name,
            secret_key=_TOKEN,
            priority_class=queues.priority(job.priority),
            queue=queues.queues[job.queue],
            workload_priority=queues.workload_priority(job.workload_priority),
            node_selector=_selector(site, tuning.pool.name, queued=True),
            taints=tuning.pool.taints,
            backoff_limit=job.backoff_limit,
            labels=site.labels,
        ),
        opts=_after(site, queues, tuning.pool.name),
    )


def _selector(site: Site, pool: str, *, queued: bool) -> Selector:
    """Any node with these GPUs where the pool is alone with them, and in a queue with GPUs at all:
    Kueue looks at the names of pools alone."""
    planned = site.plan.pools[pool]
    accelerator = planned.machine.accelerator
    others = [
        it
        for it in site.plan.gpu_pools.values()
        if accelerator and it.machine.accelerator
        if it.name != pool and (queued or it.machine.accelerator.type == accelerator.type)
    ]
    alone = site.plan.stack.cluster.is_made and not others
    if site.plan.autopilot or not alone or accelerator is None:
        return site.nodes.only[pool]
    return {"cloud.google.com/gke-accelerator": accelerator.type}


def _after(site: Site, queues: Queues, pool: str) -> pulumi.ResourceOptions:
    """No value of a workload names what it waits for."""
    return site.after(*site.nodes.needed, *site.nodes.machines[pool], *queues.made)
