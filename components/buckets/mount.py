"""A bucket that pods mount for as long as they live, and what pods with mounts hold on to."""

from collections.abc import Sequence
from dataclasses import dataclass

import pulumi
import pulumi_gcp as gcp

from ..base.arguments import refuse
from ..base.static_volume import VolumeMount
from ..ray.manifest import BucketMount


@dataclass(frozen=True, kw_only=True)
class BucketMountArgs:
    """A bucket as a volume that lives with each pod; `options` are Cloud Storage FUSE's. `bucket`
    is None for one that exists already."""

    bucket: gcp.storage.Bucket | None = None
    bucket_name: pulumi.Input[str]
    options: Sequence[str]
    skip_access_check: bool
    prefetch_metadata: bool

    def resources(self) -> list[pulumi.Resource]:
        """What pods that mount it are replaced with."""
        return [] if self.bucket is None else [self.bucket]

    def as_mount(self) -> BucketMount:
        return BucketMount(
            bucket_name=self.bucket_name,
            options=self.options,
            skip_access_check=self.skip_access_check,
            prefetch_metadata=self.prefetch_metadata,
        )


@dataclass(frozen=True, kw_only=True)
class MountArgs:
    """One of `volume`, `bucket` and `claim_name`, of a claim that exists already, is given; `name`
    tells a pod's volumes apart."""

    name: str
    volume: VolumeMount | None = None
    bucket: BucketMountArgs | None = None
    claim_name: pulumi.Input[str] | None = None

    def check(self) -> None:
        names = ("volume", "bucket", "claim_name")
        given = [it for it in names if getattr(self, it) is not None]
        if len(given) != 1:
            refuse(
                "volume",
                " and ".join(given) or None,
                "is not one thing to mount: a volume, a bucket or the name of a claim",
                f"{given[0] if given else 'volume'} alone",
            )

    @property
    def held(self) -> list[pulumi.Resource]:
        """What cannot go before the pods that mount it have."""
        return [
            *([] if self.volume is None else self.volume.resources()),
            *([] if self.bucket is None else self.bucket.resources()),
        ]
