"""The Managed Lustre instance behind private service access, and the volume that pods claim."""

import pulumi

from components.lustre_instance import LustreInstance, LustreInstanceArgs
from components.lustre_volume import LustreVolume, LustreVolumeArgs
from components.network import ClusterNetwork
from components.private_service_access import PrivateServiceAccess, PrivateServiceAccessArgs
from components.static_volume import VolumeMount
from stacks.site import Project, Site


def build(project: Project, network: ClusterNetwork) -> LustreInstance | None:
    """The instance waits for the peering, and for nothing of the cluster's."""
    plan = project.plan
    stack, wanted = plan.stack, plan.stack.lustre
    if wanted is None:
        return None
    access = PrivateServiceAccess(
        "services",
        PrivateServiceAccessArgs(
            project=project.apis.project_with("compute"),
            service=project.apis.full_name("servicenetworking"),
            base_name=stack.name,
            network_id=network.network_id,
            address_range=stack.network.peering,
            removal=stack.network.peering_on_destroy,
            labels=project.labels,
        ),
        opts=project.opts,
    )
    return LustreInstance(
        "lustre",
        LustreInstanceArgs(
            project=project.apis.project_with("lustre"),
            zone=stack.zone,
            instance_name=wanted.name,
            network_id=access.network_id,
            capacity_gib=wanted.capacity_gib,
            throughput_mbps_per_tib=wanted.throughput_mbps_per_tib,
            filesystem=wanted.filesystem,
            peering_range=stack.network.peering,
            port=plan.facts.lustre.port_of(legacy=plan.lustre_legacy_port),
            legacy_port=plan.lustre_legacy_port,
            labels=project.labels,
            protect=stack.deletion_protection,
        ),
        opts=project.opts,
    )


def volume(site: Site, lustre: LustreInstance | None) -> VolumeMount | None:
    wanted = site.plan.stack.lustre
    if lustre is None or wanted is None:
        return None
    made = LustreVolume(
        "volume",
        LustreVolumeArgs(
            instance=lustre.instance,
            namespace=site.namespace,
            base_name=wanted.name,
            handle=lustre.handle,
            address=lustre.address,
            filesystem=lustre.filesystem,
            capacity_gib=lustre.capacity_gib,
            labels=site.labels,
        ),
        opts=pulumi.ResourceOptions(providers=[site.gke.kubernetes]),
    )
    return made.mount
