"""A GKE cluster that exists already: read, never made, changed or deleted.

Leaves out its node pools and whether it is protected from deletion: the provider keeps that in the
state of whoever made it, so the function does not know.
"""

from dataclasses import dataclass

import pulumi
import pulumi_gcp as gcp
import pulumi_kubernetes as k8s

from ..base.existing import Part, first, flag, read_part, relative
from ..base.existing_facts import ClusterFacts
from .control_plane import ControlPlaneEndpoint, Endpoints
from .provider import kubeconfig_of, kubernetes_provider

_DATAPLANE_V2 = "ADVANCED_DATAPATH"
_NO_CHANNEL = "UNSPECIFIED"


@dataclass(frozen=True, kw_only=True)
class ExistingClusterArgs:
    """`location` is a region or a zone."""

    project: str
    location: str
    cluster: str


@dataclass(frozen=True, kw_only=True)
class ExistingCluster:
    """What a GkeCluster hands out, of one that nobody here made; `found` is what was read.

    `workload_pool` is empty where the cluster has no Workload Identity.
    """

    found: ClusterFacts
    reached: ControlPlaneEndpoint
    cluster_name: pulumi.Output[str]
    endpoint: pulumi.Output[str]
    kubeconfig: pulumi.Output[str]
    location: pulumi.Output[str]
    network_id: pulumi.Output[str]
    workload_pool: pulumi.Output[str]
    kubernetes: k8s.Provider


def read_cluster(args: ExistingClusterArgs, provider: gcp.Provider) -> ClusterFacts:
    """Raises ExistingPartError where it is not there."""
    cluster = read_part(
        Part(
            kind="cluster",
            name=args.cluster,
            place=f"{args.location} of project {args.project}",
            listing="container clusters list",
            options={"project": args.project},
        ),
        lambda: gcp.container.get_cluster(
            name=args.cluster,
            location=args.location,
            project=args.project,
            opts=pulumi.InvokeOptions(provider=provider),
        ),
    )
    addons = first(cluster.addons_configs)
    ranges = first(cluster.ip_allocation_policies)
    pool = first(cluster.workload_identity_configs)
    channel = first(cluster.release_channels)
    scaling = first(cluster.pod_autoscalings)
    private = first(cluster.private_cluster_configs)
    groups = first(cluster.authenticator_groups_configs)
    auth = first(cluster.master_auths)
    ways = _endpoints(cluster)
    by_name = ways.chosen is ControlPlaneEndpoint.DNS
    authority = "" if auth is None else auth.cluster_ca_certificate
    lustre = [] if addons is None else addons.lustre_csi_driver_configs
    # The zone of a zonal cluster is not among its further ones.
    own_zone = [args.location] if args.location.count("-") > 1 else []
    zones = {*(cluster.node_locations or []), *own_zone}
    return ClusterFacts(
        project=args.project,
        location=args.location,
        name=args.cluster,
        zones=tuple(sorted(zones)),
        network_id=relative(cluster.network),
        subnetwork_id=relative(cluster.subnetwork),
        pods_range=None if ranges is None else ranges.cluster_secondary_range_name or None,
        services_range=None if ranges is None else ranges.services_secondary_range_name or None,
        endpoint=ways.host,
        ca_certificate=None if by_name else authority,
        dns_name=ways.dns_name or None,
        reached=ways.chosen,
        version=cluster.master_version,
        release_channel=_NO_CHANNEL if channel is None else channel.channel,
        autopilot=bool(cluster.enable_autopilot),
        dataplane_v2=cluster.datapath_provider == _DATAPLANE_V2,
        calico=flag(cluster.network_policies),
        multi_networking=bool(cluster.enable_multi_networking),
        private_nodes=flag(cluster.private_cluster_configs, "enable_private_nodes"),
        workload_pool=None if pool is None else pool.workload_pool or None,
        ray_operator=addons is not None and flag(addons.ray_operator_configs),
        gcs_fuse=addons is not None and flag(addons.gcs_fuse_csi_driver_configs),
        lustre=flag(lustre),
        lustre_legacy_port=flag(lustre, "enable_legacy_lustre_port"),
        custom_metrics=scaling is not None and scaling.hpa_profile == "PERFORMANCE",
        labels=dict(cluster.resource_labels or {}),
        control_plane_range=None if private is None else private.master_ipv4_cidr_block or None,
        security_group=None if groups is None else groups.security_group or None,
    )


def existing_cluster(name: str, found: ClusterFacts) -> ExistingCluster:
    """The way into a cluster that was read; its Kubernetes provider is the stack's own."""
    config = kubeconfig_of(found.name, found.endpoint, found.ca_certificate)
    return ExistingCluster(
        found=found,
        reached=found.reached,
        cluster_name=pulumi.Output.from_input(found.name),
        endpoint=pulumi.Output.from_input(found.endpoint),
        location=pulumi.Output.from_input(found.location),
        network_id=pulumi.Output.from_input(found.network_id),
        workload_pool=pulumi.Output.from_input(found.workload_pool or ""),
        kubeconfig=config,
        kubernetes=kubernetes_provider(name, config, found.dns_name),
    )


def _endpoints(cluster: gcp.container.GetClusterResult) -> Endpoints:
    config = first(cluster.control_plane_endpoints_configs)
    private = first(cluster.private_cluster_configs)
    dns = None if config is None else first(config.dns_endpoint_configs)
    address = None if config is None else first(config.ip_endpoints_configs)
    return Endpoints(
        address=cluster.endpoint,
        dns_name="" if dns is None else dns.endpoint,
        has_address=address is None or address.enabled,
        is_public=private is None or not private.enable_private_endpoint,
        is_dns_open=dns is not None and dns.allow_external_traffic,
    )
