"""Two slices of TPU v6e with two networks between them, which pods claim."""

import pulumi
import pulumi_gke_ai as ai
from pulumi_gke_ai.catalog import Catalog, ReleaseChannel

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
        base_name="tpu",
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
        base_name="tpu",
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
        cluster_name="tpu",
        network_id=network.network_id,
        subnetwork_id=network.subnetwork_id,
        control_plane_range="172.16.0.0/28",
        node_service_account=nodes.email,
        release_channel=ReleaseChannel.REGULAR,
        multi_networking=True,
        ray_operator=False,
        deletion_protection=False,
    ),
    pulumi.ResourceOptions(depends_on=[network, nodes]),
)

machine = facts.machine("ct6e-standard-4t")
topology, tpu = facts.topology(machine.name, "4x4"), machine.accelerator
assert tpu
facts.check_offer(zone, machine.name)
between: list[ai.GvnicNetwork] = []
for number, block in enumerate(("192.168.0.0/20", "192.168.16.0/20")):
    between.append(
        ai.GvnicNetwork(
            f"dcn-{number}",
            ai.GvnicNetworkArgs(
                project=project,
                apis=apis,
                region=region,
                base_name="tpu",
                key=f"dcn-{number}",
                mtu=8896,
                subnet_range=block,
                internal_range=block,
                first_subnetwork=between[0].subnetwork.id if between else None,
            ),
        )
    )
interfaces = [
    ai.NodeNetwork(
        name=f"dcn-{place}",
        interface=f"eth{place + 1}",
        rdma=False,
        network=one.plain_names[0],
        subnetwork=one.plain_names[1],
        vpc=one.vpc,
        subnet=one.subnetwork,
    )
    for place, one in enumerate(between)
]
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
    ),
    pulumi.ResourceOptions(depends_on=[nodes]),
)
for number in range(2):
    ai.TpuSlicePool(
        f"slice-{number}",
        ai.TpuSlicePoolArgs(
            project=project,
            apis=apis,
            location=cluster.location,
            zone=zone,
            cluster_name=cluster.cluster_name,
            pool_name=f"slice-{number}",
            service_account=nodes.email,
            machine_type=machine.name,
            accelerator=tpu.type,
            topology=topology.name,
            hosts=topology.hosts,
            from_zero=False,
            threads_per_core=1,
            capacity=ai.CapacityArgs(mode=ai.CapacityMode.SPOT),
            disk_type=machine.default_boot_disk,
            disk_gb=100,
            max_pods_per_node=110,
            additional_networks=interfaces,
            dranet=True,
        ),
        pulumi.ResourceOptions(depends_on=[nodes]),
    )
claims = ai.ResourceClaimTemplate(
    "claims",
    ai.ResourceClaimTemplateArgs(namespace="default", template_name="dcn", count=len(interfaces)),
    pulumi.ResourceOptions(provider=cluster.kubernetes),
)
pulumi.export("kubeconfig", cluster.kubeconfig)
pulumi.export("claims", claims.template_name)
