"""Cluster and nodes of either mode: pools that the stack makes, or what pods ask Autopilot for."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import pulumi

from components.gke_cluster import GkeCluster
from components.network import ClusterNetwork
from components.node_pool import NodePool
from components.node_service_account import NodeServiceAccount
from stacks import platform
from stacks.autopilot_nodes import CPU_SELECTOR, gpu_selector
from stacks.blocks.gpu_stack import GpuStack
from stacks.platform import Cloud, LustreDriver
from stacks.rdma import Interfaces, interfaces

_Selector = pulumi.Input[dict[str, str]]


@dataclass(frozen=True, kw_only=True)
class ClusterNodes:
    """`cpu` and `gpu` select nodes, known once there are any, `selectors` those of each field of
    the config; `needed` is what all pods wait for, though no value of theirs names it. `gpu_pools`
    have the machines of GPU pods; those of a queue come on request."""

    gke: GkeCluster
    cpu: _Selector
    gpu: _Selector
    selectors: Mapping[str, _Selector]
    needed: Sequence[pulumi.Resource]
    interfaces: Interfaces
    gpu_pools: Sequence[pulumi.Resource] = ()
    queued: bool = False


def cluster_nodes(
    config: GpuStack,
    on: Cloud,
    network: ClusterNetwork,
    lustre: LustreDriver | None = None,
) -> ClusterNodes:
    """With the networks of the nodes' further interfaces."""
    between = interfaces(config, on)
    identity = platform.node_identity(config, on, "auto" if config.autopilot else "cpu")
    # Autopilot's nodes are in these networks, and go after their pods: with the cluster at last.
    held = between.made if config.autopilot else ()
    gke = platform.cluster(config, on, network, identity, lustre, held)
    if config.autopilot:
        # GKE finds the interfaces by the names that pods ask for.
        return _autopilot(config, gke, network, between)
    return _standard(config, on, gke, identity, network, between, kernel_modules=lustre is not None)


def _standard(
    config: GpuStack,
    on: Cloud,
    gke: GkeCluster,
    cpu_nodes: NodeServiceAccount,
    network: ClusterNetwork,
    between: Interfaces,
    *,
    kernel_modules: bool,
) -> ClusterNodes:
    gpu_nodes = platform.node_identity(config, on, "gpu")
    pools = config.pools
    cpu = platform.node_pool(
        config, on, gke, cpu_nodes, "cpu", pools["cpu_pool"], kernel_modules=kernel_modules
    )
    gpu = platform.node_pool(config, on, gke, gpu_nodes, "gpu", pools["gpu_pool"], between.networks)
    more = {
        key: platform.node_pool(config, on, gke, gpu_nodes, f"gpu-{key}", pool, between.networks)
        for key, pool in config.extra_gpu_pools.items()
    }
    made = {"cpu_pool": cpu, "gpu_pool": gpu}
    made |= {f"extra_gpu_pools.{key}": it for key, it in more.items()}
    # Images come in through the NAT; names are resolved by DNS pods on the CPU pool.
    return ClusterNodes(
        gke=gke,
        cpu=cpu.node_selector,
        gpu=gpu.node_selector,
        selectors={field: _only(pool) for field, pool in made.items()},
        interfaces=between,
        needed=[network, cpu],
        gpu_pools=[it.pool for it in (gpu, *more.values())],
        queued=config.queued,
    )


def _only(pool: NodePool) -> _Selector:
    """Nodes of this pool, and of none with the same machines."""
    return pool.pool_name.apply(lambda it: {"cloud.google.com/gke-nodepool": it})


def _autopilot(
    config: GpuStack, gke: GkeCluster, network: ClusterNetwork, between: Interfaces
) -> ClusterNodes:
    hosts, accelerator = config.gpu_hosts, config.gpu_machine.accelerator
    # The rules refuse machines without GPUs.
    assert accelerator is not None
    selector = gpu_selector(accelerator, hosts.capacity, config.zone)
    return ClusterNodes(
        gke=gke,
        cpu=CPU_SELECTOR,
        gpu=selector,
        selectors={"gpu_nodes": selector},
        interfaces=between,
        needed=[network],
    )
