"""Parts that no stack made, for stacks that stand on them."""

from tests.parts import existing_ground as ground
from tests.parts.existing_ground import ExistingVpc

P, REGION, ZONE = "sandbox-project", "us-central1", "us-central1-a"
HOST = "network-project"
VPC = ExistingVpc(
    project=HOST,
    region=REGION,
    name="shared",
    subnetwork="nodes",
    nodes="10.0.0.0/20",
    pods_range="gke-pods",
    pods="10.8.0.0/16",
    services_range="gke-services",
    services="10.9.0.0/20",
    peering="10.10.0.0/22",
)
EXISTING = [
    *VPC.resources(),
    ground.existing_lustre(
        VPC,
        project=P,
        name="fast",
        zone=ZONE,
        capacity_gib=9000,
        throughput_mbps_per_tib=1000,
        filesystem="lustre",
    ),
    ground.existing("serviceaccount/account:Account", P, accountId="platform"),
    ground.existing_cluster(
        VPC,
        project=P,
        name="platform",
        location=REGION,
        version="1.35.2-gke.1842000",
        channel="REGULAR",
        control_plane="10.10.4.0/28",
    ),
    ground.existing_bucket(P, "platform-data", REGION),
]
