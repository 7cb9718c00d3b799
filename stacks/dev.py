"""The smallest useful stack: a GPU pool that starts from zero, and Ray on it."""

from collections.abc import Mapping

import pulumi

from stacks import platform, rdma
from stacks.dev_config import Dev
from stacks.nodes import cluster_nodes
from stacks.outputs import (
    DASHBOARD_URL,
    StackOutputs,
    cleanup_note,
    dashboard_command,
    kubeconfig_command,
    submit_command,
)
from stacks.ray_workload import ray_cluster


def build(config: Dev, secrets: Mapping[str, pulumi.Output[str]]) -> StackOutputs:
    on = platform.cloud(config, platform.APIS)

    network = platform.network(config, on)
    interfaces = rdma.interfaces(config, on)
    nodes = cluster_nodes(config, on, network, interfaces.networks)
    gke = nodes.gke

    where = platform.namespace(config, on, gke)
    ray = ray_cluster(
        config,
        nodes,
        rdma.gpu_network(config, on, gke, interfaces, nodes.gpu, where),
        where,
        labels=on.labels,
        tokens=platform.tokens(config, on, gke, where, secrets),
        secrets=secrets,
    )
    dashboard = platform.dashboard(config, on)

    return StackOutputs(
        cluster_name=gke.cluster_name,
        kubeconfig_command=kubeconfig_command(gke.cluster_name, gke.location, config.project),
        ray_dashboard_command=dashboard_command(config.namespace, ray.head_service),
        ray_dashboard_url=DASHBOARD_URL,
        job_submit_command=submit_command("nvidia-smi", "{}"),
        dashboard_id=None if dashboard is None else dashboard.dashboard_id,
        cleanup_note=cleanup_note(protected=config.deletion_protection),
    )
