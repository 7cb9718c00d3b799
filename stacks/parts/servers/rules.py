"""What a server demands of its nodes, its model and its queue. No Pulumi import."""

from collections.abc import Iterator

from catalog import Catalog
from components.inference_engine import InferenceEngine
from stacks.config_errors import nearest
from stacks.fields import under
from stacks.parts.queues.workload_rules import (
    Queued,
    admission_problems,
    framework_problems,
    given_out_problems,
    priority_problems,
    queue_problems,
    workload_priority_problems,
)
from stacks.parts.ray.config import PodSizes
from stacks.parts.servers.plan import PlannedServer
from stacks.parts.servers.server_rules import (
    LONGEST_LABEL,
    channel_problems,
    gpu_problems,
    name_problems,
    scaling_problems,
    server_problems,
    shard_problems,
)
from stacks.parts.servers.vllm_rules import VllmServer, vllm_problems
from stacks.plan import Plan
from stacks.problems import Problem
from stacks.rules.packing import Amounts
from stacks.rules.ray_fit import pod_problems
from stacks.rules.sharing import on_request_problems, whole_machine_problems
from stacks.stack import Stack


def references(stack: Stack, facts: Catalog) -> Iterator[Problem]:
    """Pools with GPUs that there are."""
    with_gpus = [
        name
        for name, pool in stack.pools.items()
        if (it := facts.machines.get(pool.machine_type)) and it.accelerator
        if it.accelerator.kind == "gpu"
    ]
    for name, server in stack.servers.items():
        yield from gpu_pool_problems(f"servers.{name}", server.pool, with_gpus)


def gpu_pool_problems(field: str, pool: str | None, with_gpus: list[str]) -> Iterator[Problem]:
    """One of the pools with GPUs, said where there are several."""
    if not with_gpus:
        yield Problem(
            f"{field}.pool", "the stack has no pool with GPUs; nearest: one of g2-standard-24"
        )
    elif pool is None and len(with_gpus) > 1:
        yield Problem(
            f"{field}.pool", f"missing, and there are several; nearest: {', '.join(with_gpus)}"
        )
    elif pool is not None and pool not in with_gpus:
        yield Problem(
            f"{field}.pool",
            f'"{pool}" is no pool of this stack with GPUs; nearest: {nearest(pool, with_gpus)}',
        )


def node_problems(plan: Plan) -> Iterator[Problem]:
    for server in plan.servers.values():
        if server.config.engine is InferenceEngine.TGI:
            found = tuple(
                server_problems(
                    server.as_server,
                    server.pool.host,
                    nodes=server.pool.bounds.max,
                    field=server.field,
                )
            )
        else:
            found = tuple(_vllm_problems(plan, server))
        # Its name is the key.
        yield from under({f"{server.field}.name": server.field}, found)
        yield from channel_problems(
            server.as_server, plan.stack.cluster.release_channel, field=server.field
        )
        if plan.autopilot:
            yield from whole_machine_problems(
                f"{server.field}.gpus", server.config.gpus, server.pool.machine
            )


def machine_rules(plan: Plan) -> Iterator[Problem]:
    """Queued machines come by a request, which Kueue makes in a queue that has a check."""
    for server in plan.servers.values():
        pool = server.pool
        if pool.queued and server.config.queue is None:
            yield Problem(
                f"{server.field}.pool",
                f"{pool.name} has queued machines, which nothing asks for without a queue; "
                f"nearest: a queue in {server.field}.queue, or flex-start in "
                f"pools.{pool.name}.capacity.mode",
            )
        elif pool.queued and plan.queues is not None:
            checked = plan.queues.asks_for(pool.name)
            yield from on_request_problems(pool.field, pool.config.capacity, checked=checked)


def queue_rules(plan: Plan) -> Iterator[Problem]:
    kueue, namespace = plan.stack.queues, plan.stack.namespace
    for server in plan.servers.values():
        config, field = server.config, server.field
        found = [
            *queue_problems(kueue, f"{field}.queue", config.queue, namespace),
            *priority_problems(kueue, f"{field}.priority", config.priority),
            *workload_priority_problems(
                kueue, f"{field}.workload_priority", config.workload_priority, config.queue
            ),
        ]
        if config.queue is not None:
            found += framework_problems(kueue, field, "pod")
            found += [] if found else quota_problems(plan, server)
        yield from found
        yield from given_out_problems(plan, f"{field}.queue", config.queue, [server.pool.name])


def queued_server(plan: Plan, server: PlannedServer, pods: int) -> Queued:
    config = server.config
    return Queued(
        field=server.field,
        queue=config.queue or "",
        where=plan.stack.namespace,
        pod=Amounts.of_pod(config.requests, config.gpus),
        pods=pods,
    )


def quota_problems(plan: Plan, server: PlannedServer) -> Iterator[Problem]:
    """The least servers are within what their queue can ever give out of their pool."""
    kueue, queues = plan.stack.queues, plan.queues
    if kueue is None or queues is None or server.config.queue is None or not queues.sound:
        return
    door = queue_problems(kueue, "", server.config.queue, plan.stack.namespace)
    if door:
        return
    wanted = queued_server(plan, server, server.config.least)
    yield from admission_problems(kueue, queues.quotas_on(server.pool.name), wanted)


RULES = (node_problems, machine_rules, queue_rules)


def _vllm_problems(plan: Plan, server: PlannedServer) -> Iterator[Problem]:
    config, host, field = server.config, server.pool.host, server.field
    yield from name_problems(field, server.name, LONGEST_LABEL)
    yield from gpu_problems(f"{field}.gpus", config.gpus, host.machine)
    yield from shard_problems(field, server.as_server)
    yield from scaling_problems(field, server.as_server)
    sizes = PodSizes(requests=config.requests, shm_gib=config.shm_gib)
    yield from pod_problems(field, sizes, host, None)
    accelerator = host.machine.accelerator
    if accelerator is not None and config.gpus <= accelerator.count:
        yield from vllm_problems(
            plan.facts.served_models,
            VllmServer(
                model=config.model,
                gpus=config.gpus,
                most_gpus=accelerator.count,
                gpu_memory_gib=accelerator.memory_gib,
                max_model_len=config.max_model_len,
                gpu_memory_utilization=config.gpu_memory_utilization,
                disk_gib=config.requests.ephemeral_storage_gib,
            ),
            field=field,
        )
