"""A Managed Lustre instance that exists already: read, never made, changed or deleted.

Leaves out the firewall rule by which its servers reach their clients: the provider has no function
that reads one.
"""

from dataclasses import dataclass

import pulumi
import pulumi_gcp as gcp

from ..base.existing import Part, read_part, relative
from ..base.existing_facts import LustreFacts


@dataclass(frozen=True, kw_only=True)
class ExistingLustreArgs:
    project: str
    zone: str
    instance: str


@dataclass(frozen=True, kw_only=True)
class ExistingLustre:
    """What a LustreInstance hands out, of one that nobody here made; `found` is what was read.
    There is no resource `instance` that a pod could be replaced with; `backing` is what lets its
    servers in, where that is the stack's."""

    found: LustreFacts
    instance_name: pulumi.Output[str]
    mount_point: pulumi.Output[str]
    address: pulumi.Output[str]
    filesystem: pulumi.Output[str]
    handle: pulumi.Output[str]
    capacity_gib: pulumi.Output[str]
    instance: None = None
    backing: tuple[pulumi.Resource, ...] = ()


def existing_lustre(args: ExistingLustreArgs, provider: gcp.Provider) -> ExistingLustre:
    """Raises ExistingPartError where it is not there."""
    instance = read_part(
        Part(
            kind="instance",
            name=args.instance,
            place=f"zone {args.zone} of project {args.project}",
            listing="lustre instances list",
            options={"location": args.zone, "project": args.project},
        ),
        lambda: gcp.lustre.get_instance(
            instance_id=args.instance,
            zone=args.zone,
            project=args.project,
            opts=pulumi.InvokeOptions(provider=provider),
        ),
    )
    found = LustreFacts(
        project=args.project,
        zone=args.zone,
        name=args.instance,
        network_id=relative(instance.network),
        mount_point=instance.mount_point,
        filesystem=instance.filesystem,
        capacity_gib=int(instance.capacity_gib),
        legacy_port=bool(instance.gke_support_enabled),
        state=instance.state,
        labels=dict(instance.labels or {}),
    )
    return ExistingLustre(
        found=found,
        instance_name=pulumi.Output.from_input(found.name),
        mount_point=pulumi.Output.from_input(found.mount_point),
        filesystem=pulumi.Output.from_input(found.filesystem),
        capacity_gib=pulumi.Output.from_input(str(found.capacity_gib)),
        address=pulumi.Output.from_input(found.mount_point.partition("@")[0]),
        handle=pulumi.Output.from_input(f"{found.project}/{found.zone}/{found.name}"),
    )
