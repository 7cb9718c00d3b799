"""A GKE cluster for Ray and accelerators, and the way into it for Kubernetes resources.

Leaves out node pools: in a Standard cluster the pool that GKE insists on is removed as soon as the
cluster stands, and in an Autopilot cluster all nodes are GKE's.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field

import pulumi
import pulumi_gcp as gcp

from ..base.arguments import checked, one_of, refuse, region_of, zone_in
from ..base.cidr import ranges_are
from ..base.component import Component
from ..base.lifecycle import child_of, fixed_name, of_google
from ..base.members import check_security_group
from ..base.naming import NameKind, name_is
from ..base.tokens import formerly
from ..network.network import PODS_RANGE, SERVICES_RANGE
from ..project.apis import ProjectArgs
from .control_plane import ControlPlaneEndpoint
from .mode import ClusterMode, autopilot, standard
from .provider import kubeconfig_of, kubernetes_provider

_LOGS = ["SYSTEM_COMPONENTS", "WORKLOADS"]
_ENFORCE = "PROJECT_SINGLETON_POLICY_ENFORCE"
_METRICS = ["SYSTEM_COMPONENTS", "POD", "CADVISOR", "KUBELET", "STORAGE", "DCGM"]
# GKE's own bindings stay, and so do others that are there already; new ones of these groups are
# refused (GKE documentation, "Best practices for GKE RBAC", "Prevent usage of default groups", from
# 1.30.1-gke.1283000 on; gke-labs/kube-agents f4e8b934,
# .agents/skills/review-security-k8s-rbac/resources/gke-rbac.md).
_BINDINGS: gcp.container.ClusterRbacBindingConfigArgsDict = {
    "enable_insecure_binding_system_authenticated": False,
    "enable_insecure_binding_system_unauthenticated": False,
}
# Who says not who they are may ask for /readyz, /livez and /healthz alone (gcloud reference,
# "container clusters create", --anonymous-authentication-config).
_ANONYMOUS: gcp.container.ClusterAnonymousAuthenticationConfigArgsDict = {"mode": "LIMITED"}
_RAY_OPERATOR: gcp.container.ClusterAddonsConfigRayOperatorConfigArgsDict = {
    "enabled": True,
    "ray_cluster_logging_config": {"enabled": True},
    "ray_cluster_monitoring_config": {"enabled": True},
}
_TOKEN = "gcp:container/cluster:Cluster"
# The provider's enum of `release_channel.channel` (pulumi-gcp 10.2, container.Cluster).
_CHANNELS = ("RAPID", "REGULAR", "STABLE", "EXTENDED", "UNSPECIFIED")
# The API by which a cluster asks the project's policy for images.
BINARY_AUTHORIZATION = "binaryauthorization"


@dataclass(frozen=True, kw_only=True)
class AuthorizedNetwork:
    name: str
    cidr: str


@dataclass(frozen=True, kw_only=True)
class MaintenanceExclusion:
    """`start` and `end` are RFC 3339 times; without `end` it lasts until the minor version's end of
    support (provider: `end_time_behavior`).

    `scope` is NO_UPGRADES, NO_MINOR_UPGRADES or NO_MINOR_OR_NODE_UPGRADES.
    """

    name: str
    start: str
    end: str | None = None
    scope: str


@dataclass(frozen=True, kw_only=True)
class MaintenanceWindow:
    """`start` and `end` are RFC 3339 times, `recurrence` an RFC 5545 rule.

    The provider takes exclusions only together with a window.
    """

    start: str
    end: str
    recurrence: str
    exclusions: Sequence[MaintenanceExclusion] = ()


@dataclass(frozen=True, kw_only=True)
class GkeClusterArgs(ProjectArgs):
    """`location` is a region or, unless it is an Autopilot cluster, a zone; nodes stand in `zone`.

    `node_service_account` is for Autopilot's nodes, or else for the first pool, which lives for
    minutes: without one they take the project's default account, which hardened projects do not
    have.

    `pods_range` and `services_range` are names of the subnetwork's secondary ranges.

    `endpoint` is where the control plane answers; at a private address `authorized_networks` are
    ranges of the VPC network beside the cluster's own, and by a name there are none.

    `ray_operator` has GKE run KubeRay; without it somebody else has to. `custom_metrics` has pods
    scale by metrics that GKE reads from them; once it is on, leaving it out does not turn it off.
    The same holds for `security_group`, gke-security-groups@DOMAIN: Google groups that are members
    of it can be named in Kubernetes' role bindings.

    `binary_authorization` has the cluster ask the project's policy for each image.
    `intranode_visibility` is for Standard clusters: Autopilot has it. `kms_key` encrypts Secrets,
    and the boot disks of nodes that GKE makes itself.
    """

    location: str
    zone: str
    cluster_name: str
    network_id: pulumi.Input[str]
    subnetwork_id: pulumi.Input[str]
    pods_range: str = PODS_RANGE
    services_range: str = SERVICES_RANGE
    control_plane_range: pulumi.Input[str]
    node_service_account: pulumi.Input[str]
    release_channel: pulumi.Input[str]
    version: pulumi.Input[str] | None = None
    endpoint: ControlPlaneEndpoint = ControlPlaneEndpoint.PUBLIC
    authorized_networks: Sequence[AuthorizedNetwork] | None = None
    maintenance_window: MaintenanceWindow | None = None
    autopilot: bool = False
    multi_networking: bool = False
    ray_operator: bool
    custom_metrics: bool = False
    lustre: bool = False
    lustre_legacy_port: bool = False
    security_group: str | None = None
    binary_authorization: bool = False
    intranode_visibility: bool = False
    kms_key: pulumi.Input[str] | None = None
    deletion_protection: bool
    labels: pulumi.Input[dict[str, str]] = field(default_factory=dict[str, str])

    def check(self) -> None:
        name_is("cluster_name", NameKind.CLUSTER, self.cluster_name)
        zone_in("zone", self.zone, self.location)
        if self.autopilot and self.location == self.zone:
            reason = "is a zone, and an Autopilot cluster is regional"
            refuse("location", self.location, reason, region_of(self.zone))
        ranges_are({"control_plane_range": self.control_plane_range})
        for place, it in enumerate(self.authorized_networks or ()):
            ranges_are({f"authorized_networks[{place}].cidr": it.cidr})
        if self.authorized_networks is not None and self.endpoint is ControlPlaneEndpoint.DNS:
            refuse(
                "authorized_networks",
                f"of {len(self.authorized_networks)} ranges",
                "is for addresses, and the control plane answers by a name alone",
                None,
            )
        one_of("release_channel", self.release_channel, _CHANNELS, "is no release channel")
        if self.lustre_legacy_port and not self.lustre:
            refuse("lustre_legacy_port", True, "is for nodes that mount Lustre", "lustre=True")
        if self.intranode_visibility and self.autopilot:
            refuse("intranode_visibility", True, "is for Standard: Autopilot has it", False)
        if self.security_group is not None:
            checked("security_group", check_security_group, self.security_group)

    @property
    def further_apis(self) -> tuple[str, ...]:
        return (BINARY_AUTHORIZATION,) if self.binary_authorization else ()


class GkeCluster(Component, apis=("container",)):
    """`kubernetes` is the provider for resources in the cluster, made from its outputs alone, and
    `cluster` the cluster itself, with which all in it goes.

    `workload_pool` is where Kubernetes service accounts are principals, PROJECT.svc.id.goog.
    `endpoint` is the host that the kubeconfig has, and `reached` what kind of host that is.
    """

    cluster_name: pulumi.Output[str]
    endpoint: pulumi.Output[str]
    location: pulumi.Output[str]
    network_id: pulumi.Output[str]
    workload_pool: pulumi.Output[str]
    kubeconfig: pulumi.Output[str]

    def __init__(
        self, name: str, args: GkeClusterArgs, opts: pulumi.ResourceOptions | None = None
    ) -> None:
        super().__init__(
            "gke-ai:index:GkeCluster", name, args, formerly("gke_cluster:GkeCluster", opts)
        )
        mode = _mode(args)
        cluster = gcp.container.Cluster(
            f"{name}-cluster",
            project=args.project_with(*GkeCluster.required_apis(args)),
            name=args.cluster_name,
            location=args.location,
            # One zone: the accelerators, and Lustre, are in no other.
            node_locations=None if args.location == args.zone else [args.zone],
            network=args.network_id,
            subnetwork=args.subnetwork_id,
            enable_autopilot=mode.enable_autopilot,
            networking_mode=mode.networking_mode,
            datapath_provider=mode.datapath_provider,
            enable_multi_networking=True if args.multi_networking else None,
            ip_allocation_policy={
                "cluster_secondary_range_name": args.pods_range,
                "services_secondary_range_name": args.services_range,
            },
            private_cluster_config={
                "enable_private_nodes": True,
                # By a name alone Google Cloud answers true, whatever was sent
                # (hashicorp/terraform-provider-google issue 27901).
                "enable_private_endpoint": args.endpoint is not ControlPlaneEndpoint.PUBLIC,
                "master_ipv4_cidr_block": args.control_plane_range,
            },
            control_plane_endpoints_config=_endpoints(args.endpoint),
            master_authorized_networks_config=_authorized(args),
            release_channel={"channel": args.release_channel},
            min_master_version=args.version,
            maintenance_policy=_maintenance(args.maintenance_window),
            workload_identity_config=mode.workload_identity_config,
            enable_shielded_nodes=mode.enable_shielded_nodes,
            addons_config=_addons(args, mode),
            logging_config={"enable_components": _LOGS},
            monitoring_config={
                "enable_components": _METRICS,
                "managed_prometheus": {"enabled": True},
            },
            remove_default_node_pool=mode.remove_default_node_pool,
            initial_node_count=mode.initial_node_count,
            node_config=mode.node_config,
            cluster_autoscaling=mode.cluster_autoscaling,
            node_pool_defaults=mode.node_pool_defaults,
            node_pool_auto_config=mode.node_pool_auto_config,
            rbac_binding_config=_BINDINGS,
            anonymous_authentication_config=_ANONYMOUS,
            authenticator_groups_config=_groups(args.security_group),
            binary_authorization={"evaluation_mode": _ENFORCE}
            if args.binary_authorization
            else None,
            enable_intranode_visibility=True if args.intranode_visibility else None,
            database_encryption=None
            if args.kms_key is None
            else {"state": "ENCRYPTED", "key_name": args.kms_key},
            pod_autoscaling={"hpa_profile": "PERFORMANCE"} if args.custom_metrics else None,
            deletion_protection=args.deletion_protection,
            resource_labels=args.labels,
            # The first pool is gone after the create, and Autopilot's nodes come and go, so what
            # the provider reads back differs from what was asked for, and both force a
            # replacement of the whole cluster. What Autopilot's nodes begin with is not changed
            # under work that runs: it is for nodes that are there, too (Container API v1,
            # ClusterUpdate, desiredNodePoolAutoConfigKubeletConfig), and how they get it is not
            # published.
            opts=fixed_name(
                self,
                timeouts=of_google(_TOKEN, {}),
                protect=args.deletion_protection,
                ignore_changes=["node_config", "initial_node_count", "node_pool_auto_config"],
            ),
        )
        self.cluster = cluster
        self.reached = args.endpoint
        self.cluster_name = cluster.name
        self.endpoint, authority = _way_in(cluster, args.endpoint)
        self.location = cluster.location
        self.network_id = cluster.network.apply(str)
        self.workload_pool = pulumi.Output.concat(cluster.project, ".svc.id.goog")
        config = kubeconfig_of(cluster.name, self.endpoint, authority)
        # A client's key stands beside the authority's certificate, which so counts as a secret.
        self.kubeconfig = pulumi.Output.unsecret(config)
        self.kubernetes = kubernetes_provider(name, config, _dns_name(cluster), child_of(self))
        self.register_outputs(
            {
                "cluster_name": self.cluster_name,
                "endpoint": self.endpoint,
                "kubeconfig": self.kubeconfig,
                "location": self.location,
                "network_id": self.network_id,
                "workload_pool": self.workload_pool,
            }
        )


def _mode(args: GkeClusterArgs) -> ClusterMode:
    if not args.autopilot:
        return standard(
            args.project_with(*GkeCluster.required_apis(args)), args.node_service_account
        )
    return autopilot(args.node_service_account, args.kms_key)


def _endpoints(
    endpoint: ControlPlaneEndpoint,
) -> gcp.container.ClusterControlPlaneEndpointsConfigArgsDict | None:
    if endpoint is not ControlPlaneEndpoint.DNS:
        return None
    return {
        "dns_endpoint_config": {"allow_external_traffic": True},
        "ip_endpoints_config": {"enabled": False},
    }


def _way_in(
    cluster: gcp.container.Cluster, endpoint: ControlPlaneEndpoint
) -> tuple[pulumi.Output[str], pulumi.Input[str | None]]:
    """The host, and the authority whose certificate it has; None where everybody trusts it."""
    if endpoint is ControlPlaneEndpoint.DNS:
        return _dns_name(cluster), None
    # Of a cluster that is not known yet, and of one whose certificate is not: none.
    authority = cluster.master_auth.apply(lambda auth: auth.cluster_ca_certificate or "")
    if endpoint is ControlPlaneEndpoint.PRIVATE:
        private = cluster.private_cluster_config.apply(lambda it: it.private_endpoint or "")
        return private, authority
    # What `endpoint` is of a cluster that is to become public, a preview cannot know yet.
    public = cluster.private_cluster_config.apply(lambda it: it.public_endpoint or "")
    either = pulumi.Output.all(public, cluster.endpoint)
    return either.apply(lambda it: str(it[0] or it[1])), authority


def _dns_name(cluster: gcp.container.Cluster) -> pulumi.Output[str]:
    """Every cluster has one, whether it answers there or not, and no two have the same."""

    def name(config: gcp.container.outputs.ClusterControlPlaneEndpointsConfig) -> str:
        dns = config.dns_endpoint_config
        return "" if dns is None else dns.endpoint or ""

    return cluster.control_plane_endpoints_config.apply(name)


def _groups(
    security_group: str | None,
) -> gcp.container.ClusterAuthenticatorGroupsConfigArgsDict | None:
    # It changes in place, and left out it stays (hashicorp/terraform-provider-google-beta
    # google-beta/services/container/resource_container_cluster.go:1215 and :4590, 93c65b2d60).
    if security_group is None:
        return None
    return {"security_group": security_group}


def _addons(args: GkeClusterArgs, mode: ClusterMode) -> gcp.container.ClusterAddonsConfigArgsDict:
    addons: gcp.container.ClusterAddonsConfigArgsDict = {
        **mode.storage_addons,
        # Left out, an add-on that is on would stay on.
        "lustre_csi_driver_config": {"enabled": args.lustre},
        "ray_operator_configs": [_RAY_OPERATOR if args.ray_operator else {"enabled": False}],
    }
    if args.lustre and args.lustre_legacy_port:
        # Nodes of older versions speak to Lustre on another port than instances do by default.
        addons["lustre_csi_driver_config"] = {"enabled": True, "enable_legacy_lustre_port": True}
    return addons


def _authorized(
    args: GkeClusterArgs,
) -> gcp.container.ClusterMasterAuthorizedNetworksConfigArgsDict | None:
    """A private address has the block, with or without ranges: "Master authorized networks must be
    enabled if private endpoint is enabled" (GoogleCloudPlatform/magic-modules pull request
    8338)."""
    networks = args.authorized_networks
    if networks is None and args.endpoint is ControlPlaneEndpoint.PRIVATE:
        networks = ()
    if networks is None:
        return None
    return {
        "cidr_blocks": [{"cidr_block": net.cidr, "display_name": net.name} for net in networks],
        # Left to GKE it may be open, and then every virtual machine of Google Cloud is let in
        # (pulumi-gcp 10.2, container.Cluster, masterAuthorizedNetworksConfig; GoogleCloudPlatform/
        # cluster-toolkit modules/scheduler/gke-cluster/main.tf; 2026-06-25).
        "gcp_public_cidrs_access_enabled": False,
    }


def _maintenance(
    window: MaintenanceWindow | None,
) -> gcp.container.ClusterMaintenancePolicyArgsDict | None:
    if window is None:
        return None
    policy: gcp.container.ClusterMaintenancePolicyArgsDict = {
        "recurring_window": {
            "start_time": window.start,
            "end_time": window.end,
            "recurrence": window.recurrence,
        }
    }
    if window.exclusions:
        policy["maintenance_exclusions"] = [_exclusion(one) for one in window.exclusions]
    return policy


def _exclusion(
    one: MaintenanceExclusion,
) -> gcp.container.ClusterMaintenancePolicyMaintenanceExclusionArgsDict:
    # One of both (hashicorp/terraform-provider-google-beta google-beta/services/container/
    # resource_container_cluster.go:1455 and 6387, 93c65b2d, 2026-08-21).
    if one.end is None:
        return {
            "exclusion_name": one.name,
            "start_time": one.start,
            "exclusion_options": {"scope": one.scope, "end_time_behavior": "UNTIL_END_OF_SUPPORT"},
        }
    return {
        "exclusion_name": one.name,
        "start_time": one.start,
        "end_time": one.end,
        "exclusion_options": {"scope": one.scope},
    }
