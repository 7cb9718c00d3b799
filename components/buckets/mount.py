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


def one_given(
    argument: str,
    volume: VolumeMount | None,
    bucket: BucketMountArgs | None,
    claim_name: pulumi.Input[str] | None,
) -> None:
    """Refuses a mount of nothing, or of two things."""
    given = [
        name
        for name, it in (("volume", volume), ("bucket", bucket), ("claim_name", claim_name))
        if it is not None
    ]
    if len(given) != 1:
        several = " and ".join(given) or None
        refuse(
            argument,
            several,
            "is not one thing to mount: a volume, a bucket or the name of a claim",
            f"{given[0] if given else argument} alone",
        )


def held_by(volume: VolumeMount | None, bucket: BucketMountArgs | None) -> list[pulumi.Resource]:
    """What cannot go before pods that mount them have."""
    return [
        *([] if volume is None else volume.resources()),
        *([] if bucket is None else bucket.resources()),
    ]
