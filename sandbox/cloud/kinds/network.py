"""VPC networks, subnets with their secondary ranges, Cloud Routers and Cloud NAT."""

from __future__ import annotations

from collections.abc import Iterator
from ipaddress import IPv4Network, IPv6Network, ip_network
from typing import Any

from kube.node_pools import additional_networks
from kube.people.networks import HOLDERS
from sandbox.cloud.default_networks import auto_subnets, default_network
from sandbox.cloud.kind import Kind, birth_digest, birth_time, check_name, digest, refuse_if_used
from sandbox.cloud.kinds.network_profile import check_profile, profile_zone, refuse_on_rdma
from sandbox.cloud.kinds.pools import HELD_NETWORKS, POOL, pool_region
from sandbox.cloud.resource import Inputs, Resource
from sandbox.cloud.view import View
from sandbox.errors import CloudError

# Valid MTU of a VPC network (VPC documentation, "Maximum transmission unit";
# hashicorp/terraform-provider-google-beta resource_compute_network.go:194, 93c65b2d).
MTU_RANGE = range(1300, 8897)
MIN_DYNAMIC_PORTS, MAX_PORTS = 32, 65536
REDIS = "gcp:redis/instance:Instance"
# Where a type does not call its network so.
_NETWORK_OF = {REDIS: "authorizedNetwork"}
COMPUTE_URL = "https://www.googleapis.com/compute/v1"


class Network(Kind):
    token = "gcp:compute/network:Network"
    api = "compute.googleapis.com"

    def admit(self, inputs: Inputs, cloud: View) -> None:
        check_name("network", inputs["name"])
        check_profile(inputs, cloud.catalog)
        mtu = inputs.get("mtu")
        if mtu is not None and mtu not in MTU_RANGE:
            raise CloudError("INVALID_ARGUMENT", f"mtu {mtu} is not from 1300 to 8896")

    def change(self, resource: Resource, news: Inputs, cloud: View) -> None:
        self.admit(news, cloud)

    def outputs(self, inputs: Inputs, cloud: View, resource_id: str) -> dict[str, Any]:
        return {
            "selfLink": f"{COMPUTE_URL}/{resource_id}",
            "networkId": str(int(birth_digest(cloud, resource_id, length=15), 16)),
            "numericId": str(int(birth_digest(cloud, resource_id, length=15), 16)),
            "gatewayIpv4": "",
        }

    def release(self, resource: Resource, cloud: View) -> None:
        refuse_if_used(resource.id, holders(resource, cloud))
        refuse_if_used(resource.id, _pools_attached_to(resource, cloud))
        # GoogleCloudPlatform/ai-on-gke issue 550.
        if resource.id in cloud.abandoned_peerings:
            raise CloudError(
                "RESOURCE_IN_USE",
                f"{resource.id} is already being used by peering servicenetworking-googleapis-com",
            )

    def after_delete(self, resource: Resource, cloud: View) -> None:
        if resource.id in cloud.producers:
            cloud.producers.remove(resource.id)


def holders(network: Resource, cloud: View) -> Iterator[Resource]:
    """What is in it, and has to go first."""
    for token in HOLDERS:
        yield from on_network(cloud, token, network)


class Subnetwork(Kind):
    token = "gcp:compute/subnetwork:Subnetwork"
    api = "compute.googleapis.com"

    def admit(self, inputs: Inputs, cloud: View) -> None:
        check_name("subnetwork", inputs["name"])
        network = find_network(cloud, inputs["network"], inputs.get("project"))
        # hashicorp/terraform-provider-google-beta resource_compute_subnetwork.go:598-608 and :807,
        # 93c65b2d; what overlaps, below, too.
        if not inputs.get("ipCidrRange"):
            raise CloudError("INVALID_ARGUMENT", "ipCidrRange is missing")
        self._check_profile(inputs, network, cloud)
        taken = list(ranges_of(cloud, network))
        for name, cidr in subnet_ranges(inputs):
            for owner, other in taken:
                if cidr.overlaps(other):
                    raise CloudError(
                        "INVALID_ARGUMENT", f"range {name} {cidr} overlaps with {other} of {owner}"
                    )
            taken.append((f"{inputs['name']}/{name}", cidr))

    def replaced_by(self, olds: Inputs, news: Inputs) -> frozenset[str]:
        """hashicorp/terraform-provider-google-beta resource_compute_subnetwork.go:63,
        IsShrinkageIpCidr, 93c65b2d; `change` refuses the same."""
        old, new = olds.get("ipCidrRange"), news.get("ipCidrRange")
        if not (isinstance(old, str) and isinstance(new, str)):
            return frozenset()
        grows = parse_cidr(old).subnet_of(parse_cidr(new))
        return frozenset() if grows else frozenset({"ipCidrRange"})

    def change(self, resource: Resource, news: Inputs, cloud: View) -> None:
        before, after = dict(subnet_ranges(resource.inputs)), dict(subnet_ranges(news))
        if not before["primary"].subnet_of(after["primary"]):
            raise CloudError("INVALID_ARGUMENT", "a subnet's primary range can only grow")
        self._check_profile(news, find_network(cloud, news["network"], news.get("project")), cloud)
        if any(before[name] != after.get(name) for name in before if name != "primary"):
            self.release(resource, cloud)

    def unasked(self, inputs: Inputs, cloud: View) -> dict[str, Any]:
        """What GKE notes in the ranges of a cluster; what its name is like is our own reading."""
        own = self.identify(inputs)
        clusters = cloud.find("gcp:container/cluster:Cluster")
        if not any(str(it.inputs.get("subnetwork")).endswith(own) for it in clusters):
            return {}
        ranges = inputs.get("secondaryIpRanges") or []
        noted = f"projects/{inputs['project']}/locations/global/internalRanges/gke-"
        return {
            "secondaryIpRanges": [
                {"reservedInternalRange": f"{noted}{it['rangeName']}", **it} for it in ranges
            ]
        }

    def outputs(self, inputs: Inputs, cloud: View, resource_id: str) -> dict[str, Any]:
        cidr = parse_cidr(inputs["ipCidrRange"])
        return {
            "selfLink": f"{COMPUTE_URL}/{resource_id}",
            "gatewayAddress": str(cidr[1]),
            "subnetworkId": int(birth_digest(cloud, resource_id), 16),
            "creationTimestamp": birth_time(cloud, resource_id),
            "fingerprint": digest(resource_id, "fingerprint"),
        }

    def release(self, resource: Resource, cloud: View) -> None:
        users = (
            cluster
            for cluster in cloud.find("gcp:container/cluster:Cluster")
            if refers(cluster["subnetwork"], resource, cluster["project"])
        )
        refuse_if_used(resource.id, users)
        pools = (
            pool
            for pool in cloud.find(POOL)
            if any(
                refers_to_subnet(reference, resource, pool_region(pool.id))
                for _, reference in additional_networks(pool.inputs)
            )
        )
        refuse_if_used(resource.id, pools)
        refuse_if_used(resource.id, _autopilot_clusters_in(resource, cloud))

    def _check_profile(self, inputs: Inputs, network: Resource, cloud: View) -> None:
        zone = profile_zone(network)
        if zone is None:
            return
        if inputs.get("secondaryIpRanges"):
            refuse_on_rdma(network, "secondary ranges")
        region = cloud.catalog.region_of(zone)
        # VPC documentation, "RDMA network profiles", Specifications, read 2026-11-23.
        if inputs["region"] != region:
            raise CloudError(
                "INVALID_ARGUMENT",
                f"network {network.id} is constrained to zone {zone}, which is not in "
                f"{inputs['region']}; nearest: {region}",
            )


class Router(Kind):
    token = "gcp:compute/router:Router"
    api = "compute.googleapis.com"

    def admit(self, inputs: Inputs, cloud: View) -> None:
        check_name("router", inputs["name"])
        refuse_on_rdma(
            find_network(cloud, inputs["network"], inputs.get("project")), "Cloud Router"
        )

    def outputs(self, inputs: Inputs, cloud: View, resource_id: str) -> dict[str, Any]:
        return {"selfLink": f"{COMPUTE_URL}/{resource_id}"}

    def release(self, resource: Resource, cloud: View) -> None:
        own = tuple(resource[key] for key in ("project", "region", "name"))
        users = (
            nat
            for nat in cloud.find(RouterNat.token)
            if tuple(nat[key] for key in ("project", "region", "router")) == own
        )
        refuse_if_used(resource.id, users)


class RouterNat(Kind):
    token = "gcp:compute/routerNat:RouterNat"
    api = "compute.googleapis.com"

    def admit(self, inputs: Inputs, cloud: View) -> None:
        _check_ports(inputs)
        routers = (
            router
            for router in cloud.find(Router.token)
            if tuple(router[key] for key in ("project", "region", "name"))
            == tuple(inputs.get(key) for key in ("project", "region", "router"))
        )
        # hashicorp/terraform-provider-google issue 5860.
        if next(routers, None) is None:
            raise CloudError("NOT_FOUND", f'router "{inputs["router"]}" was not found')

    def change(self, resource: Resource, news: Inputs, cloud: View) -> None:
        del resource
        self.admit(news, cloud)


def _check_ports(inputs: Inputs) -> None:
    """The provider's text on enableDynamicPortAllocation (pulumi-gcp 10.2, RouterNat;
    hashicorp/terraform-provider-google-beta resource_compute_router_nat.go:355-362 and :428-438,
    93c65b2d)."""
    dynamic = bool(inputs.get("enableDynamicPortAllocation"))
    low, high = inputs.get("minPortsPerVm"), inputs.get("maxPortsPerVm")
    if dynamic and inputs.get("enableEndpointIndependentMapping"):
        raise CloudError(
            "INVALID_ARGUMENT",
            "dynamic port allocation excludes endpoint-independent mapping; nearest: "
            "enableEndpointIndependentMapping false",
        )
    if high is not None and not dynamic:
        raise CloudError(
            "INVALID_ARGUMENT", "maxPortsPerVm needs enableDynamicPortAllocation; nearest: true"
        )
    least = MIN_DYNAMIC_PORTS if low is None else low
    if dynamic and (least < MIN_DYNAMIC_PORTS or not _power_of_two(least)):
        raise CloudError("INVALID_ARGUMENT", f"minPortsPerVm {low} is no power of two from 32 on")
    if high is not None and not (least < high <= MAX_PORTS and _power_of_two(high)):
        raise CloudError(
            "INVALID_ARGUMENT",
            f"maxPortsPerVm {high} is no power of two above {least} and up to {MAX_PORTS}",
        )


def _power_of_two(number: int) -> bool:
    return int(number).bit_count() == 1


def parse_range(text: str) -> IPv4Network | IPv6Network:
    try:
        return ip_network(text)
    except ValueError as error:
        raise CloudError("INVALID_ARGUMENT", f"{text}: {error}") from None


def parse_cidr(text: str) -> IPv4Network:
    network = parse_range(text)
    if not isinstance(network, IPv4Network):
        raise CloudError("INVALID_ARGUMENT", f"{text} is not an IPv4 range")
    return network


def find_network(cloud: View, reference: str, project: str | None = None) -> Resource:
    """`project` is of what refers to it: a name by itself is one there."""
    own = default_network(reference, project) if cloud.has_defaults else None
    if own is not None:
        return cloud.get(own.id) or own
    return cloud.require(Network.token, reference, "network", project)


def refers(reference: str | None, resource: Resource, project: str | None = None) -> bool:
    """Whether an input names the resource by id, self link or name; a name is one of `project`, if
    that is known."""
    if reference in (resource.id, resource.outputs.get("selfLink")):
        return True
    return reference == resource["name"] and project in (None, resource["project"])


def refers_to_subnet(reference: str, subnet: Resource, region: str) -> bool:
    """As `refers`; a bare name is one of the region, for subnets elsewhere can have it, too."""
    if reference == subnet["name"]:
        return subnet["region"] == region
    return refers(reference, subnet)


def on_network(cloud: View, token: str, network: Resource) -> Iterator[Resource]:
    name = _NETWORK_OF.get(token, "network")
    found = cloud.find(token)
    return (it for it in found if refers(it[name], network, it["project"]))


def subnets_of(cloud: View, network: Resource) -> Iterator[Resource]:
    """Those that somebody made, and those that come with the network."""
    yield from on_network(cloud, Subnetwork.token, network)
    if cloud.has_defaults:
        yield from auto_subnets(network)


def subnet_ranges(inputs: Inputs) -> Iterator[tuple[str, IPv4Network]]:
    yield "primary", parse_cidr(inputs["ipCidrRange"])
    for secondary in inputs.get("secondaryIpRanges") or []:
        yield secondary["rangeName"], parse_cidr(secondary["ipCidrRange"])


def _pools_attached_to(network: Resource, cloud: View) -> Iterator[Resource]:
    return (
        pool
        for pool in cloud.find(POOL)
        if any(refers(reference, network) for reference, _ in additional_networks(pool.inputs))
    )


def _autopilot_clusters_in(subnet: Resource, cloud: View) -> Iterator[Resource]:
    """Clusters whose own nodes may still have interfaces in the subnet."""
    for cluster in cloud.find("gcp:container/cluster:Cluster"):
        held: list[list[str]] = cloud.kubernetes(cluster.id).get(HELD_NETWORKS, [])
        region = pool_region(f"{cluster.id}/nodePools/auto")
        if any(refers_to_subnet(reference, subnet, region) for _, reference in held):
            yield cluster


def ranges_of(cloud: View, network: Resource) -> Iterator[tuple[str, IPv4Network]]:
    """Every range that the network has given away: subnets, their secondaries, peering addresses,
    and what is peered with it by itself."""
    for subnet in subnets_of(cloud, network):
        for name, cidr in subnet_ranges(subnet.inputs):
            yield f"{subnet['name']}/{name}", cidr
    for address in on_network(cloud, "gcp:compute/globalAddress:GlobalAddress", network):
        yield address["name"], parse_cidr(f"{address.outputs['address']}/{address['prefixLength']}")
    for cluster in on_network(cloud, "gcp:container/cluster:Cluster", network):
        block = (cluster["privateClusterConfig"] or {}).get("masterIpv4CidrBlock")
        if block:
            yield f"{cluster['name']}/control plane", parse_cidr(block)
    for redis in on_network(cloud, REDIS, network):
        if redis["connectMode"] != "PRIVATE_SERVICE_ACCESS":
            yield redis["name"], parse_cidr(redis.outputs["effectiveReservedIpRange"])
