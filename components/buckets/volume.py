"""A bucket as a volume and a claim on it, mounted with Cloud Storage FUSE.

The bucket outlives both. Leaves out the grant that lets a pod's service account in.
"""

from dataclasses import dataclass, field

import pulumi
import pulumi_gcp as gcp

from ..base.arguments import at_least
from ..base.component import Component
from ..base.gcsfuse import GcsFuseMountOptions, volume_attributes
from ..base.naming import NameKind, names_are_of
from ..base.static_volume import StaticVolume, VolumeMount, static_volume
from ..base.tokens import formerly

_DRIVER = "gcsfuse.csi.storage.gke.io"


@dataclass(frozen=True, kw_only=True)
class BucketVolumeArgs:
    """`bucket_name` is known once pods may use the bucket; `bucket` is None for one that exists
    already.

    `capacity_gib` limits nothing: Kubernetes asks for a size, and a bucket has none. The access
    check needs a role that reads the bucket itself; `skip_access_check` spares it.
    """

    bucket: gcp.storage.Bucket | None
    bucket_name: pulumi.Input[str]
    namespace: pulumi.Input[str]
    base_name: str
    storage_class: str
    capacity_gib: int
    options: GcsFuseMountOptions
    skip_access_check: bool
    prefetch_metadata: bool
    labels: pulumi.Input[dict[str, str]] = field(default_factory=dict[str, str])

    def check(self) -> None:
        names_are_of("base_name", NameKind.KUBERNETES, self.base_name, "pvc")
        at_least("capacity_gib", self.capacity_gib, 1, "is no size that Kubernetes takes")


class BucketVolume(Component, in_cluster=True):
    mount: VolumeMount

    def __init__(
        self, name: str, args: BucketVolumeArgs, opts: pulumi.ResourceOptions | None = None
    ) -> None:
        super().__init__(
            "gke-ai:index:BucketVolume",
            name,
            args,
            formerly("bucket_volume:BucketVolume", opts),
        )
        self.mount = static_volume(
            self,
            name,
            [] if args.bucket is None else [args.bucket],
            StaticVolume(
                namespace=args.namespace,
                base_name=args.base_name,
                capacity=f"{args.capacity_gib}Gi",
                csi={
                    "driver": _DRIVER,
                    "volume_handle": args.bucket_name,
                    "volume_attributes": volume_attributes(
                        skip_access_check=args.skip_access_check,
                        prefetch_metadata=args.prefetch_metadata,
                    ),
                },
                labels=args.labels,
                storage_class=args.storage_class,
                mount_options=args.options.as_mount_options(),
            ),
        )
        self.register_outputs(self.mount.as_outputs())
