"""What a fine-tuning demands of its nodes, and of a server beside it.

Sources, read 2026-11-21: GoogleCloudPlatform/kubernetes-engine-samples
ai-ml/mix-train-and-inference/src/fine_tune.py (commit 2b503651 of 2026-07-30), and transformers
v4.46.1, which it runs on, src/transformers/trainer.py.
"""

from collections.abc import Iterator

from catalog import Sidecar
from stacks.parts.jobs.fine_tune_job import FineTuneJob
from stacks.parts.ray.config import PodSizes
from stacks.parts.servers.options import InferenceServer
from stacks.parts.servers.server_rules import LONGEST_LABEL, gpu_problems, name_problems
from stacks.problems import Problem
from stacks.resources import Resources
from stacks.rules.packing import Amounts, pods_beside
from stacks.rules.ray_fit import Host, pod_problems

_MIB = 1024
# The pod's own copies of the weights, as they came and as they are merged; no share of a large disk
# that a queue would then count as taken.
_SCRATCH_GIB = 50
# Examples of the training set.
_EXAMPLES = {"b-mc2/sql-create-context": 78577}


def fine_tune_problems(
    job: FineTuneJob,
    host: Host,
    *,
    nodes: int,
    sidecar: Sidecar,
    server: InferenceServer | None = None,
    field: str = "job",
) -> Iterator[Problem]:
    """`sidecar` mounts the bucket beside the container of each pod; one `server` always stays on
    the `nodes`."""
    last = f"-{job.pods - 1}"
    yield from name_problems(f"{field}.name", job.name, LONGEST_LABEL - len(last))
    yield from _step_problems(field, job)
    on_node = [
        *gpu_problems(f"{field}.gpus", job.gpus, host.machine),
        *_mount_problems(field, job, host, sidecar),
    ]
    if not on_node:
        sizes = PodSizes(requests=requests_of(job, host, sidecar), shm_gib=job.shm_gib)
        on_node += pod_problems(field, sizes, host, sidecar)
    yield from on_node
    if not on_node:
        yield from _room_problems(field, job, host, nodes, sidecar, server)


def requests_of(job: FineTuneJob, host: Host, sidecar: Sidecar) -> Resources:
    """What the config says, else the share of a node that the GPUs are, less the sidecar's."""
    if job.requests is not None:
        return job.requests
    share = _share(job, host)
    storage = (share.ephemeral_storage_mib - sidecar.ephemeral_storage_mib) // _MIB
    return Resources(
        cpu=max(1, (share.cpu_millicores - sidecar.cpu_millicores) // 1000),
        memory_gib=max(1, (share.memory_mib - sidecar.memory_mib) // _MIB),
        ephemeral_storage_gib=max(1, min(_SCRATCH_GIB, storage)),
    )


def _share(job: FineTuneJob, host: Host) -> Amounts:
    node = Amounts.of_node(host)
    parts = max(1, node.gpus)
    return Amounts(
        cpu_millicores=node.cpu_millicores * job.gpus // parts,
        memory_mib=node.memory_mib * job.gpus // parts,
        ephemeral_storage_mib=node.ephemeral_storage_mib * job.gpus // parts,
        gpus=job.gpus,
    )


def _mount_problems(
    field: str, job: FineTuneJob, host: Host, sidecar: Sidecar
) -> Iterator[Problem]:
    """Where the config says what a pod requests, only what leaves it nothing is refused here."""
    shares = job.requests is None
    room = (_share(job, host).memory_mib if shares else host.node.memory_mib) // _MIB
    own = job.shm_gib if shares else 1
    if own >= room:
        yield Problem(
            f"{field}.shm_gib",
            f"{own} GiB of shared memory are all that a pod with {job.gpus} GPUs gets on a "
            f"{host.name}; nearest: {room - 1}",
        )
    elif sidecar.memory_mib > (room - own) * _MIB:
        yield Problem(
            "bucket.mount.sidecar.memory_gib",
            f"{sidecar.memory_mib / _MIB:g} GiB to mount the bucket leave a pod with {job.gpus} "
            f"GPUs on a {host.name} no memory of its own; nearest: {room - own}",
        )


def _room_problems(
    field: str,
    job: FineTuneJob,
    host: Host,
    nodes: int,
    sidecar: Sidecar,
    server: InferenceServer | None,
) -> Iterator[Problem]:
    node = Amounts.of_node(host)
    pod = Amounts.of_pod(requests_of(job, host, sidecar), job.gpus, sidecar)
    beside = ""
    fitting = nodes * node.holds(pod)
    if server is not None:
        beside = " beside one server"
        guest = Amounts.of_pod(server.requests, server.gpus)
        if node.holds(guest) == 0:
            return
        fitting = pods_beside(node, nodes, guest, pod)
    if job.pods > fitting:
        more = nodes + -(-(job.pods - fitting) // node.holds(pod))
        yield Problem(
            f"{field}.pods",
            f"{job.pods} pods with {job.gpus} GPUs each do not fit{beside} on {nodes} nodes of "
            f"{host.name}; nearest: {f'{fitting}, or ' if fitting else ''}{more} nodes",
        )


def _step_problems(field: str, job: FineTuneJob) -> Iterator[Problem]:
    examples = _EXAMPLES[job.dataset]
    if (job.dataset_limit or 0) > examples:
        yield Problem(
            f"{field}.dataset_limit",
            f"{job.dataset_limit} examples are more than the {examples} of {job.dataset}; "
            f"nearest: {examples}",
        )
        return
    batches = -(-(job.dataset_limit or examples) // (job.pods * job.gpus))
    steps = job.epochs * max(1, batches // job.gradient_accumulation_steps)
    if job.checkpoint_save_steps > steps:
        yield Problem(
            f"{field}.checkpoint_save_steps",
            f"{job.checkpoint_save_steps} steps are never reached in {steps}, so a job that is "
            f"preempted starts again; nearest: {steps}",
        )
