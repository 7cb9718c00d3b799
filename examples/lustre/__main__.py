"""Managed Lustre with a claim on it, for pods of a cluster in the same VPC."""

import pulumi
import pulumi_gke_ai as ai
from pulumi_gke_ai.catalog import Catalog, ReleaseChannel

google = pulumi.Config("gcp")
project, region, zone = google.require("project"), google.require("region"), google.require("zone")
facts = Catalog.load()

needed = ["cloudresourcemanager", "compute", "container", "iam", "lustre", "servicenetworking"]
apis = ai.ProjectApis("apis", ai.ProjectApisArgs(project=project, services=needed))
network = ai.ClusterNetwork(
    "network",
    ai.ClusterNetworkArgs(
        project=project,
        apis=apis,
        region=region,
        base_name="lustre",
        mtu=8896,
        subnet_range="10.0.0.0/20",
        pods_range="10.4.0.0/14",
        services_range="10.8.0.0/20",
    ),
)
nodes = ai.NodeServiceAccount(
    "nodes",
    ai.NodeServiceAccountArgs(
        project=project,
        apis=apis,
        base_name="lustre",
        pool="nodes",
    ),
)
cluster = ai.GkeCluster(
    "cluster",
    ai.GkeClusterArgs(
        project=project,
        apis=apis,
        location=zone,
        zone=zone,
        cluster_name="lustre",
        network_id=network.network_id,
        subnetwork_id=network.subnetwork_id,
        control_plane_range="172.16.0.0/28",
        node_service_account=nodes.email,
        release_channel=ReleaseChannel.REGULAR,
        lustre=True,
        ray_operator=False,
        deletion_protection=False,
    ),
    pulumi.ResourceOptions(depends_on=[network, nodes]),
)
cpu = facts.machine("n2-standard-8")
ai.NodePool(
    "cpu",
    ai.NodePoolArgs(
        project=project,
        apis=apis,
        location=cluster.location,
        zone=zone,
        cluster_name=cluster.cluster_name,
        pool_name="cpu",
        service_account=nodes.email,
        machine_type=cpu.name,
        capacity=ai.CapacityArgs(mode=ai.CapacityMode.ON_DEMAND),
        disk_type=cpu.default_boot_disk,
        disk_gb=100,
        max_pods_per_node=110,
        nodes=1,
        kernel_modules=True,
    ),
    pulumi.ResourceOptions(depends_on=[nodes]),
)

facts.check_lustre_zone(zone)
tier = facts.lustre_tier(1000)
services = "10.12.0.0/16"
access = ai.PrivateServiceAccess(
    "access",
    ai.PrivateServiceAccessArgs(
        project=project,
        apis=apis,
        base_name="lustre",
        network_id=network.network_id,
        address_range=services,
        removal=ai.PeeringRemoval.REMOVE,
    ),
)
lustre = ai.LustreInstance(
    "lustre",
    ai.LustreInstanceArgs(
        project=project,
        apis=apis,
        zone=zone,
        instance_name="lustre",
        network_id=access.network_id,
        services=access,
        capacity_gib=tier.minimum,
        throughput_mbps_per_tib=tier.mbps_per_tib,
        filesystem="lustre",
        peering_range=services,
        port=facts.lustre.port,
    ),
)
volume = ai.LustreVolume(
    "volume",
    ai.LustreVolumeArgs(
        backing=lustre.backing,
        namespace="default",
        base_name="lustre",
        handle=lustre.handle,
        address=lustre.address,
        filesystem=lustre.filesystem,
        capacity_gib=lustre.capacity_gib,
    ),
    pulumi.ResourceOptions(provider=cluster.kubernetes),
)
pulumi.export("kubeconfig", cluster.kubeconfig)
pulumi.export("claim", volume.mount.claim.id)
