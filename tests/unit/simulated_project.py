"""A simulated project with short ways to make things in it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from catalog import Catalog
from sandbox.cloud.reservations import Reservations
from sandbox.cloud.resource import Resource
from sandbox.cloud_store import cloud_at
from sandbox.faults import Faults

P = "p1"
SERVICE = "gcp:projects/service:Service"
NETWORK = "gcp:compute/network:Network"
SUBNET = "gcp:compute/subnetwork:Subnetwork"
ADDRESS = "gcp:compute/globalAddress:GlobalAddress"
CONNECTION = "gcp:servicenetworking/connection:Connection"
LUSTRE = "gcp:lustre/instance:Instance"
REDIS = "gcp:redis/instance:Instance"
CLUSTER = "gcp:container/cluster:Cluster"
POOL = "gcp:container/nodePool:NodePool"
ACCOUNT = "gcp:serviceaccount/account:Account"
MEMBER = "gcp:projects/iAMMember:IAMMember"
FIREWALL = "gcp:compute/firewall:Firewall"
ROUTER = "gcp:compute/router:Router"
NAT = "gcp:compute/routerNat:RouterNat"
BUCKET = "gcp:storage/bucket:Bucket"
REPOSITORY = "gcp:artifactregistry/repository:Repository"
DISK_IMAGE = "gcp:compute/image:Image"
BUCKET_MEMBER = "gcp:storage/bucketIAMMember:BucketIAMMember"
WITHOUT_PROJECT = (CONNECTION, BUCKET_MEMBER)
APIS = (
    "compute",
    "container",
    "lustre",
    "redis",
    "servicenetworking",
    "iam",
    "cloudresourcemanager",
    "monitoring",
)


class Project:
    """A simulated project with short ways to make things in it."""

    def __init__(
        self, path: Path, faults: Faults | None = None, reservations: Reservations | None = None
    ) -> None:
        self.file = path / "cloud.json"
        self.cloud = cloud_at(self.file, Catalog.load(), faults, reservations)

    def make(self, token: str, **inputs: Any) -> Resource:
        wanted = {"project": P, **inputs} if token not in WITHOUT_PROJECT else inputs
        begun = self.cloud.begin_create(token, wanted, f"urn:pulumi:s::p::{token}::x")
        return self.cloud.finish_create(begun)

    def enable(self, *names: str) -> None:
        for name in names:
            self.make(SERVICE, service=f"{name}.googleapis.com", disableOnDestroy=False)

    def network(self, **inputs: Any) -> Resource:
        return self.make(NETWORK, **{"name": "net", "mtu": 8896, **inputs})

    def roce_network(self, **inputs: Any) -> Resource:
        wanted = {
            "name": "rdma",
            "networkProfile": f"projects/{P}/global/networkProfiles/us-east1-b-vpc-roce",
            "autoCreateSubnetworks": False,
        }
        return self.network(**{**wanted, **inputs})

    def plain_subnet(self, network: Resource, name: str, cidr: str, **inputs: Any) -> Resource:
        """A subnet without secondary ranges, for an additional interface."""
        return self.subnet(network, name=name, ipCidrRange=cidr, secondaryIpRanges=[], **inputs)

    def subnet(self, network: Resource, **inputs: Any) -> Resource:
        wanted = {
            "name": "nodes",
            "region": "us-east1",
            "network": network.id,
            "ipCidrRange": "10.0.0.0/20",
            "secondaryIpRanges": [{"rangeName": "pods", "ipCidrRange": "10.4.0.0/14"}],
        }
        return self.make(SUBNET, **{**wanted, **inputs})

    def peer(self, network: Resource, *, prefix_length: int = 22, **inputs: Any) -> Resource:
        self.make(
            ADDRESS,
            name="services",
            network=network.id,
            purpose="VPC_PEERING",
            address="10.10.0.0",
            prefixLength=prefix_length,
        )
        service = "servicenetworking.googleapis.com"
        wanted = {"network": network.id, "service": service, "reservedPeeringRanges": ["services"]}
        return self.make(CONNECTION, **{**wanted, **inputs})

    def lustre(self, network: Resource, **inputs: Any) -> Resource:
        wanted = {
            "instanceId": "fast",
            "location": "us-east1-b",
            "network": network.id,
            "capacityGib": "9000",
            "perUnitStorageThroughput": "1000",
            "filesystem": "lustre",
        }
        return self.make(LUSTRE, **{**wanted, **inputs})

    def redis(self, network: Resource, **inputs: Any) -> Resource:
        wanted = {
            "name": "ray-state",
            "region": "us-east1",
            "locationId": "us-east1-b",
            "authorizedNetwork": network.id,
            "connectMode": "DIRECT_PEERING",
            "tier": "STANDARD_HA",
            "memorySizeGb": 5,
            "redisVersion": "REDIS_7_2",
            "authEnabled": True,
        }
        return self.make(REDIS, **{**wanted, **inputs})

    def cluster(self, network: Resource, subnet: Resource, **inputs: Any) -> Resource:
        wanted = {
            "name": "c",
            "location": "us-east1",
            "nodeLocations": ["us-east1-b"],
            "network": network.id,
            "subnetwork": subnet.id,
            "ipAllocationPolicy": {"clusterSecondaryRangeName": "pods"},
            "addonsConfig": {"rayOperatorConfigs": [{"enabled": True}]},
            "deletionProtection": False,
        }
        return self.make(CLUSTER, **{**wanted, **inputs})

    def pool(self, cluster: Resource, machine: str, **inputs: Any) -> Resource:
        wanted = {
            "name": "pool",
            "cluster": cluster.id,
            "initialNodeCount": 1,
            "nodeConfig": {"machineType": machine},
        }
        return self.make(POOL, **{**wanted, **inputs})

    def delete(self, resource: Resource) -> None:
        self.cloud.check_delete(resource)
        self.cloud.finish_delete(resource)
