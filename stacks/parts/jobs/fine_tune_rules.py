"""What a fine-tuning demands of its nodes, its queue and the servers beside it. No Pulumi import.

Sources, read 2026-11-21: GoogleCloudPlatform/kubernetes-engine-samples
ai-ml/mix-train-and-inference/src/fine_tune.py (commit 2b503651 of 2026-07-30), and transformers
v4.46.1, which it runs on, src/transformers/trainer.py.
"""

from collections.abc import Iterator

from catalog import Sidecar
from stacks.parts.jobs.fine_tune import FineTuning
from stacks.parts.jobs.plan import PlannedFineTuning, requests_of, share_of
from stacks.parts.pools.nodes import Amounts, Host, pods_beside
from stacks.parts.pools.pod_rules import (
    on_request_problems,
    pod_problems,
    whole_machine_problems,
    without_interfaces_problems,
)
from stacks.parts.queues.workload_rules import Queued, given_out_problems, spread_problems
from stacks.parts.ray.config import PodSizes
from stacks.parts.servers.config import ModelServer
from stacks.parts.servers.plan import PlannedServer
from stacks.parts.servers.rules import (
    LONGEST_LABEL,
    gpu_problems,
    name_problems,
    queued_server,
    quota_problems,
    server_queue_problems,
    waiting_problems,
)
from stacks.plan import Plan
from stacks.problems import Problem, under

_MIB = 1024
# Examples of the training set.
_EXAMPLES = {"b-mc2/sql-create-context": 78577}


def fine_tune_rules(plan: Plan, tuning: PlannedFineTuning) -> Iterator[Problem]:
    field, pool, job = tuning.field, tuning.pool, tuning.config
    queues = plan.queues
    if queues is None:
        yield Problem(
            f"{field}.queue", "a fine-tuning waits in a queue; nearest: queues, an empty block"
        )
        return
    servers = [it for it in plan.servers.values() if it.pool.name == pool.name]
    last = f"-{job.pods - 1}"
    found = [
        *without_interfaces_problems(f"{pool.field}.machine_type", pool),
        *name_problems(field, tuning.name, LONGEST_LABEL - len(last)),
        *fine_tune_problems(
            job,
            pool.host,
            nodes=pool.bounds.max,
            sidecar=tuning.sidecar,
            server=servers[0].config if servers else None,
            field=field,
        ),
        *waiting_problems(
            plan, field, "batch/job", tuning.queue, job.priority, job.workload_priority
        ),
    ]
    yield from under({"bucket": tuning.bucket.field}, found)
    yield from given_out_problems(plan, f"{field}.queue", tuning.queue, [pool.name])
    if plan.autopilot:
        yield from whole_machine_problems(f"{field}.gpus", job.gpus, pool.machine)
    else:
        waits = all(it.config.queue is not None for it in servers)
        checked = waits and queues.asks_for(pool.name)
        yield from on_request_problems(pool.field, pool.config.capacity, checked=checked)
    if not found and queues.sound:
        yield from _sharing_problems(plan, tuning, servers)


def fine_tune_problems(
    job: FineTuning,
    host: Host,
    *,
    nodes: int,
    sidecar: Sidecar,
    server: ModelServer | None = None,
    field: str = "job",
) -> Iterator[Problem]:
    """`sidecar` mounts the bucket beside the container of each pod; one `server` always stays on
    the `nodes`."""
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


def _mount_problems(field: str, job: FineTuning, host: Host, sidecar: Sidecar) -> Iterator[Problem]:
    """Where the config says what a pod requests, only what leaves it nothing is refused here."""
    shares = job.requests is None
    room = (share_of(job, host).memory_mib if shares else host.node.memory_mib) // _MIB
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
    job: FineTuning,
    host: Host,
    nodes: int,
    sidecar: Sidecar,
    server: ModelServer | None,
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


def _step_problems(field: str, job: FineTuning) -> Iterator[Problem]:
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


def _sharing_problems(
    plan: Plan, tuning: PlannedFineTuning, servers: list[PlannedServer]
) -> Iterator[Problem]:
    """Of a queue that there is, with quotas that are known."""
    queues, job, pool = plan.queues, tuning.config, tuning.pool
    queued = Queued(
        field=tuning.field,
        queue=tuning.queue,
        where=plan.stack.namespace,
        # Kueue counts a job's template, which GKE's sidecar is not in.
        pod=Amounts.of_pod(tuning.requests, job.gpus),
        pods=job.pods,
    )
    broken = tuple(quota_problems(plan, queued, pool.name))
    yield from broken
    if queues is None or broken or not servers or server_queue_problems(plan, servers[0]):
        return
    yield from spread_problems(
        queues.config,
        queues.quotas_on(pool.name),
        queued,
        queued_server(plan, servers[0], servers[0].config.most),
        node=Amounts.of_node(pool.host),
        nodes=pool.bounds.max,
        on_node=Amounts.of_pod(tuning.requests, job.gpus, tuning.sidecar),
    )
