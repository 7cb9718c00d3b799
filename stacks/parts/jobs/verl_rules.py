"""What a verl training demands of its RayCluster, its storage and the node under the head. No
Pulumi import."""

from collections.abc import Iterator

from catalog import Sidecar
from stacks.fields import under
from stacks.parts.buckets.plan import limits_of, sidecar_of
from stacks.parts.jobs.config import VerlTraining
from stacks.parts.jobs.socket_rules import socket_problems
from stacks.parts.jobs.verl_bucket_rules import folder_problems, preparation_problems
from stacks.parts.jobs.verl_job import VerlJob
from stacks.parts.jobs.verl_option_rules import verl_problems
from stacks.parts.named import named
from stacks.plan import Plan
from stacks.problems import Problem
from stacks.rules.boot_disk import boot_disk_problems
from stacks.rules.packing import Amounts
from stacks.stack import LUSTRE

# One large file, or many small ones that are soon done.
PREPARED_AT_ONCE = 4


def verl_rules(plan: Plan, training: VerlTraining, name: str) -> Iterator[Problem]:
    ray = plan.ray[plan.cluster_of(training)]
    group = ray.accelerated
    field = f"jobs.{name}"
    if group.first.kind != "gpu":
        yield Problem(
            f"{field}.ray",
            f"workers of {ray.name} are on {group.first.machine.name}, without GPUs; "
            "nearest: a RayCluster on a pool with GPUs",
        )
        return
    names = {
        "job": field,
        "cpu_pool": "pools.cpu" if ray.head_pool is None else ray.head_pool.field,
    }
    job = named(VerlJob, training, name)
    yield from under(names, folder_problems(job))
    yield from _streaming_problems(plan, training)
    yield from under(names, _cpu_node_problems(plan, training, job))
    if group.gpus:
        found = verl_problems(job, gpus_per_node=group.gpus, nodes=ray.workers)
        yield from under(names, found)
        yield from under(names, socket_problems(job.socket_interface, group.devices))


def _preparation_sidecar(plan: Plan, training: VerlTraining) -> Sidecar | None:
    """What GKE puts beside the container of the job that fills the storage, which mounts nothing
    else."""
    storage = plan.storage_of(training)
    buckets = [it for key, it in plan.buckets.items() if key == storage]
    limits = limits_of([(it, PREPARED_AT_ONCE) for it in buckets])
    return sidecar_of(buckets, limits, plan.facts)


def _streaming_problems(plan: Plan, training: VerlTraining) -> Iterator[Problem]:
    storage = plan.storage_of(training)
    if storage in (None, LUSTRE):
        return
    bucket = plan.buckets[storage]
    if not bucket.config.mount.streaming_writes:
        yield Problem(
            f"{bucket.field}.mount.streaming_writes",
            "false has every rank write its part of a checkpoint to the sidecar's disk first, "
            "and the pod is evicted; nearest: true",
        )


def _cpu_node_problems(plan: Plan, training: VerlTraining, job: VerlJob) -> Iterator[Problem]:
    """What Ray's head and the preparation share."""
    ray = plan.ray[plan.cluster_of(training)]
    head = Amounts.of_pod(ray.config.head.requests, 0, ray.sidecar(head=True))
    pool, pods_mib = ray.head_pool, head.ephemeral_storage_mib
    sidecar = _preparation_sidecar(plan, training)
    if job.preparation is not None:
        most = None if pool is None else pool.bounds.max
        yield from preparation_problems(
            job.preparation, sidecar or _NONE, ray.head_host, head, nodes=most
        )
        pods_mib += job.preparation.scratch_gib * 1024
        pods_mib += 0 if sidecar is None else sidecar.ephemeral_storage_mib
    image_gib = plan.facts.image(ray.demands.image).unpacked_gib
    if pool is not None and ray.config.image is None and image_gib is not None:
        yield from boot_disk_problems(
            ray.head_host, pool.config.disk.size_gb, image_gib=image_gib, pods_mib=pods_mib
        )


# Lustre is mounted by the node itself.
_NONE = Sidecar.model_construct(cpu_millicores=0, memory_mib=0, ephemeral_storage_mib=0, source="")
