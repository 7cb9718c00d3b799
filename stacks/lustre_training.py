"""GPU nodes, a Managed Lustre file system beside them, Ray on both, and a GRPO training.

APIs -> VPC -> peering -> Lustre ---------------------> volume --+
         |                                                       +-> Ray -> training
         +---> GKE -> CPU pool, GPU pool -> interfaces, NCCL ----+
"""

from collections.abc import Mapping
from dataclasses import replace

import pulumi

from components.gke_cluster import GkeCluster
from components.lustre_instance import LustreInstance, LustreInstanceArgs
from components.lustre_volume import LustreVolume, LustreVolumeArgs
from components.network import ClusterNetwork
from components.private_service_access import PrivateServiceAccess, PrivateServiceAccessArgs
from components.private_service_access_policy import PeeringRemoval
from stacks import grpo_workload, platform, rdma
from stacks.lustre_training_config import LustreTraining
from stacks.nodes import cluster_nodes
from stacks.outputs import StackOutputs, cluster_outputs, with_ray
from stacks.parts.jobs.work import Work
from stacks.ray_workload import RayPods, launch, ray_cluster

_APIS = (*platform.APIS, "lustre", "servicenetworking")


def build(config: LustreTraining, secrets: Mapping[str, pulumi.Output[str]]) -> StackOutputs:
    on = platform.cloud(config, _APIS)

    network = platform.network(config, on)
    lustre = _lustre(config, on, network)
    driver = platform.LustreDriver(legacy_port=config.lustre_legacy_port)
    nodes = cluster_nodes(config, on, network, driver)
    gke = nodes.gke

    where = platform.namespace(config, on, gke)
    tokens = platform.tokens(config, on, gke, where, secrets)
    gpu = rdma.gpu_network(config, on, gke, nodes.interfaces, nodes.gpu, where)
    volume = _volume(config, on, gke, where, lustre)
    pods = RayPods(volume=volume.mount, mount_path=config.lustre.mount_path)
    ray = ray_cluster(config, nodes, gpu, where, on.labels, tokens, pods)
    job = launch(config, gke, where, ray, _work(config), on.labels)
    dashboard = platform.dashboard(config, on, lustre_instance=config.lustre.name)

    outputs = cluster_outputs(
        config,
        gke,
        dashboard,
        lost=[f"on the Lustre instance {config.lustre.name}"],
        abandons_peering=config.network.peering_on_destroy is PeeringRemoval.ABANDON,
    )
    return replace(
        with_ray(outputs, config, ray, job.submit),
        lustre_mount_point=lustre.mount_point,
        job_name=job.job_name,
    )


def _lustre(config: LustreTraining, on: platform.Cloud, network: ClusterNetwork) -> LustreInstance:
    access = PrivateServiceAccess(
        "services",
        PrivateServiceAccessArgs(
            project=on.apis.project_with("compute"),
            service=on.apis.full_name("servicenetworking"),
            base_name=config.name,
            network_id=network.network_id,
            address_range=config.network.peering,
            removal=config.network.peering_on_destroy,
            labels=on.labels,
        ),
        opts=on.opts,
    )
    return LustreInstance(
        "lustre",
        LustreInstanceArgs(
            project=on.apis.project_with("lustre"),
            zone=config.zone,
            instance_name=config.lustre.name,
            network_id=access.network_id,
            capacity_gib=config.lustre.capacity_gib,
            throughput_mbps_per_tib=config.lustre.throughput_mbps_per_tib,
            filesystem=config.lustre.filesystem,
            peering_range=config.network.peering,
            port=config.facts.lustre.port_of(legacy=config.lustre_legacy_port),
            legacy_port=config.lustre_legacy_port,
            labels=on.labels,
            protect=config.deletion_protection,
        ),
        opts=on.opts,
    )


def _volume(
    config: LustreTraining,
    on: platform.Cloud,
    gke: GkeCluster,
    where: pulumi.Input[str],
    lustre: LustreInstance,
) -> LustreVolume:
    return LustreVolume(
        "volume",
        LustreVolumeArgs(
            instance=lustre.instance,
            namespace=where,
            base_name=config.lustre.name,
            handle=lustre.handle,
            address=lustre.address,
            filesystem=lustre.filesystem,
            capacity_gib=lustre.capacity_gib,
            labels=on.labels,
        ),
        opts=pulumi.ResourceOptions(providers=[gke.kubernetes]),
    )


def _work(config: LustreTraining) -> Work | None:
    job = config.job
    if job is None:
        return None
    mount_path = config.lustre.mount_path
    nccl = {} if config.nccl is None else config.nccl.variables
    return Work(
        name=job.name,
        launcher_name=grpo_workload.LAUNCHER_NAME,
        launcher=grpo_workload.launcher(),
        parameters=grpo_workload.parameters(
            job, nodes=config.workers, gpus_per_node=config.worker_gpus, mount_path=mount_path
        ),
        environment={**nccl, **grpo_workload.environment(job, mount_path)},
        gpus=config.workers * config.worker_gpus,
    )
