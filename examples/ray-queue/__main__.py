"""A Ray cluster on L4s that Kueue admits, with a bucket that its pods alone may use."""

import pulumi
import pulumi_gcp as gcp
import pulumi_gke_ai as ai
from pulumi_gke_ai.catalog import GKE_NAMESPACES, Catalog, GpuDriver, ReleaseChannel

google = pulumi.Config("gcp")
project, region, zone = google.require("project"), google.require("region"), google.require("zone")
facts = Catalog.load()

needed = ["cloudresourcemanager", "compute", "container", "iam", "storage"]
apis = ai.ProjectApis("apis", ai.ProjectApisArgs(project=project, services=needed))
network = ai.ClusterNetwork(
    "network",
    ai.ClusterNetworkArgs(
        project=project,
        apis=apis,
        region=region,
        base_name="ray",
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
        base_name="ray",
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
        cluster_name="ray",
        network_id=network.network_id,
        subnetwork_id=network.subnetwork_id,
        control_plane_range="172.16.0.0/28",
        node_service_account=nodes.email,
        release_channel=ReleaseChannel.REGULAR,
        ray_operator=True,
        deletion_protection=False,
    ),
    pulumi.ResourceOptions(depends_on=[network, nodes]),
)
cpus, gpus = facts.machine("e2-standard-8"), facts.machine("g2-standard-12")
gpu, ssd = gpus.accelerator, gpus.local_ssd
assert gpu
assert ssd
facts.check_offer(zone, gpus.name)
cpu = ai.NodePool(
    "cpu",
    ai.NodePoolArgs(
        project=project,
        apis=apis,
        location=cluster.location,
        zone=zone,
        cluster_name=cluster.cluster_name,
        pool_name="cpu",
        service_account=nodes.email,
        machine_type=cpus.name,
        capacity=ai.CapacityArgs(mode=ai.CapacityMode.ON_DEMAND),
        disk_type=cpus.default_boot_disk,
        disk_gb=100,
        max_pods_per_node=110,
        nodes=1,
    ),
    pulumi.ResourceOptions(depends_on=[nodes]),
)
l4 = ai.NodePool(
    "l4",
    ai.NodePoolArgs(
        project=project,
        apis=apis,
        location=cluster.location,
        zone=zone,
        cluster_name=cluster.cluster_name,
        pool_name="l4",
        service_account=nodes.email,
        machine_type=gpus.name,
        capacity=ai.CapacityArgs(mode=ai.CapacityMode.ON_DEMAND),
        disk_type=gpus.default_boot_disk,
        disk_gb=100,
        max_pods_per_node=110,
        nodes=1,
        local_ssds=ssd.count,
        gpu=ai.GpuArgs(type=gpu.type, count=gpu.count, driver=GpuDriver.LATEST.api_value),
    ),
    pulumi.ResourceOptions(depends_on=[nodes]),
)

bucket = ai.Bucket(
    "bucket",
    ai.BucketArgs(
        project=project,
        apis=apis,
        location=region,
        bucket_name=f"{project}-ray",
        hierarchical_namespace=False,
        soft_delete_days=7,
    ),
)
inside = pulumi.ResourceOptions(provider=cluster.kubernetes)
account = ai.KubeServiceAccount(
    "account",
    ai.KubeServiceAccountArgs(namespace="default", account_name="ray"),
    inside,
)
grant = ai.BucketGrant(
    "grant",
    ai.BucketGrantArgs(
        bucket_name=bucket.bucket_name,
        role="roles/storage.objectUser",
        member=ai.kubernetes_principal(
            project_number=gcp.organizations.get_project_output(project_id=project).number,
            workload_pool=cluster.workload_pool,
            namespace="default",
            service_account="ray",
        ),
    ),
)

webhook = ai.WebhookAccess(
    "webhook",
    ai.WebhookAccessArgs(
        project=project,
        apis=apis,
        network_id=cluster.network_id,
        base_name="ray",
        key="kueue",
        control_plane_range="172.16.0.0/28",
        ports=[9443],
    ),
)
kueue = ai.Kueue(
    "kueue",
    ai.KueueArgs(
        chart=ai.helm_chart(facts, "kueue"),
        frameworks=["ray.io/raycluster"],
        unmanaged_namespaces=GKE_NAMESPACES,
        ready_minutes=30,
        node_selector=cpu.node_selector,
    ),
    pulumi.ResourceOptions(provider=cluster.kubernetes, depends_on=[network, webhook]),
)
quotas = [
    ai.FlavorQuotasArgs(
        flavor=flavor,
        resources=[
            ai.ResourceQuotaArgs(resource="cpu", nominal=room.cpu_millicores),
            ai.ResourceQuotaArgs(resource="memory", nominal=room.memory_mib),
            ai.ResourceQuotaArgs(resource=gpu.resource, nominal=room.accelerators),
        ],
    )
    for flavor, room in {
        "cpu": facts.allocatable(cpus.name),
        "l4": facts.allocatable(gpus.name),
    }.items()
]
queues = ai.KueueQueues(
    "queues",
    ai.KueueQueuesArgs(
        kueue=kueue,
        flavors=[
            ai.ResourceFlavorArgs(name="cpu", node_labels=cpu.node_selector),
            ai.ResourceFlavorArgs(name="l4", node_labels=l4.node_selector),
        ],
        cluster_queues=[
            ai.ClusterQueueArgs(name="all", groups=[ai.ResourceGroupArgs(flavors=quotas)])
        ],
    ),
    inside,
)
local = ai.LocalQueues(
    "local-queues",
    ai.LocalQueuesArgs(
        kueue=kueue,
        queues="queues",
        local_queues=[ai.LocalQueueArgs(name="ray", namespace="default", cluster_queue="all")],
        cluster_queues=dict(queues.names),
    ),
    inside,
)

image = facts.image("ray_gpu")
assert image.ray_version
mounts = ai.gcsfuse_annotations()
ray = ai.RayCluster(
    "ray",
    ai.RayClusterArgs(
        namespace="default",
        cluster_name="ray",
        ray_version=image.ray_version,
        image=image.reference,
        head=ai.RayPodArgs(
            cpu_request_millicores=2000,
            cpu_limit_millicores=2000,
            memory_request_gib=8,
            memory_limit_gib=8,
            shm_gib=2,
            node_selector=cpu.node_selector,
            pools=[cpu.pool],
            annotations=mounts,
        ),
        workers={
            "l4": ai.RayWorkersArgs(
                pod=ai.RayPodArgs(
                    cpu_request_millicores=4000,
                    cpu_limit_millicores=None,
                    memory_request_gib=16,
                    memory_limit_gib=16,
                    shm_gib=4,
                    node_selector=l4.node_selector,
                    pools=[l4.pool],
                    gpus=gpu.count,
                    annotations=mounts,
                ),
                count=1,
            )
        },
        volumes=[
            ai.RayVolumeArgs(
                name="bucket",
                mount_path="/bucket",
                bucket=ai.BucketMountArgs(
                    bucket=bucket.bucket,
                    bucket_name=grant.bucket_name,
                    options=["implicit-dirs", "uid=1000", "gid=100"],
                    skip_access_check=True,
                    prefetch_metadata=False,
                ),
            )
        ],
        service_account=account.account_name,
        queue=local.local_queues["default/ray"],
    ),
    pulumi.ResourceOptions(provider=cluster.kubernetes, depends_on=[queues, local]),
)
pulumi.export("kubeconfig", cluster.kubeconfig)
pulumi.export("ray", ray.head_service)
pulumi.export("bucket", bucket.url)
