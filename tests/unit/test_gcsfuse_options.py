"""What a config says of a mounted bucket, as far as it reaches pods; no bucket is ever mounted.

PUBLISHED is from GoogleCloudPlatform/gcsfuse cfg/params.yaml, commit 7b392927 of 2026-08-20, read
2026-11-21; `read_ahead_kb` is the CSI driver's own.
"""

from typing import Any

import pytest

from catalog import Catalog
from stacks.config import ConfigError, validate
from stacks.parts.buckets.build import annotations, mount_options
from stacks.parts.buckets.config import GcsFuseSidecar, LogSeverity
from stacks.parts.buckets.plan import sized_sidecar
from stacks.parts.buckets.rules import mount_problems
from tests.conftest import Recording, Register, changed, stack_config
from tests.parts.samples import TPU
from tests.unit.bucket_samples import planned
from tests.unit.stack_graphs import built

PUBLISHED = {
    *("implicit-dirs", "only-dir", "uid", "gid", "dir-mode", "file-mode", "read_ahead_kb"),
    *("metadata-cache:negative-ttl-secs", "metadata-cache:ttl-secs"),
    *("metadata-cache:stat-cache-max-size-mb",),
    *("file-cache:max-size-mb", "file-cache:cache-file-for-range-read"),
    *("file-cache:enable-parallel-downloads", "file-cache:parallel-downloads-per-file"),
    *("write:enable-streaming-writes", "write:global-max-blocks", "write:max-blocks-per-file"),
    *("file-system:rename-dir-limit", "file-system:kernel-list-cache-ttl-secs"),
    *("logging:severity", "logging:format"),
}
MOUNT = "buckets__bucket__mount"
FACTS = Catalog.load()
EVERYTHING = {
    "file_cache_mib": 64,
    "uid": 1000,
    "gid": 100,
    "directory_mode": "775",
    "file_mode": "664",
    "only_dir": "runs",
    "rename_dir_limit": 1000,
    "kernel_list_cache_ttl_s": -1,
    "log_severity": LogSeverity.TRACE,
}

_WIDE = {
    "pools__tpu__topology": "8x8",
    "jobs__maxtext__ici": {"fsdp": 16, "tensor": 4},
    "jobs__maxtext__per_device_batch_size": 1,
}
_ON_V5E = {
    "zone": "us-central1-a",
    "pools__tpu__machine_type": "ct5lp-hightpu-4t",
    "pools__tpu__libtpu_flags": [],
    "ray__tpu__workers__tpu__requests": {"cpu": 8, "memory_gib": 100},
    "jobs__maxtext__per_device_batch_size": 1,
}
_AUTOPILOT = {"cluster": {"mode": "autopilot"}, "pools__cpu": None}


def name_of(option: str) -> str:
    return option.partition("=")[0] if "=" in option else option.rpartition(":")[0] or option


def problems(*, autopilot: bool = False, files: int = 1, **mount: Any) -> list[tuple[str, str]]:
    found = mount_problems(planned(files=files, **mount), autopilot=autopilot)
    return [(one.field.removeprefix("buckets."), one.message) for one in found]


def limits(files: int, **mount: Any) -> GcsFuseSidecar:
    return planned(**mount).limits_for(files)


def asked_of_fuse(**mount: Any) -> list[str]:
    return mount_options(planned(**mount)).as_mount_options()


def with_account(register: Register, name: str) -> Recording:
    return built(register, "verl-b200", service_account=name)


def with_bucket(register: Register, **values: Any) -> Recording:
    return built(
        register, "verl-b200", **{f"buckets__bucket__{key}": it for key, it in values.items()}
    )


def test_fuse_knows_every_option_by_its_name() -> None:
    asked = asked_of_fuse(**EVERYTHING)
    names = {name_of(it) for it in asked}
    assert names <= PUBLISHED
    assert len(names) == len(asked)


def test_without_a_read_cache_fuse_is_not_told_how_to_fill_it() -> None:
    """It ends at once where it is to download in parallel into no cache."""
    cached = {
        "file-cache:cache-file-for-range-read:true",
        "file-cache:enable-parallel-downloads:true",
    }
    assert not cached & {*asked_of_fuse()}
    assert cached <= {*asked_of_fuse(file_cache_mib=64)}
    assert "file-cache:max-size-mb:0" in asked_of_fuse()


def test_what_is_off_is_said_to_be_off() -> None:
    """FUSE turns it on by itself on large machines."""
    assert "implicit-dirs" in asked_of_fuse()
    assert "implicit-dirs=false" in asked_of_fuse(implicit_dirs=False)


@pytest.mark.parametrize(("files", "cpu", "memory_gib"), [(1, 0.25, 1), (8, 2, 1), (16, 4, 2)])
def test_the_sidecar_is_sized_by_the_files_that_a_pod_writes_at_once(
    files: int, cpu: float, memory_gib: int
) -> None:
    sized = limits(files)
    assert (sized.cpu, sized.memory_gib, sized.ephemeral_storage_gib) == (cpu, memory_gib, None)


def test_its_size_holds_what_eight_files_were_measured_to_take() -> None:
    """Eight files written at once by gcsfuse 3.8.5 on 2026-11-22: 572 MiB resident at the most."""
    usual = FACTS.gcsfuse_sidecar
    given = limits(8).memory_gib
    assert given is not None
    assert usual.memory_mib < 572 < given * 1024


def test_a_sidecar_smaller_than_its_writers_need_is_refused() -> None:
    ((field, message),) = problems(files=16, sidecar={"memory_gib": 1})
    assert field == "bucket.mount.sidecar.memory_gib"
    assert message.endswith("nearest: 2")
    assert not problems(files=16, sidecar={"memory_gib": 2})
    assert not problems(files=16, sidecar={"memory_gib": 0})


def test_what_is_kept_of_names_and_sizes_counts_where_it_is_believed() -> None:
    kept = {"stat_cache_mib": 1024, "sidecar": {"memory_gib": 1}}
    assert not problems(**kept)
    ((field, message),) = problems(**kept, metadata_ttl_s=60)
    assert field == "bucket.mount.sidecar.memory_gib"
    assert message.endswith("nearest: 2")


def test_as_many_files_are_streamed_as_a_pod_writes() -> None:
    counts = [planned(files=files).streamed_files for files in (1, 8, 5000)]
    assert counts == [4, 8, 1600]
    assert "write:global-max-blocks:4" in asked_of_fuse()
    ((field, message),) = problems(files=8, write_global_max_blocks=4)
    assert field == "bucket.mount.write_global_max_blocks"
    assert message.endswith("nearest: 8")
    assert not problems(files=8, write_global_max_blocks=8)


@pytest.mark.parametrize(
    ("values", "streams"),
    [
        # FUSE's own number on its large machines, where the sidecar has no limit of memory.
        ({}, 1600),
        # As many as a host writes of a checkpoint: files of 2 GiB, 16 hosts.
        ({"jobs__maxtext__model": "llama3-70b", **_WIDE}, 1600),
        ({"buckets__data__mount__write_global_max_blocks": 40}, 40),
        # Machines that FUSE does not call large.
        (_ON_V5E, 6),
        # Every container has a limit there.
        (_AUTOPILOT, 6),
    ],
)
def test_on_tpu_hosts_as_many_files_are_streamed_as_fuse_or_a_host_has(
    values: dict[str, Any], streams: int
) -> None:
    assert validate(changed(TPU, **values)).buckets["data"].streamed_files == streams


def test_on_autopilot_the_sidecar_of_a_tpu_host_has_room_for_what_the_host_writes() -> None:
    plan = validate(changed(TPU, **_AUTOPILOT))
    (ray,) = plan.ray.values()
    workers, head = ray.limits(head=False), ray.limits(head=True)
    assert workers is not None
    assert head is not None
    # 96 GB over 8 hosts are 6 files of 2 GiB, each with 96 MiB and the 250m of one sidecar.
    assert ray.files_at_once == 6
    assert (workers.memory_gib, workers.millicores) == (1, 1500)
    assert (head.memory_gib, head.millicores) == (1, 250)
    elastic = validate(changed(TPU, **_AUTOPILOT, jobs__maxtext__elastic={}))
    (shrinking,) = elastic.ray.values()
    # One slice writes what two did.
    assert shrinking.files_at_once == 12
    limits = shrinking.limits(head=False)
    assert limits is not None
    assert limits.memory_gib == 2


def test_a_bucket_that_others_mount_too_has_no_more_streams_than_their_sidecars_hold() -> None:
    script = {
        "type": "script",
        "command": ["true"],
        "image": "python:3.12-slim",
        "nodes": 1,
        "pool": "cpu",
        "requests": {"cpu": 1, "memory_gib": 4},
    }
    shared = validate(changed(TPU, jobs__other=script))
    assert shared.scripts["other"].buckets
    assert shared.buckets["data"].streamed_files == 6


def test_names_and_sizes_that_nobody_believes_are_not_read_at_the_mount() -> None:
    ((field, message),) = problems(metadata_prefetch=True)
    assert field == "bucket.mount.metadata_prefetch"
    assert message.endswith("nearest: false")
    assert not problems(metadata_prefetch=True, metadata_ttl_s=60)


def test_reading_them_takes_a_second_sidecar() -> None:
    config = stack_config("verl-b200")
    read_ahead = {
        f"{MOUNT}__metadata_prefetch": True,
        f"{MOUNT}__metadata_ttl_s": 60,
    }
    plain, second = (
        validate(it).ray["b200-ray-cluster"].sidecar(head=False)
        for it in (config, changed(config, **read_ahead))
    )
    assert plain is not None
    assert second is not None
    assert second.cpu_millicores == plain.cpu_millicores + 10


def test_the_sidecar_has_the_limits_of_the_scenario() -> None:
    limits = GcsFuseSidecar(cpu=0, memory_gib=5, ephemeral_storage_gib=10)
    assert annotations(limits) == {
        "gke-gcsfuse/volumes": "true",
        "gke-gcsfuse/cpu-limit": "0",
        "gke-gcsfuse/memory-limit": "5Gi",
        "gke-gcsfuse/ephemeral-storage-limit": "10Gi",
    }


def test_a_part_of_a_cpu_is_a_limit_in_millicores() -> None:
    assert annotations(GcsFuseSidecar(cpu=0.5))["gke-gcsfuse/cpu-limit"] == "500m"


def test_the_sidecar_requests_what_it_is_limited_to_and_the_usual_without_a_limit() -> None:
    asked = GcsFuseSidecar(cpu=0, memory_gib=5, ephemeral_storage_gib=10)
    sized = sized_sidecar(asked, FACTS.gcsfuse_sidecar)
    assert (sized.cpu_millicores, sized.memory_mib) == (250, 5120)
    assert sized.ephemeral_storage_mib == 10240


def test_autopilot_has_every_sidecar_limited() -> None:
    found = problems(autopilot=True, sidecar={"cpu": 0, "memory_gib": 0})
    assert [field.rpartition(".")[2] for field, _ in found] == ["cpu", "memory_gib"]
    assert [message.rpartition(" ")[2] for _, message in found] == ["0.25", "1"]
    assert not problems(sidecar={"cpu": 0, "memory_gib": 0})


def test_a_cache_without_a_bound_is_refused_where_the_disk_has_one() -> None:
    for sidecar in ({}, {"ephemeral_storage_gib": 25}):
        ((field, _),) = problems(file_cache_mib=-1, sidecar=sidecar)
        assert field == "bucket.mount.file_cache_mib"
    assert not problems(file_cache_mib=-1, sidecar={"ephemeral_storage_gib": 0})


def test_no_limit_given_is_gkes_own() -> None:
    ((_, message),) = problems(file_cache_mib=5120)
    assert message.endswith("nearest: 5119")
    assert not problems(file_cache_mib=5119)


def test_the_cache_is_smaller_than_the_disk_of_the_sidecar_that_holds_it() -> None:
    sidecar = {"ephemeral_storage_gib": 10}
    ((field, message),) = problems(file_cache_mib=10240, sidecar=sidecar)
    assert field == "bucket.mount.file_cache_mib"
    assert message.endswith("nearest: 10239")
    assert not problems(file_cache_mib=10239, sidecar=sidecar)


def test_pods_have_the_role_that_the_config_gives_them(register: Register) -> None:
    usual, admin = with_bucket(register), with_bucket(register, role="objectAdmin")
    assert usual.one(":BucketIAMMember").inputs["role"] == "roles/storage.objectUser"
    assert admin.one(":BucketIAMMember").inputs["role"] == "roles/storage.objectAdmin"


def test_the_bucket_is_used_by_the_account_of_the_config(register: Register) -> None:
    made = with_account(register, "trainer")
    assert made.one(":ServiceAccount").inputs["metadata"]["name"] == "trainer"
    assert made.one(":BucketIAMMember").inputs["member"].endswith("/sa/trainer")


def test_the_account_that_every_namespace_has_gets_no_bucket(register: Register) -> None:
    """All pods of the namespace would have it that name no account."""
    with pytest.raises(ConfigError, match="Kubernetes makes one of this name in every namespace"):
        with_account(register, "default")


@pytest.mark.parametrize(("real_folders", "limit"), [(False, 200000), (True, None)])
def test_directories_of_a_flat_bucket_can_be_renamed(
    register: Register, real_folders: bool, limit: int | None
) -> None:
    """Without a limit of its own FUSE renames none there, and MaxText's checkpoints are renamed."""
    values = {"hierarchical_namespace": real_folders, "force_destroy": False}
    volume = with_bucket(register, **values).named("bucket-volume-volume").inputs["spec"]
    name = "file-system:rename-dir-limit:"
    found = [it.removeprefix(name) for it in volume["mountOptions"] if it.startswith(name)]
    assert found == ([] if limit is None else [str(limit)])
