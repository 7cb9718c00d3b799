"""GKE clusters."""

from __future__ import annotations

import base64
import re
from typing import Any

from catalog import FactError, GkeVersion
from sandbox.cloud.kind import Kind, check_name, digest
from sandbox.cloud.kinds.network import (
    Subnetwork,
    find_network,
    on_network,
    parse_cidr,
    ranges_of,
    refers,
    subnet_ranges,
)
from sandbox.cloud.kinds.network_profile import refuse_on_rdma
from sandbox.cloud.resource import Inputs, Resource
from sandbox.cloud.view import View
from sandbox.errors import CloudError

# Schema of the provider (ConflictsWith enable_autopilot); nodeConfig: its issue 8863.
NOT_IN_AUTOPILOT = (
    "defaultMaxPodsPerNode",
    "enableShieldedNodes",
    "networkPolicy",
    "nodeConfig",
    "nodePools",
    "removeDefaultNodePool",
)


# What GKE begins a cluster with, where the provider did not get to take it away again. No resource
# of a stack is one. Its nodes are not simulated: nothing here would run on them.
_DEFAULT_POOL = "the pool that GKE began a cluster with"


class Cluster(Kind):
    token = "gcp:container/cluster:Cluster"
    api = "container.googleapis.com"
    provider_only = ("removeDefaultNodePool",)
    # hashicorp/terraform-provider-google-beta, resource_container_cluster.go:1215 and :1922
    # (93c65b2d60, 2026-08-21).
    kept = ("authenticatorGroupsConfig", "podAutoscaling")

    def admit(self, inputs: Inputs, cloud: View) -> None:
        check_name("cluster", inputs["name"], 40)
        self._check_ranges(inputs, cloud)
        _check_mode(inputs)
        _check_exclusions(inputs)
        _check_groups(inputs)
        pool = (inputs.get("workloadIdentityConfig") or {}).get("workloadPool")
        if pool is not None and pool != f"{inputs['project']}.svc.id.goog":
            raise CloudError(
                "INVALID_ARGUMENT",
                f'workload pool "{pool}" must be "{inputs["project"]}.svc.id.goog"',
            )
        for zone in inputs.get("nodeLocations") or []:
            try:
                region = cloud.catalog.region_of(zone)
            except FactError as error:
                raise CloudError("INVALID_ARGUMENT", str(error)) from None
            if inputs["location"] not in (region, zone):
                raise CloudError("INVALID_ARGUMENT", f"node location {zone} is not in {region}")

    def change(self, resource: Resource, news: Inputs, cloud: View) -> None:
        del resource
        _check_mode(news)
        _check_exclusions(news)
        # An update to none, "", turns the feature off (resource_container_cluster.go,
        # expandContainerClusterAuthenticatorGroupsConfig, as above).
        if news.get("authenticatorGroupsConfig") != {"securityGroup": ""}:
            _check_groups(news)
        _add_identity_pool(news, cloud)

    def after_create(self, resource: Resource, cloud: View) -> None:
        _add_identity_pool(resource.inputs, cloud)
        if cloud.real_control_planes:
            cloud.kubernetes(resource.id)["control_plane"] = True

    # hashicorp/terraform-provider-google-beta, resource_container_cluster.go,
    # resourceContainerClusterCreate and resourceContainerClusterUpdate (93c65b2d60, 2026-08-21):
    # the pool is deleted by a call of its own, after the cluster's, and in an update only where
    # the state does not say that this was done.

    def after_cut_off(self, resource: Resource, cloud: View) -> None:
        if resource["removeDefaultNodePool"]:
            cloud.add_beside(_default_pool(resource), resource)

    def after_update(self, resource: Resource, olds: Inputs, cloud: View) -> None:
        if resource["removeDefaultNodePool"] and not olds.get("removeDefaultNodePool"):
            cloud.drop(_default_pool(resource))

    def outputs(self, inputs: Inputs, cloud: View, resource_id: str) -> dict[str, Any]:
        # A channel's default moves with the days, and may be older than what is used: here it is
        # the version before the lock's own, so that nothing stands on it unseen. The rapid channel
        # is ahead of the others (our own reading of how far: to the lock's).
        own = cloud.catalog.versions.gke.version
        rapid = (inputs.get("releaseChannel") or {}).get("channel") == "RAPID"
        default = own if rapid else GkeVersion(own.major, own.minor - 1)
        version = inputs.get("minMasterVersion") or default
        made = cloud.get(resource_id)
        authority = base64.b64encode(f"simulated CA of {resource_id}".encode()).decode()
        return {
            "selfLink": f"https://container.googleapis.com/v1/{resource_id}",
            "endpoint": _endpoint(resource_id, cloud) if made is None else made.outputs["endpoint"],
            "masterVersion": str(version),
            "masterAuth": {"clusterCaCertificate": authority},
            "effectiveLabels": dict(inputs.get("resourceLabels") or {}),
        }

    def release(self, resource: Resource, cloud: View) -> None:
        del cloud
        # The provider takes an absent value for protected, too.
        if resource["deletionProtection"] is not False:
            raise CloudError(
                "FAILED_PRECONDITION",
                f"cannot destroy cluster {resource['name']} without deletionProtection=false "
                "and running `pulumi up`",
            )

    def after_delete(self, resource: Resource, cloud: View) -> None:
        cloud.forget_kubernetes(resource.id)
        for token in ("gcp:container/nodePool:NodePool", _DEFAULT_POOL):
            for pool in list(cloud.find(token)):
                if pool.id.startswith(f"{resource.id}/"):
                    cloud.drop(pool)

    def slots(self, inputs: Inputs) -> str | None:
        return self.identify(inputs)

    def _check_ranges(self, inputs: Inputs, cloud: View) -> None:
        network = find_network(cloud, inputs.get("network") or "default")
        refuse_on_rdma(network, "clusters")
        subnet = next(
            (
                found
                for found in on_network(cloud, Subnetwork.token, network)
                if refers(inputs.get("subnetwork"), found)
            ),
            None,
        )
        if subnet is None:
            raise CloudError("NOT_FOUND", f'subnetwork "{inputs.get("subnetwork")}" was not found')
        have = dict(subnet_ranges(subnet.inputs))
        policy = inputs.get("ipAllocationPolicy") or {}
        for key in ("clusterSecondaryRangeName", "servicesSecondaryRangeName"):
            if policy.get(key) is not None and policy[key] not in have:
                raise CloudError(
                    "INVALID_ARGUMENT", f'{subnet.id} has no secondary range "{policy[key]}"'
                )
        block = (inputs.get("privateClusterConfig") or {}).get("masterIpv4CidrBlock")
        if block:
            for owner, cidr in ranges_of(cloud, network):
                if parse_cidr(block).overlaps(cidr):
                    raise CloudError(
                        "INVALID_ARGUMENT",
                        f"control plane range {block} overlaps with {cidr} of {owner}",
                    )


def _default_pool(cluster: Resource) -> Resource:
    return Resource(_DEFAULT_POOL, f"{cluster.id}/nodePools/default-pool", {}, {})


def as_read(cluster: Resource, cloud: View) -> dict[str, Any]:
    """The cluster as the API gives it back: with what GKE decides where nobody said it."""
    state = {**cluster.inputs, **cluster.outputs}
    project, network = cluster["project"], find_network(cloud, cluster["network"] or "default")
    subnets = on_network(cloud, Subnetwork.token, network)
    subnet = next(it for it in subnets if refers(cluster["subnetwork"], it))
    autopilot = bool(cluster["enableAutopilot"])
    addons = dict(cluster["addonsConfig"] or {})
    if autopilot:
        addons["gcsFuseCsiDriverConfig"] = {"enabled": True}
        state["workloadIdentityConfig"] = {"workloadPool": f"{project}.svc.id.goog"}
    datapath = "ADVANCED_DATAPATH" if autopilot else "LEGACY_DATAPATH"
    return {
        **state,
        "network": network.id,
        "subnetwork": subnet.id,
        "addonsConfig": addons,
        "datapathProvider": cluster["datapathProvider"] or datapath,
        "releaseChannel": cluster["releaseChannel"] or {"channel": "UNSPECIFIED"},
        "resourceLabels": state["effectiveLabels"],
        "networkingMode": "VPC_NATIVE",
    }


def _check_exclusions(inputs: Inputs) -> None:
    """The provider's text on maintenance exclusions (pulumi-gcp 10.2, Cluster)."""
    policy = inputs.get("maintenancePolicy") or {}
    for one in policy.get("maintenanceExclusions") or []:
        options = one.get("exclusionOptions") or {}
        open_ended = options.get("endTimeBehavior") is not None
        if open_ended == (one.get("endTime") is not None):
            raise CloudError(
                "INVALID_ARGUMENT",
                f"exclusion {one['exclusionName']} needs one of endTime and endTimeBehavior",
            )
        if open_ended and options.get("scope") in (None, "NO_UPGRADES"):
            raise CloudError(
                "INVALID_ARGUMENT",
                f"exclusion {one['exclusionName']} of NO_UPGRADES lasts for 90 days at most; "
                "nearest: NO_MINOR_OR_NODE_UPGRADES",
            )


def _check_groups(inputs: Inputs) -> None:
    """The one name that the group of all groups may have (GKE documentation, "Configure Google
    Groups for RBAC")."""
    group = (inputs.get("authenticatorGroupsConfig") or {}).get("securityGroup")
    if group is not None and not re.fullmatch(r"gke-security-groups@[\w.-]+", group):
        raise CloudError(
            "INVALID_ARGUMENT",
            f'security group "{group}" must be gke-security-groups@DOMAIN',
        )


def _check_mode(inputs: Inputs) -> None:
    """Refuse what an Autopilot cluster decides by itself, and multi-networking without Dataplane
    V2."""
    datapath = inputs.get("datapathProvider")
    if not inputs.get("enableAutopilot"):
        if inputs.get("enableMultiNetworking") and datapath != "ADVANCED_DATAPATH":
            raise CloudError(
                "INVALID_ARGUMENT",
                "enableMultiNetworking needs Dataplane V2; nearest: datapathProvider "
                "ADVANCED_DATAPATH",
            )
        return
    for name in NOT_IN_AUTOPILOT:
        if inputs.get(name) is not None:
            raise CloudError(
                "INVALID_ARGUMENT",
                f'"{name}": conflicts with enableAutopilot; nearest: leave {name} out',
            )
    if datapath == "LEGACY_DATAPATH":
        raise CloudError(
            "INVALID_ARGUMENT",
            "Autopilot clusters have Dataplane V2; nearest: datapathProvider ADVANCED_DATAPATH",
        )
    location = inputs["location"]
    if location.count("-") != 1:
        raise CloudError(
            "INVALID_ARGUMENT",
            f"Autopilot clusters must be regional clusters, and {location} is a zone; nearest: "
            f"{location.rpartition('-')[0]}",
        )


def _add_identity_pool(inputs: Inputs, cloud: View) -> None:
    """Autopilot always has Workload Identity."""
    has_pool = inputs.get("enableAutopilot") or inputs.get("workloadIdentityConfig")
    if has_pool and inputs["project"] not in cloud.identity_pools:
        cloud.identity_pools.append(inputs["project"])


def _endpoint(resource_id: str, cloud: View) -> str:
    """An address of the documentation range 203.0.113.0/24, so that it can never be anybody's, and
    that no other cluster has."""
    taken = {it.outputs["endpoint"] for it in cloud.find(Cluster.token)}
    first = int(digest(resource_id, length=2), 16)
    addresses = (f"203.0.113.{(first + at) % 254 + 1}" for at in range(254))
    return next(it for it in addresses if it not in taken)


def has_ray_addon(cluster: Resource) -> bool:
    configs = (cluster["addonsConfig"] or {}).get("rayOperatorConfigs") or []
    return any(one.get("enabled") for one in configs)
