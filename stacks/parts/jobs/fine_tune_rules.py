"""What a fine-tuning demands of its nodes, its queue and the servers beside it. No Pulumi."""

from collections.abc import Iterator

from stacks.fields import under
from stacks.parts.jobs.fine_tune_pod_rules import fine_tune_problems
from stacks.parts.jobs.plan import PlannedFineTuning
from stacks.parts.queues.workload_rules import (
    Queued,
    admission_problems,
    framework_problems,
    given_out_problems,
    priority_problems,
    queue_problems,
    spread_problems,
    workload_priority_problems,
)
from stacks.parts.servers.plan import PlannedServer
from stacks.parts.servers.rules import queued_server, quota_problems
from stacks.plan import Plan
from stacks.problems import Problem
from stacks.rules.packing import Amounts
from stacks.rules.sharing import (
    on_request_problems,
    whole_machine_problems,
    without_interfaces_problems,
)


def fine_tune_rules(plan: Plan, tuning: PlannedFineTuning) -> Iterator[Problem]:
    field, pool = tuning.field, tuning.pool
    servers = [it for it in plan.servers.values() if it.pool.name == pool.name]
    kueue = plan.stack.queues
    job = tuning.job
    if kueue is None:
        yield Problem(
            f"{field}.queue", "a fine-tuning waits in a queue; nearest: queues, an empty block"
        )
        return
    namespace = plan.stack.namespace
    server = servers[0].as_server if servers else None
    found = [
        *without_interfaces_problems(f"{pool.field}.machine_type", pool.machine),
        *fine_tune_problems(
            job,
            pool.host,
            nodes=pool.bounds.max,
            sidecar=tuning.sidecar,
            server=server,
            field=field,
        ),
        *queue_problems(kueue, f"{field}.queue", job.queue, namespace),
        *priority_problems(kueue, f"{field}.priority", job.priority),
        *workload_priority_problems(
            kueue, f"{field}.workload_priority", job.workload_priority, job.queue
        ),
    ]
    names = {"bucket": tuning.bucket.field, f"{field}.name": field}
    yield from under(names, found)
    yield from framework_problems(kueue, field, "batch/job")
    yield from given_out_problems(plan, f"{field}.queue", job.queue, [pool.name])
    if plan.autopilot:
        yield from whole_machine_problems(f"{field}.gpus", job.gpus, pool.machine)
    elif plan.queues is not None:
        waits = all(it.config.queue is not None for it in servers)
        checked = waits and plan.queues.asks_for(pool.name)
        yield from on_request_problems(pool.field, pool.config.capacity, checked=checked)
    if not found:
        yield from _sharing_problems(plan, tuning, servers)


def _sharing_problems(
    plan: Plan, tuning: PlannedFineTuning, servers: list[PlannedServer]
) -> Iterator[Problem]:
    kueue, queues, job = plan.stack.queues, plan.queues, tuning.job
    if kueue is None or queues is None or not queues.sound:
        return
    queued = Queued(
        field=tuning.field,
        queue=job.queue,
        where=plan.stack.namespace,
        # Kueue counts a job's template, which GKE's sidecar is not in.
        pod=Amounts.of_pod(tuning.requests, job.gpus),
        pods=job.pods,
    )
    quotas = queues.quotas_on(tuning.pool.name)
    broken = tuple(admission_problems(kueue, quotas, queued))
    yield from broken
    if not servers or broken:
        return
    server = servers[0]
    if list(quota_problems(plan, server)):
        return
    if queue_problems(kueue, "", server.config.queue, plan.stack.namespace):
        return
    yield from spread_problems(
        kueue,
        quotas,
        queued,
        queued_server(plan, server, server.config.most),
        node=Amounts.of_node(tuning.pool.host),
        nodes=tuning.pool.bounds.max,
        on_node=Amounts.of_pod(tuning.requests, job.gpus, tuning.sidecar),
    )
