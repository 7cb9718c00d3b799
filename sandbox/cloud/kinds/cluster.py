"""GKE clusters."""

from __future__ import annotations

import base64
import re
from collections.abc import Iterator
from typing import Any

from catalog import FactError, GkeVersion
from components.base.cidr import is_reserved
from sandbox.cloud.default_networks import auto_subnets
from sandbox.cloud.kind import Kind, birth_digest, check_name, digest
from sandbox.cloud.kinds.network import (
    find_network,
    parse_cidr,
    ranges_of,
    refers,
    subnet_ranges,
    subnets_of,
)
from sandbox.cloud.kinds.network_profile import refuse_on_rdma
from sandbox.cloud.kinds.pools import POOL, machine_of, pool_zones
from sandbox.cloud.resource import Inputs, Resource
from sandbox.cloud.view import View
from sandbox.errors import CloudError, HalfMadeError

# hashicorp/terraform-provider-google-beta resource_container_cluster.go, ConflictsWith,
# 93c65b2d; nodeConfig: hashicorp/terraform-provider-google issue 8863.
NOT_IN_AUTOPILOT = (
    "defaultMaxPodsPerNode",
    "enableIntranodeVisibility",
    "enableShieldedNodes",
    "networkPolicy",
    "nodeConfig",
    "nodePools",
    "removeDefaultNodePool",
)


# What GKE begins a cluster with, where the provider did not get to take it away again. No resource
# of a stack is one. Its nodes are not simulated: nothing here would run on them.
# Where the private address of a cluster is that has no range for it.
_NO_BLOCK = "10.128.0.0/28"
_FIRST_MACHINE = "e2-medium"
_DEFAULT_POOL = "the pool that GKE began a cluster with"


class Cluster(Kind):
    token = "gcp:container/cluster:Cluster"
    api = "container.googleapis.com"
    made_up = (
        "controlPlaneEndpointsConfig.dnsEndpointConfig.endpoint",
        "privateClusterConfig.privateEndpoint",
        "privateClusterConfig.publicEndpoint",
    )

    def admit(self, inputs: Inputs, cloud: View) -> None:
        check_name("cluster", inputs["name"], 40)
        self._check_ranges(inputs, cloud)
        _check_mode(inputs)
        _check_own_pools(Resource(self.token, "", dict(inputs), {}), cloud)
        _check_exclusions(inputs)
        _check_groups(inputs)
        _check_endpoints(inputs)
        _check_binary_authorization(inputs, cloud)
        pool = (inputs.get("workloadIdentityConfig") or {}).get("workloadPool")
        # jetstack/terraform-google-gke-cluster pull request 69.
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
            # GKE documentation, "Creating a regional cluster", read 2026-11-23.
            if inputs["location"] not in (region, zone):
                raise CloudError("INVALID_ARGUMENT", f"node location {zone} is not in {region}")

    def change(self, resource: Resource, news: Inputs, cloud: View) -> None:
        _check_version(resource, news)
        _check_mode(news)
        _check_exclusions(news)
        _check_endpoints(news)
        _check_binary_authorization(news, cloud)
        # An update to none, "", turns the feature off (resource_container_cluster.go,
        # expandContainerClusterAuthenticatorGroupsConfig, as above).
        if news.get("authenticatorGroupsConfig") != {"securityGroup": ""}:
            _check_groups(news)
        _add_identity_pool(news, cloud)

    def after_create(self, resource: Resource, cloud: View) -> None:
        _add_identity_pool(resource.inputs, cloud)
        if (rule := cloud.faults.degraded(resource["name"])) is not None:
            cloud.degraded[resource.id] = rule.state
        if cloud.real_control_planes:
            cloud.kubernetes(resource.id)["control_plane"] = True

    # hashicorp/terraform-provider-google-beta resource_container_cluster.go,
    # resourceContainerClusterCreate, :3644 and :5962 (93c65b2d60, 2026-08-21): after an operation
    # that failed the provider keeps the cluster's id and reads nothing, and the pool that GKE began
    # the cluster with stays; one that is made and degraded is read, and then fails.

    def half_made(self, resource: Resource, cloud: View) -> HalfMadeError | None:
        if (state := cloud.degraded.get(resource.id)) is None:
            return None
        rule = cloud.faults.degraded(resource["name"])
        if rule is None or not rule.message:
            message = f'Cluster {resource["name"]} was created in the error state "{state}"'
            return HalfMadeError(resource.id, message, read=True)
        message = f"Error waiting for creating GKE cluster: {rule.message}"
        return HalfMadeError(resource.id, message, read=False)

    def create_minutes(self, inputs: Inputs, cloud: View) -> float | None:
        rule = cloud.faults.degraded(inputs["name"])
        return rule.minutes if rule is not None and rule.minutes else None

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
        made = cloud.get(resource_id)
        version = _master_version(inputs.get("minMasterVersion"), made, default)
        authority = base64.b64encode(
            f"simulated CA of {resource_id}, {cloud.births(resource_id)}".encode()
        ).decode()
        return {
            "selfLink": f"https://container.googleapis.com/v1/{resource_id}",
            **_answers(inputs, cloud, resource_id, made),
            "masterVersion": str(version),
            # The one that kubeconfigs have stays, whatever sandbox made it.
            "masterAuth": made.outputs["masterAuth"]
            if made
            else {"clusterCaCertificate": authority},
            "effectiveLabels": dict(inputs.get("resourceLabels") or {}),
        }

    def release(self, resource: Resource, cloud: View) -> None:
        del cloud
        # hashicorp/terraform-provider-google-beta resource_container_cluster.go, 93c65b2d, which
        # takes an absent value for protected, too.
        if resource["deletionProtection"] is not False:
            raise CloudError(
                "FAILED_PRECONDITION",
                f"cannot destroy cluster {resource['name']} without deletionProtection=false "
                "and running `pulumi up`",
            )

    def after_delete(self, resource: Resource, cloud: View) -> None:
        cloud.forget_kubernetes(resource.id)
        cloud.degraded.pop(resource.id, None)
        for token in ("gcp:container/nodePool:NodePool", _DEFAULT_POOL):
            for pool in list(cloud.find(token)):
                if pool.id.startswith(f"{resource.id}/"):
                    cloud.drop(pool)
                    cloud.short.pop(pool.id, None)

    def slots(self, inputs: Inputs) -> str | None:
        return self.identify(inputs)

    def _check_ranges(self, inputs: Inputs, cloud: View) -> None:
        network = find_network(cloud, inputs.get("network") or "default", inputs.get("project"))
        refuse_on_rdma(network, "clusters")
        subnet = _subnet(inputs, network, cloud)
        # hashicorp/terraform-provider-google issue 7895.
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
            # hashicorp/terraform-provider-google-beta resource_container_cluster.go:2349, 93c65b2d.
            for owner, cidr in ranges_of(cloud, network):
                if parse_cidr(block).overlaps(cidr):
                    raise CloudError(
                        "INVALID_ARGUMENT",
                        f"control plane range {block} overlaps with {cidr} of {owner}",
                    )


def _subnet(inputs: Inputs, network: Resource, cloud: View) -> Resource | None:
    """The one that the inputs name, else that of a network in auto mode in the region."""
    wanted, project = inputs.get("subnetwork"), inputs.get("project")
    region = "-".join(str(inputs["location"]).split("-")[:2])
    if wanted is None and cloud.has_defaults:
        return next((it for it in auto_subnets(network) if it["region"] == region), None)
    return next((it for it in subnets_of(cloud, network) if refers(wanted, it, project)), None)


def unrecorded_pools(cluster: Resource, cloud: View) -> Iterator[Resource]:
    """The pools that come with a cluster: those of its `nodePools`, else GKE's own, by default of
    e2-medium machines (resource_container_cluster.go, node_pool and initial_node_count, as above).
    """
    if not cloud.has_defaults or cluster["enableAutopilot"] or cluster["removeDefaultNodePool"]:
        return
    first = {key: cluster[key] for key in ("initialNodeCount", "nodeConfig")}
    place = {"cluster": cluster.id, "project": cluster["project"], "location": cluster["location"]}
    zones = len(pool_zones({}, cluster, cloud))
    for pool in cluster["nodePools"] or [{"name": "default-pool", **first}]:
        counts = {key: pool.get(key) for key in ("initialNodeCount", "nodeCount")}
        # They are of each zone.
        nodes = {key: int(it) * zones for key, it in counts.items() if it}
        config = {"nodeConfig": {"machineType": _FIRST_MACHINE, **(pool.get("nodeConfig") or {})}}
        pool_id = f"{cluster.id}/nodePools/{pool['name']}"
        yield Resource(POOL, pool_id, {**pool, **place, **config, **nodes}, {})


def _check_own_pools(cluster: Resource, cloud: View) -> None:
    try:
        for pool in unrecorded_pools(cluster, cloud):
            machine_of(pool.inputs, cloud)
    except FactError as error:
        raise CloudError("INVALID_ARGUMENT", str(error)) from None


def left_pools(cluster: Resource, cloud: View) -> dict[str, str]:
    """By its name what stayed of the pool that GKE began the cluster with: no stack has it on
    record, and each of its nodes is paid for."""
    pool = _default_pool(cluster)
    if cloud.get(pool.id) is None:
        return {}
    return {pool.id.rpartition("/")[2]: f"{_DEFAULT_POOL}: on no record, and paid for"}


def _default_pool(cluster: Resource) -> Resource:
    return Resource(_DEFAULT_POOL, f"{cluster.id}/nodePools/default-pool", {}, {})


def as_read(cluster: Resource, cloud: View) -> dict[str, Any]:
    """The cluster as the API gives it back: with what GKE decides where nobody said it."""
    state = {**cluster.inputs, **cluster.outputs}
    project = cluster["project"]
    network = find_network(cloud, cluster["network"] or "default", project)
    subnet = _subnet(cluster.inputs, network, cloud)
    assert subnet is not None, "a cluster has one"
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


def _master_version(minimum: str | None, made: Resource | None, default: GkeVersion) -> str:
    """A minimum that is no newer than what runs changes nothing (resource_container_cluster.go,
    line 4916, as above)."""
    if made is None:
        return str(minimum or default)
    running = made.outputs["masterVersion"]
    newer = minimum is not None and GkeVersion.parse(running) < GkeVersion.parse(minimum)
    return str(minimum) if newer else running


def _check_version(cluster: Resource, news: Inputs) -> None:
    """Refuse to skip a minor version (nebari-dev/nebari-docs
    docs/docs/how-tos/upgrade-kubernetes-version.md, f194b10a, has GKE's words)."""
    minimum = news.get("minMasterVersion")
    if minimum is None:
        return
    running, wanted = (GkeVersion.parse(it) for it in (cluster.outputs["masterVersion"], minimum))
    if (wanted.major, wanted.minor) > (running.major, running.minor + 1):
        raise CloudError(
            "INVALID_ARGUMENT",
            f'Master cannot be upgraded to "{minimum}": cannot upgrade the master more than a '
            "minor version at a time.",
        )


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
    Groups for RBAC"; hashicorp/terraform-provider-google-beta resource_container_cluster.go:1226,
    93c65b2d)."""
    group = (inputs.get("authenticatorGroupsConfig") or {}).get("securityGroup")
    if group is not None and not re.fullmatch(r"gke-security-groups@[\w.-]+", group):
        raise CloudError(
            "INVALID_ARGUMENT",
            f'security group "{group}" must be gke-security-groups@DOMAIN',
        )


def _check_binary_authorization(inputs: Inputs, cloud: View) -> None:
    """Asking the project's policy takes the API that has it (Binary Authorization documentation,
    "Enable Binary Authorization for GKE", section "Before you begin")."""
    mode = (inputs.get("binaryAuthorization") or {}).get("evaluationMode")
    api = "binaryauthorization.googleapis.com"
    if mode in (None, "", "DISABLED") or cloud.api_is_on(inputs["project"], api):
        return
    raise CloudError(
        "FAILED_PRECONDITION",
        f"{api} is not enabled in project {inputs['project']}; enable it first",
    )


def _check_mode(inputs: Inputs) -> None:
    """Refuse what an Autopilot cluster decides by itself, and multi-networking without Dataplane
    V2."""
    datapath = inputs.get("datapathProvider")
    if not inputs.get("enableAutopilot"):
        # GKE documentation, "Set up multi-network support for Pods", Requirements, read 2026-11-23.
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
    # GoogleCloudPlatform/ai-on-gke issue 628.
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


def _has_address(inputs: Inputs) -> bool:
    config = (inputs.get("controlPlaneEndpointsConfig") or {}).get("ipEndpointsConfig") or {}
    return config.get("enabled") is not False


def _is_dns_open(inputs: Inputs) -> bool:
    config = inputs.get("controlPlaneEndpointsConfig") or {}
    return bool((config.get("dnsEndpointConfig") or {}).get("allowExternalTraffic"))


def _check_endpoints(inputs: Inputs) -> None:
    """What a private address takes (GoogleCloudPlatform/magic-modules pull request 8338,
    terraform-google-modules/terraform-google-kubernetes-engine issue 153,
    GoogleCloudPlatform/k8s-config-connector mockgcp/mockcontainer/cluster.go). By a name alone
    nothing of it is sent (resource_container_cluster.go:7116, expandControlPlaneEndpointsConfig, as
    above)."""
    private = (inputs.get("privateClusterConfig") or {}).get("enablePrivateEndpoint")
    if not private or not _has_address(inputs):
        return
    networks = inputs.get("masterAuthorizedNetworksConfig")
    if networks is None:
        raise CloudError(
            "INVALID_ARGUMENT",
            "Master authorized networks must be enabled if private endpoint is enabled.",
        )
    if networks.get("gcpPublicCidrsAccessEnabled"):
        raise CloudError(
            "INVALID_ARGUMENT",
            "'masterAuthorizedNetworksConfig.gcpPublicCidrsAccessEnabled' cannot be true if "
            "private endpoint is enabled",
        )
    for one in networks.get("cidrBlocks") or []:
        if not is_reserved(one["cidrBlock"]):
            raise CloudError(
                "INVALID_ARGUMENT",
                f'Invalid master authorized networks: network "{one["cidrBlock"]}" is not a '
                "reserved network, which is required for private endpoints.",
            )


def _answers(
    inputs: Inputs, cloud: View, resource_id: str, made: Resource | None
) -> dict[str, Any]:
    """Where the control plane answers: always by a name, which says what cluster it is of, and at
    addresses unless they are off, when the API shows none and calls the cluster private
    (GoogleCloudPlatform/k8s-config-connector mockgcp/mockcontainer/cluster.go, read 2026-11-27;
    resource_container_cluster.go:9107; hashicorp/terraform-provider-google issue 27901). What
    `endpoint` is then nobody says: here it is empty."""
    number = cloud.project_number(inputs["project"])
    name = f"gke-{birth_digest(cloud, resource_id, 36)}-{number}.{inputs['location']}.gke.goog"
    has_address, sent = _has_address(inputs), inputs.get("privateClusterConfig") or {}
    is_public = has_address and not sent.get("enablePrivateEndpoint")
    public = _public_address(resource_id, cloud, made)
    block = sent.get("masterIpv4CidrBlock") or _NO_BLOCK
    private = str(parse_cidr(block)[2]) if has_address else ""
    return {
        "endpoint": public if is_public else private,
        "controlPlaneEndpointsConfig": {
            "dnsEndpointConfig": {"endpoint": name, "allowExternalTraffic": _is_dns_open(inputs)},
            "ipEndpointsConfig": {"enabled": has_address},
        },
        "privateClusterConfig": {
            **sent,
            "enablePrivateEndpoint": not is_public,
            "privateEndpoint": private,
            # An address that is off is kept for when it is on again.
            "publicEndpoint": public,
        },
    }


def hosts_of(cluster: Resource) -> tuple[str, ...]:
    """Where its control plane answers. Whether who asks is in the VPC network is not simulated."""
    config, private = (
        cluster.outputs[it] for it in ("controlPlaneEndpointsConfig", "privateClusterConfig")
    )
    dns = config["dnsEndpointConfig"]
    public = () if private["enablePrivateEndpoint"] else (private["publicEndpoint"],)
    addresses = public or (private["privateEndpoint"],)
    return (
        *([it for it in addresses if it] if config["ipEndpointsConfig"]["enabled"] else []),
        *([dns["endpoint"]] if dns["allowExternalTraffic"] else []),
    )


def is_named(cluster: Resource, kubeconfig: str) -> bool:
    """Whether a kubeconfig, in whatever text a state has it, is of this cluster, wherever it
    answers by now: private addresses of several may be the same."""
    name = cluster.outputs["controlPlaneEndpointsConfig"]["dnsEndpointConfig"]["endpoint"]
    address = f"https://{cluster.outputs['privateClusterConfig']['publicEndpoint']}"
    authority = cluster.outputs["masterAuth"]["clusterCaCertificate"]
    ends = ('"', "\\")
    return any(it in kubeconfig for it in (name, authority, *(address + end for end in ends)))


def _public_address(resource_id: str, cloud: View, made: Resource | None) -> str:
    """An address of the documentation range 203.0.113.0/24, so that it can never be anybody's, and
    that no other cluster has."""
    if made is not None:
        return _public_of(made)
    taken = set(map(_public_of, cloud.find(Cluster.token)))
    first = int(digest(resource_id, length=2), 16)
    addresses = (f"203.0.113.{(first + at) % 254 + 1}" for at in range(254))
    return next(it for it in addresses if it not in taken)


def _public_of(cluster: Resource) -> str:
    """Earlier sandboxes knew clusters by this address alone."""
    private = cluster.outputs.get("privateClusterConfig") or {}
    return private.get("publicEndpoint") or cluster.outputs["endpoint"]


def has_ray_addon(cluster: Resource) -> bool:
    configs = (cluster["addonsConfig"] or {}).get("rayOperatorConfigs") or []
    return any(one.get("enabled") for one in configs)
