"""The smallest useful stack: a GPU pool that starts from zero, and Ray on it."""

from collections.abc import Mapping

import pulumi

from stacks import platform
from stacks.dev_config import Dev
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
    cpu_nodes = platform.node_identity(config, on, "cpu")
    gpu_nodes = platform.node_identity(config, on, "gpu")
    gke = platform.cluster(config, on, network, cpu_nodes)
    cpu_pool = platform.node_pool(config, on, gke, cpu_nodes, "cpu", config.cpu_pool)
    gpu_pool = platform.node_pool(config, on, gke, gpu_nodes, "gpu", config.gpu_pool)

    where = platform.namespace(config, on, gke)
    ray = ray_cluster(
        config,
        gke,
        gpu_pool,
        where,
        labels=on.labels,
        tokens=platform.tokens(config, on, gke, where, secrets),
        secrets=secrets,
        # Images come in through the NAT; names are resolved by DNS pods on the CPU pool.
        after=[network, cpu_pool],
    )
    dashboard = platform.dashboard(config, on)

    return StackOutputs(
        cluster_name=gke.cluster_name,
        kubeconfig_command=kubeconfig_command(gke.cluster_name, gke.location, config.project),
        ray_dashboard_command=dashboard_command(config.namespace, ray.head_service),
        ray_dashboard_url=DASHBOARD_URL,
        job_submit_command=submit_command("nvidia-smi", "{}"),
        dashboard_id=None if dashboard is None else dashboard.dashboard_id,
        cleanup_note=cleanup_note(
            protected=config.deletion_protection, lustre=None, abandons_peering=False
        ),
    )
