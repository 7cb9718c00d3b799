"""A file system that the pods of a script mount: a bucket, or a claim that is there."""

from dataclasses import dataclass
from typing import Any

import pulumi

from components.bucket_mount import BucketMountArgs
from components.pod_manifest import bucket_volume


@dataclass(frozen=True, kw_only=True)
class ScriptMountArgs:
    """One of `bucket` and `claim_name`, under `path`; `name` tells a pod's volumes apart."""

    name: str
    path: str
    bucket: BucketMountArgs | None = None
    claim_name: pulumi.Input[str] | None = None
    read_only: bool = False

    def __post_init__(self) -> None:
        """Raises ValueError where there is nothing to mount, or two things."""
        if (self.bucket is None) == (self.claim_name is None):
            raise ValueError(
                f"{self.name} mounts a bucket or a claim under {self.path}, and has "
                f"{'neither' if self.bucket is None else 'both'}; nearest: one of them"
            )

    def as_volume(self) -> tuple[dict[str, Any], dict[str, Any]]:
        """The volume and its mount, as Kubernetes has them."""
        mount: dict[str, Any] = {"name": self.name, "mountPath": self.path}
        if self.read_only:
            mount["readOnly"] = True
        if self.bucket is None:
            claim = {"claimName": self.claim_name}
            return {"name": self.name, "persistentVolumeClaim": claim}, mount
        bucket = self.bucket.as_mount()
        volume = bucket_volume(
            self.name,
            bucket.bucket_name,
            bucket.options,
            skip_access_check=bucket.skip_access_check,
            prefetch_metadata=bucket.prefetch_metadata,
        )
        return volume, mount
