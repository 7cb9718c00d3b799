"""The cluster's VPC network."""

from components.network import ClusterNetwork, ClusterNetworkArgs
from stacks.site import Project


def build(project: Project) -> ClusterNetwork:
    stack = project.plan.stack
    wanted = stack.network
    return ClusterNetwork(
        "network",
        ClusterNetworkArgs(
            project=project.apis.project_with("compute"),
            region=stack.region,
            base_name=stack.name,
            mtu=wanted.mtu,
            subnet_range=wanted.subnet,
            pods_range=wanted.pods,
            services_range=wanted.services,
            protect=stack.deletion_protection,
        ),
        opts=project.opts,
    )
