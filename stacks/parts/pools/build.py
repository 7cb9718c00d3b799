"""Node pools."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import pulumi
import pulumi_gcp as gcp

from catalog import GpuDriver
from components.base.naming import NameKind, cloud_name
from components.pools.node_pool import GpuArgs, NodeBoundsArgs, NodePool, NodePoolArgs
from components.pools.node_service_account import NodeServiceAccount
from components.pools.tpu_slice_pool import TpuSlicePool, TpuSlicePoolArgs
from components.pools.workload_policy import WorkloadPolicy, WorkloadPolicyArgs
from stacks import spot_grace
from stacks.on_record import Record
from stacks.parts.cluster import build as cluster
from stacks.parts.pools import node_labels
from stacks.parts.pools.autopilot_build import asked_for
from stacks.parts.pools.capacity_args import capacity_of
from stacks.parts.pools.node_labels import (
    STACK_LABEL,
    of_slices,
    own_label,
    own_labels,
)
from stacks.parts.pools.order import Component, awaited, components_of
from stacks.parts.pools.plan import PlannedPool
from stacks.site import Cluster, Ground, Interfaces, Nodes, Project, Selector, beside


def identities(project: Project) -> dict[str, NodeServiceAccount]:
    return {kind: cluster.identity(project, kind) for kind in project.plan.account_kinds}


def build(
    project: Project,
    ground: Ground,
    gke: Cluster,
    accounts: dict[str, NodeServiceAccount],
    interfaces: Interfaces,
) -> Nodes:
    if project.plan.autopilot:
        return asked_for(project, ground, gke)
    plan = project.plan
    soon = [it for it in plan.pools.values() if not it.late]
    made = {it.name: _made(project, gke, accounts, it, interfaces) for it in soon}
    # A Standard cluster has one in any case, and the rules let none of these be late.
    assert plan.cpu_pool is not None
    own = made[plan.cpu_pool.name]
    return Nodes(
        cpu=own.selector,
        selectors={name: it.selector for name, it in made.items()},
        only={name: it.only for name, it in made.items()},
        machines={name: it.machines for name, it in made.items()},
        needed=[*ground.made, *own.components],
        components={name: it.components for name, it in made.items()},
    )


def build_late(
    project: Project,
    gke: Cluster,
    accounts: dict[str, NodeServiceAccount],
    interfaces: Interfaces,
    nodes: Nodes,
    ready: "Mapping[Component, Sequence[pulumi.Resource]]",
) -> Nodes:
    """With the pools that are just in time; `ready` is what there is to wait for, by component."""

    plan = project.plan
    standing = {
        one: [made]
        for name, components in nodes.components.items()
        for one, made in zip(components_of(plan.pools[name]), components, strict=True)
    }
    there = {**standing, **ready}
    made: dict[str, _Made] = {}
    for name, pool in plan.pools.items():
        if pool.late:
            after = [one for it in awaited(plan, pool) for one in there.get(it, ())]
            made[name] = _made(project, gke, accounts, pool, interfaces, after)
    return replace(
        nodes,
        selectors={**nodes.selectors, **{name: it.selector for name, it in made.items()}},
        only={**nodes.only, **{name: it.only for name, it in made.items()}},
        machines={**nodes.machines, **{name: it.machines for name, it in made.items()}},
    )


@dataclass(frozen=True, kw_only=True)
class _Made:
    """A pool that is made: how pods select its nodes, and what it is made of."""

    selector: Selector
    only: Selector
    machines: Sequence[gcp.container.NodePool]
    components: Sequence[pulumi.Resource]


def _made(
    project: Project,
    gke: Cluster,
    accounts: dict[str, NodeServiceAccount],
    pool: PlannedPool,
    interfaces: Interfaces,
    after: Sequence[pulumi.Resource] = (),
) -> _Made:
    plan, account = project.plan, accounts[pool.kind]
    opts = pulumi.ResourceOptions.merge(
        _beside(project, gke), pulumi.ResourceOptions(depends_on=[account, *after])
    )
    if pool.kind == "tpu":
        slices = _slices(project, pool, interfaces, gke, account, opts)
        return _Made(
            selector={**of_slices(pool), **own_label(plan)},
            only=node_labels.only(plan, pool),
            machines=[it.pool for it in slices],
            components=slices,
        )
    made = _pool(project, gke, account, pool, interfaces, opts)
    shared = _shares_its_type(project, pool) or not plan.stack.cluster.is_made
    return _Made(
        selector=made.node_selector if shared else made.accelerator_selector,
        only=made.node_selector,
        machines=[made.pool],
        components=[made],
    )


def _node_labels(project: Project, pool: PlannedPool) -> dict[str, str]:
    """One of ours always: the provider takes labels off only while others are left."""
    return {STACK_LABEL: project.plan.stack.name, **pool.config.labels}


def _shares_its_type(project: Project, pool: PlannedPool) -> bool:
    """Whether its accelerators' label would pick nodes of other machines, too."""
    accelerator = pool.machine.accelerator
    return accelerator is not None and any(
        it.machine.name != pool.machine.name
        for it in project.plan.gpu_pools.values()
        if it.machine.accelerator and it.machine.accelerator.type == accelerator.type
    )


def _beside(project: Project, gke: Cluster) -> pulumi.ResourceOptions:
    """A pool that is replaced takes Ray along, and the engine deletes what is only there by
    `replace_with` without a look whether it has its provider (pulumi/pulumi step_generator.go,
    findResourcesReplacedWith, 3.256): so objects' provider comes first."""
    return beside(project, gke)


def _pool(
    project: Project,
    gke: Cluster,
    account: NodeServiceAccount,
    pool: PlannedPool,
    interfaces: Interfaces,
    opts: pulumi.ResourceOptions,
) -> NodePool:
    config, machine = pool.config, pool.machine
    gpu = None
    if machine.accelerator is not None:
        gpu = GpuArgs(
            type=machine.accelerator.type,
            count=machine.accelerator.count,
            driver=config.driver_version.api_value,
            claimed=pool.gpus_claimed,
            operated=config.driver_version is GpuDriver.OPERATOR,
        )
    return NodePool(
        pool.name,
        NodePoolArgs(
            project=project.plan.stack.project,
            apis=project.apis,
            location=gke.location,
            zone=pool.zone,
            cluster_name=gke.cluster_name,
            pool_name=pool.pool_name,
            service_account=account.email,
            machine_type=machine.name,
            nodes=0 if pool.from_zero else pool.nodes,
            bounds=NodeBoundsArgs(min=pool.bounds.min, max=pool.bounds.max)
            if pool.scales
            else None,
            capacity=capacity_of(config.capacity, _grace(project, pool, pool.name)),
            disk_type=config.disk.type or machine.default_boot_disk,
            disk_gb=config.disk.size_gb,
            disk_kms_key=project.plan.stack.cmek,
            max_pods_per_node=config.max_pods_per_node,
            local_ssds=machine.local_ssd.count if machine.local_ssd else 0,
            gpu=gpu,
            additional_networks=interfaces.of(pool.name),
            managed_interfaces=pool.managed,
            image_streaming=project.plan.images.streams(pool.name),
            secondary_boot_disk=project.plan.images.disk_of(pool.name),
            kernel_modules=gpu is None and project.plan.stack.lustre is not None,
            placement="COMPACT" if config.compact_placement else None,
            policy=None if pool.domain is None else _policy(project, pool, pool.domain.topology),
            labels=project.labels,
            node_labels=_node_labels(project, pool),
            taints=pool.taints,
        ),
        opts=opts,
    )


def _grace(project: Project, pool: PlannedPool, name: str) -> int | None:
    return spot_grace.to_be_set(project.plan, project.record or Record(), pool, name)


def _slices(
    project: Project,
    pool: PlannedPool,
    interfaces: Interfaces,
    gke: Cluster,
    account: NodeServiceAccount,
    opts: pulumi.ResourceOptions,
) -> "list[TpuSlicePool]":

    config, topology, accelerator = pool.config, pool.topology, pool.machine.accelerator
    between = interfaces.between_slices if pool.interface_mode == "own" else ()
    # The rules refuse a topology that the machine does not have.
    assert topology is not None
    assert accelerator is not None
    policy = _policy(project, pool, topology.name) if topology.needs_policy else None
    return [
        TpuSlicePool(
            f"{pool.name}-{number}",
            TpuSlicePoolArgs(
                project=project.plan.stack.project,
                apis=project.apis,
                location=gke.location,
                zone=pool.zone,
                cluster_name=gke.cluster_name,
                pool_name=pool.slice_name(number),
                service_account=account.email,
                machine_type=pool.machine.name,
                accelerator=accelerator.type,
                topology=topology.name,
                hosts=topology.hosts,
                from_zero=pool.from_zero,
                capacity=capacity_of(
                    config.capacity, _grace(project, pool, f"{pool.name}-{number}")
                ),
                disk_type=config.disk.type or pool.machine.default_boot_disk,
                disk_gb=config.disk.size_gb,
                disk_kms_key=project.plan.stack.cmek,
                max_pods_per_node=config.max_pods_per_node,
                threads_per_core=config.threads_per_core,
                dranet=bool(between),
                policy=policy,
                additional_networks=between,
                managed_interfaces=pool.managed,
                image_streaming=project.plan.images.streams(pool.name),
                secondary_boot_disk=project.plan.images.disk_of(pool.name),
                labels=project.labels,
                node_labels={**_node_labels(project, pool), **own_labels(project.plan, pool)},
                taints=pool.taints,
            ),
            opts=opts,
        )
        for number in pool.slices
    ]


def _policy(project: Project, pool: PlannedPool, shape: str) -> pulumi.Output[str]:
    """One for all slices of the pool, which have one shape, or for its machines."""

    plan = project.plan
    made = WorkloadPolicy(
        f"{pool.name}-placement",
        WorkloadPolicyArgs(
            project=plan.stack.project,
            apis=project.apis,
            region=plan.stack.region,
            policy_name=cloud_name(NameKind.RESOURCE_POLICY, plan.stack.name, pool.name, shape),
            topology=shape,
        ),
        opts=project.opts,
    )
    return made.policy_name
