"""Servers of models, and how pods of theirs and of fine-tunings find their nodes."""

from collections.abc import Mapping

import pulumi

from components.nccl.gib import nccl_environment
from components.pools.labels import GKE_ACCELERATOR
from components.servers.server import InferenceServer, InferenceServerArgs
from stacks.parts.images.driver_path import driver_environment
from stacks.parts.queues.build import Queues
from stacks.parts.servers.plan import PlannedServer
from stacks.parts.servers.rollouts import rollout_of
from stacks.site import DeviceAccess, Selector, Site
from stacks.tokens import SERVER_KEY_VARIABLE, VARIABLES

TOKEN = VARIABLES["hugging_face_token"]


def build(
    site: Site, queues: Queues, devices: Mapping[str, DeviceAccess]
) -> dict[str, InferenceServer]:
    """`devices` are by pool."""
    return {name: _server(site, queues, it, devices) for name, it in site.plan.servers.items()}


def _server(
    site: Site, queues: Queues, server: PlannedServer, devices: Mapping[str, DeviceAccess]
) -> InferenceServer:
    config, pool = server.config, server.pool
    selector = gpu_selector(site, pool.name, queued=config.queue is not None)
    access = DeviceAccess(networks=(), node_selector=selector)
    nccl = None
    if pool.gpus_claimed:
        access = devices[pool.name].of(config.gpus)
        nccl = pool.nccl(site.plan.facts)
    scaling = config.autoscaling
    return InferenceServer(
        server.name,
        InferenceServerArgs(
            namespace=site.namespace,
            server_name=server.name,
            engine=config.engine,
            image=site.plan.images.of(server.image),
            model=config.model,
            revision=config.revision,
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
            secret_name=site.secret_name if TOKEN in site.secret_keys else None,
            secret_key=TOKEN,
            key_secret=site.secret_name if config.api_key else None,
            key_secret_key=SERVER_KEY_VARIABLE,
            priority_class=queues.priority(config.priority),
            queue=queues.queue(config.queue),
            workload_priority=queues.workload_priority(config.workload_priority),
            node_selector=access.node_selector,
            taints=pool.taints,
            minutes=config.minutes,
            rollout=rollout_of(site.plan, server),
            stays=config.least == 1 and not (site.plan.autopilot and pool.is_spot),
            claims=dict(access.claims),
            rdma=access.rdma,
            nccl={} if nccl is None else nccl.settings,
            environment=driver_environment(site.plan, server.image, config.gpus)
            if nccl is None
            else nccl_environment(nccl.variables),
            labels=site.labels,
        ),
        opts=once_its_nodes_stand(site, queues, server.name, pool.name, *access.after),
    )


def gpu_selector(site: Site, pool: str, *, queued: bool) -> Selector:
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
    return {GKE_ACCELERATOR: accelerator.type}


def once_its_nodes_stand(
    site: Site, queues: Queues, workload: str, pool: str, *more: pulumi.Resource
) -> pulumi.ResourceOptions:
    """No value of a workload names what it waits for."""
    return site.after(
        *site.nodes.needed,
        *site.nodes.machines[pool],
        *site.standing_pools(workload),
        *queues.needed,
        *more,
    )
