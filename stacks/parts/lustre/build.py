"""The Managed Lustre instance behind private service access, and the volume that pods claim."""

from dataclasses import replace

import pulumi

from components.base.static_volume import VolumeMount
from components.lustre.access import LustreAccess, LustreAccessArgs
from components.lustre.existing import ExistingLustre
from components.lustre.instance import LustreInstance, LustreInstanceArgs
from components.lustre.volume import LustreVolume, LustreVolumeArgs
from stacks.parts.network.plan import lets_lustre_in
from stacks.site import Ground, Project, Site

Instance = LustreInstance | ExistingLustre


def build(project: Project, ground: Ground) -> Instance | None:
    """The instance waits for the peering, and for nothing of the cluster's."""
    plan = project.plan
    stack = plan.stack
    wanted = None if stack.lustre is None else stack.lustre.made
    if wanted is None:
        there = project.adopted.lustre
        return there if there is None else _let_in(project, ground, there)
    legacy_port = project.lustre_legacy_port
    return LustreInstance(
        "lustre",
        LustreInstanceArgs(
            project=stack.project,
            apis=project.apis,
            zone=stack.zone,
            instance_name=wanted.name,
            network_id=ground.peered_id,
            services=ground.services,
            capacity_gib=wanted.capacity_gib,
            throughput_mbps_per_tib=wanted.throughput_mbps_per_tib,
            filesystem=wanted.filesystem,
            kms_key=stack.key_of(stack.lustre),
            peering_range=stack.network.peering,
            port=plan.facts.lustre.port_of(legacy=legacy_port),
            legacy_port=legacy_port,
            labels=project.labels,
            protect=stack.deletion_protection,
            network_project=None if stack.makes_network else project.network_project,
        ),
        opts=project.opts,
    )


def _let_in(project: Project, ground: Ground, there: ExistingLustre) -> ExistingLustre:
    """With an address that is known once the stack's own rule is there, if it makes one."""
    stack, found = project.plan.stack, there.found
    if not lets_lustre_in(stack):
        return there

    access = LustreAccess(
        "lustre-access",
        LustreAccessArgs(
            project=project.network_project,
            network_id=ground.network_id,
            base_name=stack.name,
            instance=found.name,
            peering_range=stack.network.peering,
            port=project.plan.facts.lustre.port_of(legacy=found.legacy_port),
        ),
        opts=project.opts,
    )
    address = pulumi.Output.all(there.address, access.rule_name).apply(lambda it: it[0])
    return replace(there, address=address, backing=(access.rule,))


def volume(site: Site, lustre: Instance | None) -> VolumeMount | None:
    wanted = site.plan.stack.lustre
    if lustre is None or wanted is None:
        return None

    made = LustreVolume(
        "volume",
        LustreVolumeArgs(
            backing=lustre.backing,
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
