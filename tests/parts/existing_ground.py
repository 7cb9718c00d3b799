"""Resources that no stack made, as a sandbox's project takes them under `existing`."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

OWNER = {"team": "platform"}


def existing(token: str, project: str, **inputs: Any) -> dict[str, Any]:
    return {"type": f"gcp:{token}", "inputs": {"project": project, **inputs}}


@dataclass(frozen=True, kw_only=True)
class ExistingVpc:
    """A network with jumbo frames and one subnet, whose nodes reach the internet.

    `nodes`, `pods` and `services` are CIDRs of the subnet, the last two under those names;
    `peering` is the CIDR of private service access, if the network has it, and `peering_name` that
    of its range.
    """

    project: str
    region: str
    name: str
    subnetwork: str
    nodes: str
    pods_range: str
    pods: str
    services_range: str
    services: str
    peering: str | None = None
    peering_name: str = "peering"

    @property
    def id(self) -> str:
        return f"projects/{self.project}/global/networks/{self.name}"

    @property
    def subnetwork_id(self) -> str:
        return f"projects/{self.project}/regions/{self.region}/subnetworks/{self.subnetwork}"

    def resources(self) -> Iterator[dict[str, Any]]:
        yield existing(
            "compute/network:Network",
            self.project,
            name=self.name,
            autoCreateSubnetworks=False,
            mtu=8896,
        )
        yield existing(
            "compute/subnetwork:Subnetwork",
            self.project,
            name=self.subnetwork,
            region=self.region,
            network=self.id,
            ipCidrRange=self.nodes,
            privateIpGoogleAccess=True,
            secondaryIpRanges=[
                {"rangeName": self.pods_range, "ipCidrRange": self.pods},
                {"rangeName": self.services_range, "ipCidrRange": self.services},
            ],
        )
        yield from self._way_out()
        if self.peering is not None:
            yield from self._peered(self.peering)

    def _way_out(self) -> Iterator[dict[str, Any]]:
        yield existing(
            "compute/router:Router",
            self.project,
            name="router",
            region=self.region,
            network=self.id,
        )
        yield existing(
            "compute/routerNat:RouterNat",
            self.project,
            name="nat",
            region=self.region,
            router="router",
            natIpAllocateOption="AUTO_ONLY",
            sourceSubnetworkIpRangesToNat="ALL_SUBNETWORKS_ALL_IP_RANGES",
        )

    def _peered(self, cidr: str) -> Iterator[dict[str, Any]]:
        address, _, length = cidr.partition("/")
        yield existing(
            "compute/globalAddress:GlobalAddress",
            self.project,
            name=self.peering_name,
            network=self.id,
            purpose="VPC_PEERING",
            addressType="INTERNAL",
            address=address,
            prefixLength=int(length),
        )
        yield {
            "type": "gcp:servicenetworking/connection:Connection",
            "inputs": {
                "network": self.id,
                "service": "servicenetworking.googleapis.com",
                "reservedPeeringRanges": [self.peering_name],
            },
        }


def existing_cluster(
    vpc: ExistingVpc,
    *,
    project: str,
    name: str,
    location: str,
    version: str,
    channel: str,
    control_plane: str,
    addons: dict[str, Any] | None = None,
    **inputs: Any,
) -> dict[str, Any]:
    """With every CSI driver of storage; `control_plane` is a CIDR, `addons` are further ones."""
    drivers = {
        "gcsFuseCsiDriverConfig": {"enabled": True},
        "lustreCsiDriverConfig": {"enabled": True},
    }
    return existing(
        "container/cluster:Cluster",
        project,
        name=name,
        location=location,
        network=vpc.id,
        subnetwork=vpc.subnetwork_id,
        ipAllocationPolicy={
            "clusterSecondaryRangeName": vpc.pods_range,
            "servicesSecondaryRangeName": vpc.services_range,
        },
        datapathProvider="ADVANCED_DATAPATH",
        minMasterVersion=version,
        releaseChannel={"channel": channel},
        privateClusterConfig={"enablePrivateNodes": True, "masterIpv4CidrBlock": control_plane},
        workloadIdentityConfig={"workloadPool": f"{project}.svc.id.goog"},
        addonsConfig={**drivers, **(addons or {})},
        resourceLabels=OWNER,
        **inputs,
    )


def existing_bucket(project: str, name: str, region: str, **inputs: Any) -> dict[str, Any]:
    return existing(
        "storage/bucket:Bucket",
        project,
        name=name,
        location=region.upper(),
        uniformBucketLevelAccess=True,
        labels=OWNER,
        **inputs,
    )


def existing_repository(path: str, host: str, **inputs: Any) -> dict[str, Any]:
    """A remote repository of Artifact Registry, `path` of its images, that mirrors a registry."""
    registry, project, name = path.split("/")
    upstream = {"customRepository": {"uri": f"https://{host}"}}
    return existing(
        "artifactregistry/repository:Repository",
        project,
        repositoryId=name,
        location=registry.removesuffix("-docker.pkg.dev"),
        format="DOCKER",
        mode="REMOTE_REPOSITORY",
        remoteRepositoryConfig={"dockerRepository": upstream},
        **{"labels": OWNER, **inputs},
    )


def existing_disk_image(project: str, name: str) -> dict[str, Any]:
    return existing("compute/image:Image", project, name=name, diskSizeGb=50)


def existing_lustre(
    vpc: ExistingVpc,
    *,
    project: str,
    name: str,
    zone: str,
    capacity_gib: int,
    throughput_mbps_per_tib: int,
    filesystem: str,
    **inputs: Any,
) -> dict[str, Any]:
    return existing(
        "lustre/instance:Instance",
        project,
        instanceId=name,
        location=zone,
        network=vpc.id,
        capacityGib=str(capacity_gib),
        perUnitStorageThroughput=str(throughput_mbps_per_tib),
        filesystem=filesystem,
        labels=OWNER,
        **inputs,
    )
