"""What a server demands of its nodes, its model and its queue. No Pulumi import.

Sources, read 2026-11-21: huggingface/text-generation-inference (commit db931fcf of 2026-01-08)
server/text_generation_server/models/custom_modeling/flash_gemma2_modeling.py; heads from
google/gemma_pytorch gemma/config.py.
"""

from collections.abc import Iterator

from catalog import Catalog, MachineType, ReleaseChannel, ServedModelTable
from catalog.accelerators import usable_gib
from components.servers.engine import InferenceEngine
from stacks.beside import beside_problems
from stacks.config_errors import nearest
from stacks.parts.pools.config import SpecificReservation
from stacks.parts.pools.nodes import Amounts, Host
from stacks.parts.pools.pod_rules import on_request_problems, pod_problems, whole_machine_problems
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
from stacks.parts.servers.config import ModelServer
from stacks.parts.servers.plan import PlannedServer
from stacks.parts.servers.queue_order import neighbours
from stacks.parts.servers.rollouts import may_preempt, most_nodes_needed, shares_its_pool
from stacks.parts.servers.vllm_rules import VllmServer, vllm_problems
from stacks.parts.servers.weight_rules import disk_problems, memory_problems
from stacks.plan import Plan
from stacks.problems import Problem
from stacks.stack import Stack

# A Service's name and a pod's host name are DNS labels (RFC 1035).
LONGEST_LABEL = 63
# Key-value heads, of which every shard needs as many.
_HEADS = {"gemma-2-2b": 4, "gemma-2-9b": 8, "gemma-2-27b": 16}


def references(stack: Stack, facts: Catalog) -> Iterator[Problem]:
    """Pools with GPUs that there are."""
    for name, server in stack.servers.items():
        yield from gpu_pool_problems(f"servers.{name}", server.pool, stack, facts)


def gpu_pool_problems(
    field: str, pool: str | None, stack: Stack, facts: Catalog
) -> Iterator[Problem]:
    """One of the pools with GPUs, said where there are several."""
    kinds = pool_kinds(stack, facts)
    with_gpus = [name for name, kind in kinds.items() if kind == "gpu"]
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


def pool_kinds(stack: Stack, facts: Catalog) -> dict[str, str | None]:
    """What accelerators the machines of each pool have, if any that are known."""
    found = {name: facts.machines.get(it.machine_type) for name, it in stack.pools.items()}
    return {
        name: it.accelerator.kind if it is not None and it.accelerator else None
        for name, it in found.items()
    }


def node_problems(plan: Plan) -> Iterator[Problem]:
    for server in plan.servers.values():
        config, field, host = server.config, server.field, server.pool.host
        yield from name_problems(field, server.name, LONGEST_LABEL)
        yield from server_problems(config, host, field)
        if config.engine is InferenceEngine.TGI:
            table = plan.facts.served_models
            yield from tgi_problems(config, host, server.pool.bounds.max, table, field)
        else:
            yield from _vllm_problems(plan, server)
        yield from channel_problems(config, plan.stack.cluster.release_channel, field)
        if plan.autopilot:
            yield from whole_machine_problems(f"{field}.gpus", config.gpus, host.machine)


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
    for server in plan.servers.values():
        field, queue = f"{server.field}.queue", server.config.queue
        yield from server_queue_problems(plan, server)
        yield from given_out_problems(plan, field, queue, [server.pool.name])


def server_queue_problems(plan: Plan, server: PlannedServer) -> list[Problem]:
    """The least servers are within what their queue can ever give out of their pool."""
    config = server.config
    found = waiting_problems(
        plan, server.field, "pod", config.queue, config.priority, config.workload_priority
    )
    if found or config.queue is None:
        return found
    return list(quota_problems(plan, queued_server(plan, server, config.least), server.pool.name))


def waiting_problems(
    plan: Plan,
    field: str,
    framework: str,
    queue: str | None,
    priority: str | None,
    workload_priority: str | None,
) -> list[Problem]:
    """A workload's queue and priorities are the stack's; `framework` is what Kueue calls its
    kind."""
    kueue = plan.stack.queues
    return [
        *queue_problems(kueue, f"{field}.queue", queue, plan.stack.namespace),
        *priority_problems(kueue, f"{field}.priority", priority),
        *workload_priority_problems(kueue, f"{field}.workload_priority", workload_priority, queue),
        *([] if queue is None else framework_problems(kueue, field, framework)),
    ]


def queued_server(plan: Plan, server: PlannedServer, pods: int) -> Queued:
    return Queued(
        field=server.field,
        queue=server.config.queue or "",
        where=plan.stack.namespace,
        pod=server.pod,
        pods=pods,
    )


def quota_problems(plan: Plan, wanted: Queued, pool: str) -> Iterator[Problem]:
    """Pods of a queue that there is are within what it can ever give out of their pool."""
    queues = plan.queues
    if queues is not None and queues.sound:
        yield from admission_problems(queues.config, queues.quotas_on(pool), wanted)


def rollout_rules(plan: Plan) -> Iterator[Problem]:
    """A server beside those that there are has room, and takes it from nobody."""
    for server in plan.servers.values():
        if server.config.rollout == "surge" and (why := _why_no_surge(plan, server)) is not None:
            yield Problem(f"{server.field}.rollout", f"{why}; nearest: in-place")


def _why_no_surge(plan: Plan, server: PlannedServer) -> str | None:
    config, pool = server.config, server.pool
    pods = config.most + 1
    if may_preempt(plan.stack.queues, config.priority) and shares_its_pool(plan, server):
        return (
            "the new server's pod may put others off a node of the pool, and does where there is "
            "no room, unless its priority class has preempts false"
        )
    if config.queue is not None:
        full = list(quota_problems(plan, queued_server(plan, server, pods), pool.name))
        if full:
            return f"one server more, and {full[0].message}"
        others = [it.field for it in neighbours(plan, server)]
        return (
            f"where the queue has no room for one server more, the new one stops others "
            f"({', '.join(others)}) or waits behind them beside the one before"
            if others
            else None
        )
    nodes = most_nodes_needed(plan, server)
    bounded = not plan.autopilot or isinstance(pool.config.capacity, SpecificReservation)
    if bounded and nodes > pool.bounds.max:
        return (
            f"{pods} servers, one more than there may be, need {nodes} nodes of {pool.name}, which "
            f"has at most {pool.bounds.max}"
        )
    return None


RULES = (node_problems, machine_rules, queue_rules, rollout_rules)


def server_problems(server: ModelServer, host: Host, field: str = "server") -> Iterator[Problem]:
    """Whichever program serves the model."""
    yield from gpu_problems(f"{field}.gpus", server.gpus, host.machine)
    if server.model_shards != server.gpus:
        yield Problem(
            f"{field}.shards",
            f"{server.model_shards} shards are not one on each of the server's {server.gpus} GPUs; "
            f"nearest: {server.gpus}",
        )
    yield from _scaling_problems(field, server)
    sizes = PodSizes(requests=server.requests, shm_gib=server.shm_gib)
    yield from pod_problems(field, sizes, host, None)


def tgi_problems(
    server: ModelServer,
    host: Host,
    nodes: int,
    table: ServedModelTable,
    field: str = "server",
) -> Iterator[Problem]:
    """Text Generation Inference; `nodes` of the host are all that the servers can have."""
    disk, accelerator = server.requests.ephemeral_storage_gib, host.machine.accelerator
    yield from disk_problems(table, server.model, disk, field)
    if accelerator is not None and server.gpus <= accelerator.count:
        yield from memory_problems(
            table,
            server.model,
            gpus=server.gpus,
            most_gpus=accelerator.count,
            gpu_gib=usable_gib(accelerator),
            field=field,
        )
    yield from beside_problems(
        field,
        server,
        ("max_model_len", "gpu_memory_utilization"),
        "only vLLM is told, and Text Generation Inference decides by itself",
    )
    gpus = server.gpus
    heads = _HEADS.get(server.model.removeprefix("google/").removesuffix("-it"))
    if heads is not None and heads % gpus and server.model_shards == gpus:
        fitting = max(n for n in range(1, min(heads, gpus) + 1) if heads % n == 0)
        yield Problem(
            f"{field}.gpus",
            f"{gpus} shards do not share out the {heads} key-value heads of {server.model} "
            f"evenly; nearest: {fitting}",
        )
    held = nodes * Amounts.of_node(host).holds(Amounts.of_pod(server.requests, gpus))
    if 0 < held < server.least:
        where = "replicas" if server.autoscaling is None else "autoscaling.min"
        yield Problem(
            f"{field}.{where}",
            f"{server.least} servers with {gpus} GPUs each do not fit {nodes} nodes of "
            f"{host.name}; nearest: {held}",
        )


def channel_problems(
    server: ModelServer, channel: ReleaseChannel, field: str = "server"
) -> Iterator[Problem]:
    """What the autoscaler reads is in one channel alone (GKE documentation, "Expose custom metrics
    for autoscaling", read 2026-11-21)."""
    if server.autoscaling is not None and channel is not ReleaseChannel.RAPID:
        yield Problem(
            "cluster.release_channel",
            f"{channel} lets no pods scale by a metric of their own, which {field}.autoscaling "
            f"does; nearest: {ReleaseChannel.RAPID}",
        )


def name_problems(field: str, name: str, longest: int) -> Iterator[Problem]:
    """A name that host names are made of."""
    if len(name) > longest or name[0].isdigit():
        letter_first = f"n{name}" if name[0].isdigit() else name
        yield Problem(
            field,
            f'"{name}" becomes part of a host name, which starts with a letter and has room for '
            f"{longest} characters of it; nearest: {letter_first[:longest].rstrip('-')}",
        )


def gpu_problems(field: str, gpus: int, machine: MachineType) -> Iterator[Problem]:
    has = machine.accelerator.count if machine.accelerator else 0
    if gpus > has:
        yield Problem(
            field, f"{gpus} GPUs are more than a node of {machine.name} has; nearest: {has}"
        )


def _scaling_problems(field: str, server: ModelServer) -> Iterator[Problem]:
    scaling = server.autoscaling
    if scaling is None:
        return
    if server.replicas is not None:
        yield Problem(
            f"{field}.replicas",
            f"{server.replicas} is what autoscaling decides; nearest: none, with autoscaling.min "
            f"{server.replicas}",
        )
    if scaling.max < scaling.min:
        yield Problem(
            f"{field}.autoscaling.max",
            f"{scaling.max} servers are fewer than the least, {scaling.min}; "
            f"nearest: {scaling.min}",
        )


def _vllm_problems(plan: Plan, server: PlannedServer) -> Iterator[Problem]:
    config, accelerator = server.config, server.pool.machine.accelerator
    if accelerator is not None and config.gpus <= accelerator.count:
        yield from vllm_problems(
            VllmServer(
                table=plan.facts.served_models,
                model=config.model,
                gpus=config.gpus,
                most_gpus=accelerator.count,
                gpu_memory_gib=usable_gib(accelerator),
                max_model_len=config.max_model_len,
                gpu_memory_utilization=config.gpu_memory_utilization,
                disk_gib=config.requests.ephemeral_storage_gib,
            ),
            field=server.field,
        )
