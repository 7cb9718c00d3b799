"""The Managed Lustre instance behind private service access, and the volume that pods claim."""

import pulumi

from components.existing_lustre import ExistingLustre
from components.lustre_instance import LustreInstance, LustreInstanceArgs
from components.lustre_volume import LustreVolume, LustreVolumeArgs
from components.private_service_access import PrivateServiceAccess, PrivateServiceAccessArgs
from components.static_volume import VolumeMount
from stacks.site import Ground, Project, Site

Instance = LustreInstance | ExistingLustre


def build(project: Project, ground: Ground) -> Instance | None:
    """The instance waits for the peering, and for nothing of the cluster's."""
    plan = project.plan
    stack = plan.stack
    wanted = None if stack.lustre is None else stack.lustre.made
    if wanted is None:
        return project.adopted.lustre
    legacy_port = project.lustre_legacy_port
    return LustreInstance(
        "lustre",
        LustreInstanceArgs(
            project=project.apis.project_with("lustre"),
            zone=stack.zone,
            instance_name=wanted.name,
            network_id=_peered(project, ground),
            capacity_gib=wanted.capacity_gib,
            throughput_mbps_per_tib=wanted.throughput_mbps_per_tib,
            filesystem=wanted.filesystem,
            peering_range=stack.network.peering,
            port=plan.facts.lustre.port_of(legacy=legacy_port),
            legacy_port=legacy_port,
            labels=project.labels,
            protect=stack.deletion_protection,
            network_project=None if stack.makes_network else project.network_project,
        ),
        opts=project.opts,
    )


def _peered(project: Project, ground: Ground) -> pulumi.Output[str]:
    """The network, known once it has private service access. A network has one connection, so on
    one that exists already it is the owner's."""
    stack = project.plan.stack
    if not stack.makes_network:
        return ground.network_id
    access = PrivateServiceAccess(
        "services",
        PrivateServiceAccessArgs(
            project=project.apis.project_with("compute"),
            service=project.apis.full_name("servicenetworking"),
            base_name=stack.name,
            network_id=ground.network_id,
            address_range=stack.network.peering,
            removal=stack.network.peering_on_destroy,
            labels=project.labels,
        ),
        opts=project.opts,
    )
    return access.network_id


def volume(site: Site, lustre: Instance | None) -> VolumeMount | None:
    wanted = site.plan.stack.lustre
    if lustre is None or wanted is None:
        return None
    made = LustreVolume(
        "volume",
        LustreVolumeArgs(
            instance=lustre.instance,
            namespace=site.namespace,
            # Another stack may have a volume of the same instance in the cluster.
            base_name=wanted.name or f"{site.plan.stack.name}-{wanted.existing}",
            handle=lustre.handle,
            address=lustre.address,
            filesystem=lustre.filesystem,
            capacity_gib=lustre.capacity_gib,
            labels=site.labels,
        ),
        opts=pulumi.ResourceOptions(providers=[site.gke.kubernetes]),
    )
    return made.mount
