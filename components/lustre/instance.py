"""A Managed Lustre instance, and the firewall rule by which its servers reach their clients.

Leaves out the peering that it sits on and the volume for pods.
"""

from dataclasses import dataclass, field
from functools import partial

import pulumi
import pulumi_gcp as gcp

from catalog.lustre import LustreTable, check_capacity, check_filesystem_name
from catalog.table import load_table

from ..base.arguments import checked, refuse
from ..base.cidr import ranges_are
from ..base.component import Component
from ..base.lifecycle import of_google
from ..base.naming import NameKind, cloud_name, name_is
from ..base.tokens import formerly
from ..network.private_service_access import PrivateServiceAccess, in_ranges
from ..project.apis import ProjectArgs
from .access import lustre_rule

_TOKEN = "gcp:lustre/instance:Instance"


@dataclass(frozen=True, kw_only=True)
class LustreInstanceArgs(ProjectArgs):
    """`network_id` has to be one that is known only once private service access is up.

    `services` is what it has its addresses of, and is made anew with, where that is not somebody
    else's. `peering_range` is where Google puts the servers. `legacy_port` has them listen on the
    port of older nodes, and `port` is that port or the other: instance, nodes and firewall have
    one. `network_project` is whose the network is, where that is another project. Files and their
    names are encrypted with `kms_key`, by default with a key of Google's; another key is another
    instance.
    """

    zone: pulumi.Input[str]
    instance_name: str
    network_id: pulumi.Input[str]
    services: PrivateServiceAccess | None = None
    capacity_gib: pulumi.Input[int]
    throughput_mbps_per_tib: int
    filesystem: pulumi.Input[str]
    peering_range: pulumi.Input[str]
    port: int
    legacy_port: bool = False
    network_project: pulumi.Input[str] | None = None
    kms_key: pulumi.Input[str] | None = None
    labels: pulumi.Input[dict[str, str]] = field(default_factory=dict[str, str])
    protect: bool = False

    def check(self) -> None:
        name_is("instance_name", NameKind.LUSTRE, self.instance_name)
        table = load_table(LustreTable, "lustre")
        tier = checked("throughput_mbps_per_tib", table.tier, self.throughput_mbps_per_tib)
        if isinstance(self.capacity_gib, int):
            checked("capacity_gib", partial(check_capacity, tier), self.capacity_gib)
        if isinstance(self.filesystem, str):
            checked("filesystem", check_filesystem_name, self.filesystem)
        ranges_are({"peering_range": self.peering_range})
        if self.port != (port := table.port_of(legacy=self.legacy_port)):
            reason = f"is not where an instance listens with legacy_port {self.legacy_port}"
            refuse("port", self.port, reason, port)


class LustreInstance(Component, apis=("lustre", "compute")):
    """`mount_point` is ADDRESS@tcp:/FILESYSTEM; `handle` is the CSI driver's name for it.

    `address` is known once the firewall lets the servers through: what mounts waits for both, and
    is replaced with the `backing`.
    """

    instance: gcp.lustre.Instance
    firewall: gcp.compute.Firewall
    instance_name: pulumi.Output[str]
    mount_point: pulumi.Output[str]
    filesystem: pulumi.Output[str]
    capacity_gib: pulumi.Output[str]
    address: pulumi.Output[str]
    handle: pulumi.Output[str]

    def __init__(
        self, name: str, args: LustreInstanceArgs, opts: pulumi.ResourceOptions | None = None
    ) -> None:
        super().__init__(
            "gke-ai:index:LustreInstance",
            name,
            args,
            formerly("lustre_instance:LustreInstance", opts),
        )
        instance = gcp.lustre.Instance(
            f"{name}-instance",
            project=args.project_with("lustre"),
            location=args.zone,
            instance_id=args.instance_name,
            network=args.network_id,
            capacity_gib=_text(args.capacity_gib),
            per_unit_storage_throughput=_text(args.throughput_mbps_per_tib),
            filesystem=args.filesystem,
            kms_key=args.kms_key,
            gke_support_enabled=True if args.legacy_port else None,
            labels=args.labels,
            opts=in_ranges(
                self,
                args.services,
                timeouts=of_google(
                    _TOKEN, {"perUnitStorageThroughput": str(args.throughput_mbps_per_tib)}
                ),
                protect=args.protect,
            ),
        )
        firewall = lustre_rule(
            self,
            f"{name}-firewall",
            project=args.project_with("lustre")
            if args.network_project is None
            else args.network_project,
            network_id=args.network_id,
            rule_name=cloud_name(NameKind.FIREWALL, args.instance_name, "lustre"),
            peering_range=args.peering_range,
            port=args.port,
        )
        self.instance = instance
        self.firewall = firewall
        beneath = [] if args.services is None else args.services.backing
        self.backing: list[pulumi.Resource] = [*beneath, instance, firewall]
        self.instance_name = instance.instance_id
        self.mount_point = instance.mount_point
        self.filesystem = instance.filesystem
        self.capacity_gib = instance.capacity_gib
        self.address = pulumi.Output.all(instance.mount_point, firewall.name).apply(
            lambda both: both[0].partition("@")[0]
        )
        self.handle = pulumi.Output.concat(
            instance.project, "/", instance.location, "/", instance.instance_id
        )
        self.register_outputs(
            {
                "instance": self.instance,
                "firewall": self.firewall,
                "instance_name": self.instance_name,
                "mount_point": self.mount_point,
                "filesystem": self.filesystem,
                "capacity_gib": self.capacity_gib,
                "address": self.address,
                "handle": self.handle,
            }
        )


def _text(number: pulumi.Input[int]) -> pulumi.Input[str]:
    """The provider has whole numbers of 64 bits as text. A plain one stays plain: what it is can be
    judged before the engine hears of the instance."""
    return str(number) if isinstance(number, int) else pulumi.Output.from_input(number).apply(str)
