"""Cluster and TPU slices of either mode, from a stack's config."""

from collections.abc import Sequence
from dataclasses import dataclass

import pulumi

from components.gke_cluster import GkeCluster
from components.gvnic_network import GvnicNetwork, GvnicNetworkArgs
from components.network import ClusterNetwork
from components.node_network import NodeNetwork
from components.resource_claim_template import ResourceClaimTemplate, ResourceClaimTemplateArgs
from components.tpu_compute_class import TpuComputeClass, TpuComputeClassArgs
from components.tpu_slice_pool import TpuSlicePool, TpuSlicePoolArgs
from stacks import platform
from stacks.autopilot_nodes import CPU_SELECTOR
from stacks.parts.pools.capacity import capacity_args
from stacks.platform import Cloud
from stacks.tpu_training_config import TpuTraining

_NUMBERS = {1: "one", 2: "two", 3: "three", 4: "four"}


@dataclass(frozen=True, kw_only=True)
class TpuNodes:
    """`cpu` and `tpu` select nodes; `pools` are the slices, and `needed` what all pods wait for."""

    gke: GkeCluster
    cpu: pulumi.Input[dict[str, str]]
    tpu: pulumi.Input[dict[str, str]]
    pools: Sequence[pulumi.Resource]
    needed: Sequence[pulumi.Resource]


def tpu_nodes(config: TpuTraining, on: Cloud, network: ClusterNetwork) -> TpuNodes:
    return (_autopilot if config.autopilot else _standard)(config, on, network)


def _standard(config: TpuTraining, on: Cloud, network: ClusterNetwork) -> TpuNodes:
    between = _between_slices(config, on)
    cpu_nodes = platform.node_identity(config, on, "cpu")
    tpu_nodes = platform.node_identity(config, on, "tpu")
    gke = platform.cluster(config, on, network, cpu_nodes)
    cpu = platform.node_pool(config, on, gke, cpu_nodes, "cpu", config.pools["cpu_pool"])
    tpu, topology = config.tpu, config.topology
    slices = [
        TpuSlicePool(
            f"slice-{number}",
            TpuSlicePoolArgs(
                project=on.apis.project_with("container"),
                location=gke.location,
                zone=config.zone,
                cluster_name=gke.cluster_name,
                pool_name=f"{topology.generation}-{topology.chips}-{number}",
                service_account=tpu_nodes.email,
                machine_type=tpu.machine_type,
                topology=tpu.topology,
                hosts=topology.hosts,
                capacity=capacity_args(tpu.capacity),
                disk_type=tpu.disk.type or config.tpu_machine.default_boot_disk,
                disk_gb=tpu.disk.size_gb,
                max_pods_per_node=tpu.max_pods_per_node,
                threads_per_core=tpu.threads_per_core,
                dranet=bool(between),
                additional_networks=between,
                labels=on.labels,
            ),
            opts=on.opts,
        )
        for number in tpu.slices
    ]
    return TpuNodes(
        gke=gke,
        cpu=cpu.node_selector,
        tpu=_selector(config),
        pools=[one.pool for one in slices],
        # Images come in through the NAT; names are resolved by DNS pods on the CPU pool.
        needed=[network, cpu],
    )


def _autopilot(config: TpuTraining, on: Cloud, network: ClusterNetwork) -> TpuNodes:
    identity = platform.node_identity(config, on, "auto")
    gke = platform.cluster(config, on, network, identity)
    machine = config.tpu_machine
    chips = machine.accelerator.count if machine.accelerator else 0
    made = TpuComputeClass(
        "slices",
        TpuComputeClassArgs(
            class_name=f"{config.name}-slices",
            zone=config.zone,
            machine_type=machine.name,
            accelerator=_accelerator(config),
            topology=config.tpu.topology,
            chips=chips,
            dranet=bool(config.claims),
            capacity=capacity_args(config.tpu.capacity),
            labels=on.labels,
        ),
        opts=pulumi.ResourceOptions(providers=[gke.kubernetes]),
    )
    selector = made.class_name.apply(
        lambda name: {"cloud.google.com/compute-class": name, **_selector(config)}
    )
    return TpuNodes(gke=gke, cpu=CPU_SELECTOR, tpu=selector, pools=[], needed=[network])


def claim_template(
    config: TpuTraining, on: Cloud, gke: GkeCluster, where: pulumi.Input[str]
) -> ResourceClaimTemplate | None:
    """What each worker claims: an interface in every network between slices."""
    if not config.claims:
        return None
    return ResourceClaimTemplate(
        "claims",
        ResourceClaimTemplateArgs(
            namespace=where,
            template_name=f"{_NUMBERS.get(config.claims, config.claims)}-netdev",
            count=config.claims,
            labels=on.labels,
        ),
        opts=pulumi.ResourceOptions(providers=[gke.kubernetes]),
    )


def _between_slices(config: TpuTraining, on: Cloud) -> list[NodeNetwork]:
    found: list[NodeNetwork] = []
    for place, one in enumerate(config.network.dcn, start=1):
        made = GvnicNetwork(
            one.name,
            GvnicNetworkArgs(
                project=on.apis.project_with("compute"),
                region=config.region,
                base_name=config.name,
                key=one.name,
                mtu=config.network.mtu,
                subnet_range=one.range,
                internal_range=one.range,
                protect=config.deletion_protection,
            ),
            opts=on.opts,
        )
        found.append(
            NodeNetwork(
                name=one.name,
                interface=f"eth{place}",
                rdma=False,
                network=made.plain_names[0],
                subnetwork=made.plain_names[1],
                made=(made.vpc, made.subnetwork),
            )
        )
    return found


def _selector(config: TpuTraining) -> dict[str, str]:
    return {
        "cloud.google.com/gke-tpu-accelerator": _accelerator(config),
        "cloud.google.com/gke-tpu-topology": config.tpu.topology,
    }


def _accelerator(config: TpuTraining) -> str:
    # The rules refuse machines without TPUs.
    assert config.tpu_machine.accelerator is not None
    return config.tpu_machine.accelerator.type
