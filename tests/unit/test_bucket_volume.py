"""Volume and claim on a bucket, as registered; what FUSE makes of the options is Google's."""

from dataclasses import replace
from typing import Any

import pulumi_gcp as gcp

from components.buckets.volume import BucketVolume, BucketVolumeArgs
from stacks.parts.buckets.build import mount_options
from tests.conftest import Recording, Register, inside
from tests.unit.bucket_samples import planned


def made(register: Register, **values: Any) -> Recording:
    def program() -> None:
        args = BucketVolumeArgs(
            bucket=gcp.storage.Bucket("bucket", location="US-EAST1"),
            bucket_name="rl-demo-data",
            namespace="rl",
            base_name="rl-demo-data",
            storage_class="gcsfuse-sc",
            capacity_gib=768,
            options=mount_options(planned(files=8)),
            labels={"stack": "test"},
            skip_access_check=True,
            prefetch_metadata=False,
        )
        BucketVolume("volume", replace(args, **values), opts=inside())

    return register(program)


def test_both_are_replaced_together_and_never_beside_themselves(register: Register) -> None:
    recording = made(register)
    for kind in (":PersistentVolume", ":PersistentVolumeClaim"):
        assert recording.one(kind).replace_on_changes == ("spec",)
        assert recording.one(kind).delete_before_replace
