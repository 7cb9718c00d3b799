"""A folder of a bucket that has a model in it, as what a server's pods read."""

from dataclasses import dataclass

import pulumi

from components.bucket_mount import BucketMountArgs
from components.inference_manifest import ModelFolder


@dataclass(frozen=True, kw_only=True)
class ModelFolderArgs:
    """`model_path` is the folder in `bucket`, which is mounted under `mount_path` by what GKE adds
    to pods that say so in their `annotations`; `service_account` may read it."""

    bucket: BucketMountArgs
    mount_path: str
    model_path: str
    annotations: dict[str, str]
    service_account: pulumi.Input[str]

    def as_folder(self) -> ModelFolder:
        return ModelFolder(
            bucket=self.bucket.as_mount(),
            mount_path=self.mount_path,
            model_path=self.model_path,
            annotations=self.annotations,
            service_account=self.service_account,
        )
