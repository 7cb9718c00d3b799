"""L4s in a cluster with a VPC of its own; CPU nodes have what runs in every cluster."""

import pulumi
import pulumi_gke_ai as ai
from pulumi_gke_ai.catalog import Catalog, GpuDriver, ReleaseChannel

google = pulumi.Config("gcp")
project, region, zone = google.require("project"), google.require("region"), google.require("zone")
facts = Catalog.load()

needed = ["cloudresourcemanager", "compute", "container", "iam"]
apis = ai.ProjectApis("apis", ai.ProjectApisArgs(project=project, services=needed))
network = ai.ClusterNetwork(
    "network",
    ai.ClusterNetworkArgs(
        project=project,
        apis=apis,
        region=region,
        base_name="l4",
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
        base_name="l4",
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
        cluster_name="l4",
        network_id=network.network_id,
        subnetwork_id=network.subnetwork_id,
        control_plane_range="172.16.0.0/28",
        node_service_account=nodes.email,
        release_channel=ReleaseChannel.REGULAR,
        ray_operator=False,
        deletion_protection=False,
    ),
    pulumi.ResourceOptions(depends_on=[network, nodes]),
)
for pool, machine in {"cpu": "e2-standard-4", "l4": "g2-standard-12"}.items():
    facts.check_offer(zone, machine)
    kind = facts.machine(machine)
    gpu = kind.accelerator
    ai.NodePool(
        pool,
        ai.NodePoolArgs(
            project=project,
            apis=apis,
            location=cluster.location,
            zone=zone,
            cluster_name=cluster.cluster_name,
            pool_name=pool,
            service_account=nodes.email,
            machine_type=machine,
            nodes=1,
            capacity=ai.CapacityArgs(mode=ai.CapacityMode.ON_DEMAND),
            disk_type=kind.default_boot_disk,
            disk_gb=100,
            max_pods_per_node=32,
            local_ssds=kind.local_ssd.count if kind.local_ssd else 0,
            gpu=gpu
            and ai.GpuArgs(type=gpu.type, count=gpu.count, driver=GpuDriver.LATEST.api_value),
        ),
        pulumi.ResourceOptions(depends_on=[nodes]),
    )
pulumi.export("kubeconfig", cluster.kubeconfig)
