"""The networks of GPU nodes' further interfaces and what makes NCCL use them, from a config."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import pulumi
import pulumi_gcp as gcp

from components.cidr import cut
from components.device_networks import DeviceNetworks, DeviceNetworksArgs
from components.gke_cluster import GkeCluster
from components.gvnic_network import GvnicNetwork, GvnicNetworkArgs
from components.interfaces import interface_annotations
from components.nccl_rdma_installer import NcclRdmaInstaller, NcclRdmaInstallerArgs
from components.nccl_test import NcclTest, NcclTestArgs
from components.node_network import NodeNetwork
from components.rdma_network import RdmaNetwork, RdmaNetworkArgs
from stacks.blocks.gpu_ray_stack import GpuRayStack
from stacks.blocks.gpu_stack import GpuStack
from stacks.platform import Cloud

_TEST = Path(__file__).parent.parent / "workloads" / "nccl" / "all_gather.sh"


@dataclass(frozen=True, kw_only=True)
class _Connection:
    """A VPC and a subnetwork, with the `names` of both."""

    names: tuple[str, str]
    made: tuple[gcp.compute.Network, gcp.compute.Subnetwork]


@dataclass(frozen=True, kw_only=True)
class Interfaces:
    """Interfaces of a node in attach order; `made` is the VPCs and subnetworks that they are in."""

    networks: Sequence[NodeNetwork]
    made: Sequence[pulumi.Resource]


def interfaces(config: GpuStack, on: Cloud) -> Interfaces:
    """A VPC of its own for each gVNIC interface, and one with a subnetwork for each RDMA one."""
    plan = config.network.accelerators
    names = {it.name: it for it in config.interfaces}
    ranges = dict(zip(names, cut(plan.range, plan.prefix_length, len(names)), strict=True))
    connections = {
        **_gvnic(config, on, {it: ranges[it] for it in names if names[it].kind == "gvnic"}),
        **_rdma(config, on, {it: ranges[it] for it in names if names[it].kind == "rdma"}),
    }
    return Interfaces(
        networks=[
            NodeNetwork(
                name=name,
                interface=one.device,
                rdma=one.kind == "rdma",
                network=connections[name].names[0],
                subnetwork=connections[name].names[1],
                made=connections[name].made,
            )
            for name, one in names.items()
        ],
        made=list(dict.fromkeys(one for it in connections.values() for one in it.made)),
    )


def _gvnic(config: GpuStack, on: Cloud, ranges: dict[str, str]) -> dict[str, _Connection]:
    found: dict[str, _Connection] = {}
    for name, block in ranges.items():
        made = GvnicNetwork(
            name,
            GvnicNetworkArgs(
                project=on.apis.project_with("compute"),
                region=config.region,
                base_name=config.name,
                key=name,
                mtu=config.network.mtu,
                subnet_range=block,
                internal_range=config.network.accelerators.range,
                protect=config.deletion_protection,
            ),
            opts=on.opts,
        )
        found[name] = _Connection(names=made.plain_names, made=(made.vpc, made.subnetwork))
    return found


def _rdma(config: GpuStack, on: Cloud, ranges: dict[str, str]) -> dict[str, _Connection]:
    if not ranges:
        return {}
    made = RdmaNetwork(
        "rdma",
        RdmaNetworkArgs(
            project=on.apis.project_with("compute"),
            region=config.region,
            base_name=config.name,
            profile=config.facts.roce_profile(config.zone),
            subnet_ranges=ranges,
            protect=config.deletion_protection,
        ),
        opts=on.opts,
    )
    return {
        name: _Connection(names=made.plain_names[name], made=(made.vpc, subnetwork))
        for name, subnetwork in made.subnetworks.items()
    }


@dataclass(frozen=True, kw_only=True)
class GpuNetwork:
    """What Ray's workers get: `node_selector` picks nodes, known once their network works.

    `held` cannot go while pods use it; `after` are components that no value of pods names.
    """

    networks: Sequence[NodeNetwork]
    node_selector: pulumi.Input[dict[str, str]]
    held: Sequence[pulumi.Resource] = ()
    after: Sequence[pulumi.Resource] = ()


def gpu_network(
    config: GpuRayStack,
    on: Cloud,
    gke: GkeCluster,
    found: Interfaces,
    node_selector: pulumi.Input[dict[str, str]],
    where: pulumi.Input[str],
) -> GpuNetwork:
    """Objects for the interfaces, and NCCL's plug-in on the nodes, tested if the config asks."""
    if not found.networks:
        return GpuNetwork(networks=(), node_selector=node_selector)
    inside = pulumi.ResourceOptions(providers=[gke.kubernetes])
    objects = DeviceNetworks(
        "interfaces",
        DeviceNetworksArgs(
            api_version=config.facts.component("gke_networking").apis["Network"],
            networks=found.networks,
            labels=on.labels,
        ),
        opts=inside,
    )
    after: list[pulumi.Resource] = [objects]
    if config.nccl is not None:
        installer = NcclRdmaInstaller(
            "nccl",
            NcclRdmaInstallerArgs(
                image=config.nccl.plugin_image,
                pause_image=config.nccl.pause_image,
                node_selector=node_selector,
                accelerators=config.nccl.installer_accelerators,
                autopilot=config.autopilot,
                labels=on.labels,
            ),
            opts=inside,
        )
        after.append(installer)
        node_selector = installer.node_selector
        if config.nccl_test is not None:
            test = NcclTest(
                "nccl-test",
                NcclTestArgs(
                    namespace=where,
                    test_name=f"{config.ray_name}-nccl-test",
                    image=config.nccl.diagnostic_image,
                    script=_TEST.read_text(encoding="utf-8"),
                    gpus_per_node=config.worker_gpus,
                    min_bus_bandwidth_gbps=config.nccl_test.minimum_bus_bandwidth_gbps,
                    node_selector=node_selector,
                    annotations=dict(
                        interface_annotations((it.interface, it.name) for it in found.networks)
                    ),
                    labels=on.labels,
                ),
                opts=pulumi.ResourceOptions(providers=[gke.kubernetes], depends_on=[objects]),
            )
            after.append(test)
            node_selector = test.node_selector
    return GpuNetwork(
        networks=found.networks,
        node_selector=node_selector,
        held=[*found.made, *objects.objects],
        after=after,
    )
