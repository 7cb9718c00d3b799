"""Cluster and nodes of either mode: pools that the stack makes, or what pods ask Autopilot for."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import pulumi

from components.gke_cluster import GkeCluster
from components.network import ClusterNetwork
from components.node_network import NodeNetwork
from stacks import platform
from stacks.autopilot_nodes import CPU_SELECTOR, gpu_selector
from stacks.blocks.gpu_stack import GpuStack
from stacks.platform import Cloud, LustreDriver

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
    gpu_pools: Sequence[pulumi.Resource] = ()
    queued: bool = False


def cluster_nodes(
    config: GpuStack,
    on: Cloud,
    network: ClusterNetwork,
    interfaces: Sequence[NodeNetwork] = (),
    lustre: LustreDriver | None = None,
) -> ClusterNodes:
    if config.autopilot:
        # GKE finds the interfaces by the names that pods ask for.
        return _autopilot(config, on, network, lustre)
    return _standard(config, on, network, interfaces, lustre)


def _standard(
    config: GpuStack,
    on: Cloud,
    network: ClusterNetwork,
    interfaces: Sequence[NodeNetwork],
    lustre: LustreDriver | None,
) -> ClusterNodes:
    cpu_nodes = platform.node_identity(config, on, "cpu")
    gpu_nodes = platform.node_identity(config, on, "gpu")
    gke = platform.cluster(config, on, network, cpu_nodes, lustre)
    pools = config.pools
    cpu = platform.node_pool(config, on, gke, cpu_nodes, "cpu", pools["cpu_pool"])
    gpu = platform.node_pool(config, on, gke, gpu_nodes, "gpu", pools["gpu_pool"], interfaces)
    more = {
        key: platform.node_pool(config, on, gke, gpu_nodes, f"gpu-{key}", pool, interfaces)
        for key, pool in config.extra_gpu_pools.items()
    }
    extra = {f"extra_gpu_pools.{key}": it.node_selector for key, it in more.items()}
    # Images come in through the NAT; names are resolved by DNS pods on the CPU pool.
    return ClusterNodes(
        gke=gke,
        cpu=cpu.node_selector,
        gpu=gpu.node_selector,
        selectors={"cpu_pool": cpu.node_selector, "gpu_pool": gpu.node_selector, **extra},
        needed=[network, cpu],
        gpu_pools=[it.pool for it in (gpu, *more.values())],
        queued=config.queued,
    )


def _autopilot(
    config: GpuStack, on: Cloud, network: ClusterNetwork, lustre: LustreDriver | None
) -> ClusterNodes:
    identity = platform.node_identity(config, on, "auto")
    gke = platform.cluster(config, on, network, identity, lustre)
    hosts, accelerator = config.gpu_hosts, config.gpu_machine.accelerator
    # The rules refuse machines without GPUs.
    assert accelerator is not None
    selector = gpu_selector(accelerator, hosts.capacity, config.zone)
    return ClusterNodes(
        gke=gke,
        cpu=CPU_SELECTOR,
        gpu=selector,
        selectors={"gpu_nodes": selector},
        needed=[network],
    )
