"""A bucket as what pods mount for as long as they live."""

from collections.abc import Sequence
from dataclasses import dataclass

import pulumi

from components.ray_manifest import BucketMount


@dataclass(frozen=True, kw_only=True)
class BucketMountArgs:
    """A bucket as a volume that lives with each pod; `options` are Cloud Storage FUSE's."""

    bucket_name: pulumi.Input[str]
    options: Sequence[str]
    skip_access_check: bool
    prefetch_metadata: bool

    def as_mount(self) -> BucketMount:
        return BucketMount(
            bucket_name=self.bucket_name,
            options=self.options,
            skip_access_check=self.skip_access_check,
            prefetch_metadata=self.prefetch_metadata,
        )
