"""A4s with gIB, and VPCs for their eight RDMA interfaces and their second gVNIC."""

from ipaddress import IPv4Network

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
        base_name="a4",
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
        base_name="a4",
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
        cluster_name="a4",
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

machine = facts.machine("a4-highgpu-8g")
gpu, ssd, nccl = machine.accelerator, machine.local_ssd, facts.nccl(machine.name)
assert gpu
assert ssd
assert nccl
between = IPv4Network("10.16.0.0/16")
names = [it.name for it in machine.additional_interfaces]
blocks: dict[str, pulumi.Input[str]] = dict(
    zip(names, map(str, between.subnets(new_prefix=20)), strict=False)
)
host = ai.GvnicNetwork(
    "gvnic-1",
    ai.GvnicNetworkArgs(
        project=project,
        apis=apis,
        region=region,
        base_name="a4",
        key="gvnic-1",
        mtu=8896,
        subnet_range=blocks.pop("gvnic-1"),
        internal_range=str(between),
    ),
)
rdma = ai.RdmaNetwork(
    "rdma",
    ai.RdmaNetworkArgs(
        project=project,
        apis=apis,
        region=region,
        base_name="a4",
        profile=facts.roce_profile(zone, machine.name),
        subnet_ranges=blocks,
        first_subnetwork=host.subnetwork.id,
    ),
)
called = {"gvnic-1": host.plain_names, **rdma.plain_names}
made = {
    "gvnic-1": (host.vpc, host.subnetwork),
    **{name: (rdma.vpc, subnetwork) for name, subnetwork in rdma.subnetworks.items()},
}
interfaces = [
    ai.NodeNetwork(
        name=it.name,
        interface=it.device,
        rdma=it.kind == "rdma",
        network=called[it.name][0],
        subnetwork=called[it.name][1],
        vpc=made[it.name][0],
        subnet=made[it.name][1],
    )
    for it in machine.additional_interfaces
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
b200 = ai.NodePool(
    "b200",
    ai.NodePoolArgs(
        project=project,
        apis=apis,
        location=cluster.location,
        zone=zone,
        cluster_name=cluster.cluster_name,
        pool_name="b200",
        service_account=nodes.email,
        machine_type=machine.name,
        capacity=ai.CapacityArgs(mode=ai.CapacityMode.SPOT),
        disk_type=machine.default_boot_disk,
        disk_gb=100,
        max_pods_per_node=110,
        nodes=0,
        bounds=ai.NodeBoundsArgs(min=0, max=2),
        local_ssds=ssd.count,
        gpu=ai.GpuArgs(type=gpu.type, count=gpu.count, driver=GpuDriver.DEFAULT.api_value),
        placement="COMPACT",
        additional_networks=interfaces,
    ),
    pulumi.ResourceOptions(depends_on=[nodes]),
)

ai.DeviceNetworks(
    "interfaces",
    ai.DeviceNetworksArgs(
        api_version=facts.component("gke_networking").apis["Network"],
        networks=interfaces,
    ),
    pulumi.ResourceOptions(provider=cluster.kubernetes),
)
gib = ai.NcclRdmaInstaller(
    "gib",
    ai.NcclRdmaInstallerArgs(
        installer_name="nccl-rdma-installer",
        image=nccl.plugin_image,
        pause_image=nccl.pause_image,
        node_selectors=[b200.node_selector],
    ),
    pulumi.ResourceOptions(provider=cluster.kubernetes),
)
pulumi.export("kubeconfig", cluster.kubeconfig)
pulumi.export("node_selector", gib.once_ready(b200.node_selector))
