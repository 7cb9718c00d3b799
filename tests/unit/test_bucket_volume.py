"""Volume and claim on a bucket, as registered; what FUSE makes of the options is Google's."""

from dataclasses import replace
from typing import Any

import pulumi_gcp as gcp

from components.bucket_volume import BucketVolume, BucketVolumeArgs
from stacks.parts.buckets.build import mount_options
from stacks.parts.buckets.config import LogSeverity
from tests.conftest import Recording, Register
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
        BucketVolume("volume", replace(args, **values))

    return register(program)


def test_the_volume_is_the_bucket_and_never_takes_it_along(register: Register) -> None:
    spec = made(register).one(":PersistentVolume").inputs["spec"]
    assert spec["csi"] == {
        "driver": "gcsfuse.csi.storage.gke.io",
        "volumeHandle": "rl-demo-data",
        "volumeAttributes": {
            "skipCSIBucketAccessCheck": "true",
            "gcsfuseMetadataPrefetchOnMount": "false",
        },
    }
    assert spec["persistentVolumeReclaimPolicy"] == "Retain"
    assert spec["accessModes"] == ["ReadWriteMany"]


def test_the_drivers_attributes_can_be_others(register: Register) -> None:
    recording = made(register, skip_access_check=False, prefetch_metadata=True)
    csi = recording.one(":PersistentVolume").inputs["spec"]["csi"]
    assert csi["volumeAttributes"] == {
        "skipCSIBucketAccessCheck": "false",
        "gcsfuseMetadataPrefetchOnMount": "true",
    }


def test_volume_and_claim_find_each_other_by_name_class_and_size(register: Register) -> None:
    recording = made(register)
    volume = recording.one(":PersistentVolume").inputs
    claim = recording.one(":PersistentVolumeClaim").inputs
    assert volume["spec"]["claimRef"] == {"namespace": "rl", "name": "rl-demo-data-pvc"}
    assert claim["metadata"]["name"] == "rl-demo-data-pvc"
    assert claim["spec"]["volumeName"] == volume["metadata"]["name"] == "rl-demo-data-pv"
    for spec in (volume["spec"], claim["spec"]):
        assert spec["storageClassName"] == "gcsfuse-sc"
    size = {"storage": "768Gi"}
    assert volume["spec"]["capacity"] == claim["spec"]["resources"]["requests"] == size


def test_it_is_mounted_for_large_files_that_nodes_write_for_each_other(
    register: Register,
) -> None:
    assert made(register).one(":PersistentVolume").inputs["spec"]["mountOptions"] == [
        "implicit-dirs",
        "metadata-cache:negative-ttl-secs:0",
        "metadata-cache:ttl-secs:0",
        "metadata-cache:stat-cache-max-size-mb:32",
        "file-cache:max-size-mb:0",
        "read_ahead_kb=1024",
        "write:enable-streaming-writes:true",
        "write:global-max-blocks:8",
    ]


def test_every_mount_option_can_be_another() -> None:
    bucket = planned(
        implicit_dirs=False,
        write_global_max_blocks=7,
        rename_dir_limit=8,
        metadata_negative_ttl_s=1,
        metadata_ttl_s=2,
        stat_cache_mib=3,
        file_cache_mib=5,
        cache_file_for_range_read=False,
        parallel_downloads=False,
        read_ahead_kib=6,
        streaming_writes=False,
        uid=1000,
        gid=100,
        only_dir="runs/first",
        kernel_list_cache_ttl_s=-1,
        log_severity=LogSeverity.WARNING,
    )
    assert mount_options(bucket).as_mount_options() == [
        "implicit-dirs=false",
        "metadata-cache:negative-ttl-secs:1",
        "metadata-cache:ttl-secs:2",
        "metadata-cache:stat-cache-max-size-mb:3",
        "file-cache:max-size-mb:5",
        "file-cache:cache-file-for-range-read:false",
        "file-cache:enable-parallel-downloads:false",
        "read_ahead_kb=6",
        "write:enable-streaming-writes:false",
        "write:global-max-blocks:7",
        "uid=1000",
        "gid=100",
        "only-dir=runs/first",
        "file-system:rename-dir-limit:8",
        "file-system:kernel-list-cache-ttl-secs:-1",
        "logging:severity:warning",
    ]


def test_both_are_replaced_together_and_never_beside_themselves(register: Register) -> None:
    recording = made(register)
    for kind in (":PersistentVolume", ":PersistentVolumeClaim"):
        assert recording.one(kind).replace_on_changes == ("spec",)
        assert recording.one(kind).delete_before_replace
