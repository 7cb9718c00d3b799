"""Which GKE a stack needs. No Pulumi import."""

from collections.abc import Mapping
from typing import Protocol

from catalog import Catalog, GkeVersion, NcclStack, ReleaseChannel
from stacks.blocks.capacity import FlexStart, Queued
from stacks.blocks.ray import RayOperator
from stacks.parts.pools.plan import PlannedPool
from stacks.stack import Stack


class Uses(Protocol):
    """What of a stack's plan says which GKE it needs."""

    stack: Stack

    @property
    def facts(self) -> Catalog: ...
    @property
    def pools(self) -> Mapping[str, PlannedPool]: ...
    @property
    def autopilot(self) -> bool: ...
    @property
    def multi_networking(self) -> bool: ...
    @property
    def nccl_stacks(self) -> list[NcclStack]: ...
    @property
    def features(self) -> tuple[str, ...]: ...
    def claims(self, pool: PlannedPool) -> int: ...


def version_of(plan: Uses) -> GkeVersion | None:
    """The config's, else the lock's where something has a minimum; None: the channel's default.

    What that default is changes by the week, so that nobody could say what it has. The rapid
    channel is ahead of the others, and soon without their versions.
    """
    cluster = plan.stack.cluster
    if cluster.version is not None:
        return cluster.version
    if cluster.release_channel is ReleaseChannel.RAPID:
        return None
    machines = [it.machine.name for it in plan.pools.values()]
    minimums = (plan.facts.minimum_gke(*plan.features, machine=it) for it in machines)
    return plan.facts.versions.gke.version if any(minimums) else None


def features_of(plan: Uses) -> tuple[str, ...]:
    """What of GKE the stack uses, by the catalog's names."""
    stack, pools, autopilot = plan.stack, plan.pools.values(), plan.autopilot
    claims = any(plan.claims(it) for it in pools)
    on_request = any(isinstance(it.config.capacity, FlexStart | Queued) for it in pools)
    addon = stack.cluster.ray_operator is RayOperator.ADDON
    used = {
        "ray_operator": bool(stack.ray) and addon,
        "flex_start": on_request and not autopilot,
        "multi_network": plan.multi_networking and not autopilot,
        "multi_network_autopilot": plan.multi_networking and autopilot,
        "dranet": claims and not autopilot,
        "dranet_autopilot": claims and autopilot,
        "gcsfuse_streaming_writes": bool(stack.buckets),
        "lustre_csi": stack.lustre is not None,
        "custom_metrics": any(it.autoscaling for it in stack.servers.values()),
    }
    nccl = sorted(it.feature for it in plan.nccl_stacks)
    return (*(name for name, uses in used.items() if uses), *nccl)
