"""A bucket as what pods mount for as long as they live."""

from collections.abc import Sequence
from dataclasses import dataclass

import pulumi
import pulumi_gcp as gcp

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
