"""The network of the cluster: a VPC of the stack's own, or one that exists already."""

import pulumi

from components.base.existing_facts import ClusterFacts
from components.network.network import (
    PODS_RANGE,
    SERVICES_RANGE,
    ClusterNetwork,
    ClusterNetworkArgs,
)
from components.network.private_service_access import PrivateServiceAccess, PrivateServiceAccessArgs
from stacks.site import Ground, Project


def build(project: Project) -> Ground:
    stack, existing = project.plan.stack, project.adopted.network
    wanted, named = stack.network, stack.network.existing
    if existing is not None and named is not None:
        return Ground(
            network_id=existing.network_id,
            peered_id=existing.network_id,
            subnetwork_id=existing.subnetwork_id,
            pods_range=named.pods_range,
            services_range=named.services_range,
        )
    if project.adopted.cluster is not None:
        return _of_cluster(project.adopted.cluster)
    made = ClusterNetwork(
        "network",
        ClusterNetworkArgs(
            project=stack.project,
            apis=project.apis,
            region=stack.region,
            base_name=stack.name,
            mtu=wanted.mtu,
            subnet_range=wanted.subnet,
            pods_range=wanted.pods,
            services_range=wanted.services,
            flow_logs=project.plan.hardening.flow_logs,
            protect=stack.deletion_protection,
        ),
        opts=project.opts,
    )
    access = _access(project, made) if stack.makes_peering else None
    return Ground(
        network_id=made.network_id,
        peered_id=made.network_id if access is None else access.network_id,
        subnetwork_id=made.subnetwork_id,
        pods_range=PODS_RANGE,
        services_range=SERVICES_RANGE,
        made=(made,),
        services=access,
        subnetwork=made.subnetwork,
    )


def _access(project: Project, made: ClusterNetwork) -> "PrivateServiceAccess":
    """A network has one connection, so on one that exists already it is the owner's."""
    stack = project.plan.stack

    return PrivateServiceAccess(
        "services",
        PrivateServiceAccessArgs(
            project=stack.project,
            apis=project.apis,
            base_name=stack.name,
            network_id=made.network_id,
            address_range=stack.network.peering,
            removal=stack.network.peering_on_destroy,
            labels=project.labels,
        ),
        opts=project.opts,
    )


def _of_cluster(found: "ClusterFacts") -> Ground:
    network_id = pulumi.Output.from_input(found.network_id)
    return Ground(
        network_id=network_id,
        peered_id=network_id,
        subnetwork_id=pulumi.Output.from_input(found.subnetwork_id),
        pods_range=found.pods_range or "",
        services_range=found.services_range or "",
    )
