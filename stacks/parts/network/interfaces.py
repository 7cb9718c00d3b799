"""Networks of nodes' further interfaces, how pods ask for them, and what makes NCCL use them."""

from collections.abc import Mapping, Sequence

import pulumi
import pulumi_gcp as gcp

from components.base.naming import NameKind, cloud_name
from components.nccl.rdma_installer import (
    AUTOPILOT_NAMESPACE,
    NcclRdmaInstaller,
    NcclRdmaInstallerArgs,
)
from components.network.device_networks import DeviceNetworks, DeviceNetworksArgs
from components.network.gvnic import GvnicNetwork, GvnicNetworkArgs
from components.network.node_network import NodeNetwork
from components.network.rdma import RdmaNetwork, RdmaNetworkArgs
from components.network.resource_claim_template import ResourceClaimTemplate
from stacks.parts.network.claims_build import GpuClaims
from stacks.parts.network.interface_claims_build import RDMA
from stacks.parts.network.plan import InterfaceSet, blocks_of
from stacks.parts.pools.plan import PlannedPool
from stacks.site import DeviceAccess, Interfaces, Project, Site

_Made = tuple[gcp.compute.Network, gcp.compute.Subnetwork]
_Named = tuple[tuple[str, str], _Made]


def build(project: Project) -> Interfaces:
    plan = project.plan
    found: dict[str, Sequence[NodeNetwork]] = {}
    for one in plan.interface_sets:
        networks = _networks(project, one)
        found |= dict.fromkeys(one.pools, networks)
    slices = _between_slices(project) if plan.own_between_slices else []
    everything = [*(it for networks in found.values() for it in networks), *slices]
    made = dict.fromkeys(part for it in everything for part in it.made)
    return Interfaces(gpu=found, between_slices=slices, made=list(made))


def devices(
    site: Site,
    interfaces: Interfaces,
    claims: Mapping[int, ResourceClaimTemplate],
    gpus: "GpuClaims | None" = None,
) -> dict[str, DeviceAccess]:
    """For each pool with device interfaces, the objects that pods ask for them by, and NCCL's
    plug-in on its nodes. `gpus` is of pools whose GPUs are claimed with the interfaces."""
    plan, found = site.plan, dict[str, DeviceAccess]()
    # It puts libraries beside the driver's.
    installer = _installer(site, () if gpus is None else gpus.drivers)
    for pool in plan.gpu_pools.values():
        if installer is None or not (number := plan.claims(pool)):
            continue
        if pool.gpus_claimed and gpus is not None:
            found[pool.name] = DeviceAccess(
                networks=(),
                node_selector=installer.once_ready(site.nodes.only[pool.name]),
                rdma=True,
                pairs=gpus.pairs,
                after=[*gpus.drivers, installer],
            )
        else:
            found[pool.name] = _claiming(site, pool, installer, claims[number])
    for one in plan.interface_sets:
        networks = interfaces.of(one.pools[0])
        objects = DeviceNetworks(
            f"interfaces{one.suffix}",
            DeviceNetworksArgs(
                api_version=plan.facts.component("gke_networking").apis["Network"],
                networks=networks,
                labels=site.labels,
            ),
            opts=site.inside,
        )
        needed = installer if any(it.rdma for it in networks) else None
        for name in one.pools:
            selector = site.nodes.selectors[name]
            found[name] = DeviceAccess(
                networks=objects.networks,
                node_selector=selector if needed is None else needed.once_ready(selector),
                after=[] if needed is None else [needed],
            )
    return found


def _claiming(
    site: Site, pool: PlannedPool, installer: NcclRdmaInstaller, template: ResourceClaimTemplate
) -> DeviceAccess:
    return DeviceAccess(
        networks=(),
        node_selector=installer.once_ready(site.nodes.selectors[pool.name]),
        rdma=True,
        claims={RDMA: template.claim},
        after=[template, installer],
    )


def _installer(site: Site, after: Sequence[pulumi.Resource]) -> NcclRdmaInstaller | None:
    """One for all nodes with RDMA: of two, both would write to nodes that they have in common."""
    plan = site.plan
    pools = [it for it in plan.gpu_pools.values() if it.rdma]
    if not pools:
        return None
    nccl = plan.facts.nccl(pools[0].machine.name)
    assert nccl is not None
    return NcclRdmaInstaller(
        "nccl",
        NcclRdmaInstallerArgs(
            installer_name=f"{plan.prefix}nccl-rdma-installer",
            own_namespace=f"{plan.prefix}{AUTOPILOT_NAMESPACE}",
            image=nccl.plugin_image,
            pause_image=nccl.pause_image,
            node_selectors=[site.nodes.selectors[it.name] for it in pools],
            accelerators=nccl.installer_accelerators,
            autopilot=plan.autopilot,
            labels=site.labels,
        ),
        # A level with the operators when `destroy` takes them away.
        opts=site.after(*after, *(one for it in pools for one in site.nodes.machines[it.name])),
    )


def _networks(project: Project, one: InterfaceSet) -> list[NodeNetwork]:
    """A VPC of its own for each gVNIC interface, and one with a subnetwork for each RDMA one."""
    ranges = project.plan.stack.network.accelerators
    names = {f"{it.name}{one.suffix}": it for it in one.interfaces}
    block_of = dict(zip(names, blocks_of(project.plan.stack, one), strict=True))
    made: dict[str, _Named] = {}
    for name, interface in names.items():
        if interface.kind == "gvnic":
            made[name] = _gvnic(project, name, block_of[name], ranges.range, _first(made))
    rdma = {name: block_of[name] for name, it in names.items() if it.kind != "gvnic"}
    made |= _rdma(project, one, rdma, _first(made))
    return [
        NodeNetwork(
            name=cloud_name(NameKind.DEVICE_NETWORK, f"{project.plan.prefix}{name}"),
            interface=interface.device,
            rdma=interface.kind == "rdma",
            irdma=interface.kind == "irdma",
            network=made[name][0][0],
            subnetwork=made[name][0][1],
            vpc=made[name][1][0],
            subnet=made[name][1][1],
        )
        for name, interface in names.items()
    ]


def _first(made: Mapping[str, _Named]) -> pulumi.Output[str] | None:
    return next((subnetwork.id for _, (_, subnetwork) in made.values()), None)


def _gvnic(
    project: Project, name: str, block: str, internal: str, first: pulumi.Output[str] | None
) -> _Named:
    stack = project.plan.stack
    made = GvnicNetwork(
        name,
        GvnicNetworkArgs(
            project=stack.project,
            apis=project.apis,
            region=stack.region,
            base_name=stack.name,
            key=name,
            mtu=stack.network.mtu,
            subnet_range=block,
            internal_range=internal,
            first_subnetwork=first,
            protect=stack.deletion_protection,
        ),
        opts=project.opts,
    )
    return made.plain_names, (made.vpc, made.subnetwork)


def _rdma(
    project: Project,
    one: InterfaceSet,
    ranges: dict[str, str],
    first: pulumi.Output[str] | None,
) -> dict[str, _Named]:
    if not ranges:
        return {}
    plan = project.plan
    profile_of = (
        plan.facts.falcon_profile if one.machine.nics_of("irdma") else plan.facts.roce_profile
    )
    made = RdmaNetwork(
        f"rdma{one.suffix}",
        RdmaNetworkArgs(
            project=plan.stack.project,
            apis=project.apis,
            region=plan.stack.region,
            base_name=f"{plan.stack.name}{one.suffix}",
            profile=profile_of(one.zone),
            subnet_ranges=ranges,
            first_subnetwork=first,
            protect=plan.stack.deletion_protection,
        ),
        opts=project.opts,
    )
    return {
        name: (made.plain_names[name], (made.vpc, subnetwork))
        for name, subnetwork in made.subnetworks.items()
    }


def _between_slices(project: Project) -> list[NodeNetwork]:
    made: dict[str, _Named] = {}
    for one in project.plan.stack.network.dcn:
        made[one.name] = _gvnic(project, one.name, one.range, one.range, _first(made))
    return [
        NodeNetwork(
            name=name,
            interface=f"eth{place}",
            rdma=False,
            network=vpc,
            subnetwork=subnetwork,
            vpc=parts[0],
            subnet=parts[1],
        )
        for place, (name, ((vpc, subnetwork), parts)) in enumerate(made.items(), start=1)
    ]
