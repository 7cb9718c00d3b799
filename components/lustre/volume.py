"""A Managed Lustre instance as a volume and a claim on it. The instance outlives both."""

from collections.abc import Sequence
from dataclasses import dataclass, field

import pulumi

from ..base.component import Component
from ..base.naming import NameKind, names_are_of
from ..base.static_volume import StaticVolume, VolumeMount, static_volume
from ..base.tokens import formerly

_DRIVER = "lustre.csi.storage.gke.io"


@dataclass(frozen=True, kw_only=True)
class LustreVolumeArgs:
    """All but the names come from the instance's own outputs, so they cannot drift from it.

    `backing` is the instance's own, too: what the volume stands on, and is made anew with."""

    backing: Sequence[pulumi.Resource]
    namespace: pulumi.Input[str]
    base_name: str
    handle: pulumi.Input[str]
    address: pulumi.Input[str]
    filesystem: pulumi.Input[str]
    capacity_gib: pulumi.Input[str]
    labels: pulumi.Input[dict[str, str]] = field(default_factory=dict[str, str])

    def check(self) -> None:
        names_are_of("base_name", NameKind.KUBERNETES, self.base_name, "pvc")


class LustreVolume(Component, in_cluster=True):
    mount: VolumeMount

    def __init__(
        self, name: str, args: LustreVolumeArgs, opts: pulumi.ResourceOptions | None = None
    ) -> None:
        super().__init__(
            "gke-ai:index:LustreVolume",
            name,
            args,
            formerly("lustre_volume:LustreVolume", opts),
        )
        self.mount = static_volume(
            self,
            name,
            args.backing,
            StaticVolume(
                namespace=args.namespace,
                base_name=args.base_name,
                capacity=pulumi.Output.concat(args.capacity_gib, "Gi"),
                csi={
                    "driver": _DRIVER,
                    "volume_handle": args.handle,
                    "volume_attributes": {"ip": args.address, "filesystem": args.filesystem},
                },
                labels=args.labels,
            ),
        )
        self.register_outputs(self.mount.as_outputs())
