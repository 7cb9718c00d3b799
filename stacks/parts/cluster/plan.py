"""Which GKE a stack needs. No Pulumi import."""

from collections.abc import Iterable, Mapping

from catalog import Catalog, GkeVersion, NcclStack, ReleaseChannel
from catalog.spot_notice import SpotNotice
from catalog.table import load_table
from stacks.parts.cluster.config import RayOperator, StackCluster
from stacks.parts.pools.config import FlexStart, Queued, Spot
from stacks.parts.pools.plan import PlannedPool
from stacks.stack import Stack


def version_of(
    cluster: StackCluster,
    pools: Mapping[str, PlannedPool],
    facts: Catalog,
    features: Iterable[str],
) -> GkeVersion | None:
    """The config's, else the lock's where something has a minimum; None: the channel's default.

    What that default is changes by the week, so that nobody could say what it has. The rapid
    channel is ahead of the others, and soon without their versions.
    """
    if not cluster.is_made:
        return None
    if cluster.version is not None:
        return cluster.version
    if cluster.release_channel is ReleaseChannel.RAPID:
        return None
    machines = [it.machine.name for it in pools.values()]
    minimums = (facts.minimum_gke(*features, machine=it) for it in machines)
    return facts.versions.gke.version if any(minimums) else None


def runs_kuberay(stack: Stack) -> bool:
    """Whether KubeRay is to be in the cluster: for RayClusters here, or of other stacks."""
    return bool(stack.ray) or "ray_operator" in stack.cluster.model_fields_set


def features_of(
    stack: Stack,
    pools: Mapping[str, PlannedPool],
    nccl: Iterable[NcclStack],
    *,
    networks: bool,
    claims: bool,
) -> tuple[str, ...]:
    """What of GKE the stack uses, by the catalog's names: `networks` for further interfaces, and
    `claims` to them."""
    autopilot = stack.cluster.autopilot
    spot = [it.config.capacity for it in pools.values() if isinstance(it.config.capacity, Spot)]
    own_notice = load_table(SpotNotice, "spot_notice").default
    on_request = any(isinstance(it.config.capacity, FlexStart | Queued) for it in pools.values())
    addon = stack.cluster.ray_operator is RayOperator.ADDON
    used = {
        "ray_operator": runs_kuberay(stack) and addon,
        "flex_start": on_request and not autopilot,
        "multi_network": networks and not autopilot,
        "multi_network_autopilot": networks and autopilot,
        "dranet": claims and not autopilot,
        "dranet_autopilot": claims and autopilot,
        "gpu_claims": any(it.gpus_claimed for it in pools.values()),
        "compute_domains": any(it.domain is not None for it in pools.values()),
        "gcsfuse_streaming_writes": bool(stack.buckets),
        "secondary_boot_disk": any(it.config.secondary_boot_disk for it in pools.values()),
        "spot_notice": any((it.grace_seconds or 0) > own_notice for it in spot),
        "lustre_csi": stack.lustre is not None,
        "custom_metrics": any(it.autoscaling for it in stack.servers.values()),
    }
    stacks = sorted(it.feature for it in nccl)
    return (*(name for name, uses in used.items() if uses), *stacks)
