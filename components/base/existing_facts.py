"""What was read of parts that exist already, as plain values. Pure.

Nothing here can be changed by a stack: it stands on these parts, and somebody else owns them.
"""

from collections.abc import Mapping
from dataclasses import dataclass

from ..cluster.control_plane import ControlPlaneEndpoint


@dataclass(frozen=True, kw_only=True)
class NetworkFacts:
    """A VPC network and one subnetwork of it. `subnetwork_network_id` is the network that the
    subnetwork is really on; `secondary_ranges` are CIDRs by name.

    `nats` are the Cloud NATs of the network in the region, None where they may not be seen. The
    MTU is not among what the provider's function reads.
    """

    project: str
    region: str
    name: str
    network_id: str
    subnetwork_name: str
    subnetwork_id: str
    subnetwork_network_id: str
    nodes_range: str
    secondary_ranges: Mapping[str, str]
    private_google_access: bool
    nats: tuple[str, ...] | None


@dataclass(frozen=True, kw_only=True)
class ClusterFacts:
    """A GKE cluster. `location` is a region or a zone, and `zones` are where its nodes stand.

    `endpoint` is the host where its control plane answers, and `ca_certificate`, base64, its
    authority; None where everybody trusts the certificate. `reached` is what kind of host that
    is, and `dns_name` no other cluster has.

    `network_id` and `subnetwork_id` begin with projects/, which is the host's in a Shared VPC.
    `workload_pool` and the range names are None where the cluster has none. `release_channel` is
    UNSPECIFIED for a cluster in no channel. `calico` is whether Calico enforces network policies.
    """

    project: str
    location: str
    name: str
    zones: tuple[str, ...]
    network_id: str
    subnetwork_id: str
    pods_range: str | None
    services_range: str | None
    endpoint: str
    ca_certificate: str | None
    version: str
    release_channel: str
    autopilot: bool
    dataplane_v2: bool
    calico: bool
    multi_networking: bool
    private_nodes: bool
    workload_pool: str | None
    ray_operator: bool
    gcs_fuse: bool
    lustre: bool
    lustre_legacy_port: bool
    custom_metrics: bool
    labels: Mapping[str, str]
    dns_name: str | None = None
    reached: ControlPlaneEndpoint = ControlPlaneEndpoint.PUBLIC
    control_plane_range: str | None = None
    security_group: str | None = None


@dataclass(frozen=True, kw_only=True)
class BucketFacts:
    """A bucket. `location` is in capitals, as the API has it; `regions` are those of a dual-region
    bucket whose two regions somebody chose, in capitals, too."""

    name: str
    url: str
    location: str
    regions: tuple[str, ...]
    hierarchical_namespace: bool
    uniform_access: bool
    versioning: bool
    labels: Mapping[str, str]


@dataclass(frozen=True, kw_only=True)
class RepositoryFacts:
    """A repository of Artifact Registry. `mode` is STANDARD_REPOSITORY, REMOTE_REPOSITORY or
    VIRTUAL_REPOSITORY; `upstream` of a remote one is Artifact Registry's own word for a registry,
    or an address."""

    project: str
    location: str
    name: str
    format: str
    mode: str
    upstream: str | None
    labels: Mapping[str, str]


@dataclass(frozen=True, kw_only=True)
class DiskImageFacts:
    """A disk image of Compute Engine. `status` is READY when disks can be made of it."""

    project: str
    name: str
    status: str


@dataclass(frozen=True, kw_only=True)
class LustreFacts:
    """A Managed Lustre instance. `mount_point` is ADDRESS@tcp:/FILESYSTEM; with `legacy_port` it
    listens on the port of older nodes. `state` is ACTIVE when it can be mounted."""

    project: str
    zone: str
    name: str
    network_id: str
    mount_point: str
    filesystem: str
    capacity_gib: int
    legacy_port: bool
    state: str
    labels: Mapping[str, str]
