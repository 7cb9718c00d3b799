"""What a config says of a mounted bucket, as far as it reaches pods; no bucket is ever mounted.

PUBLISHED is from GoogleCloudPlatform/gcsfuse cfg/params.yaml, commit 7b392927 of 2026-08-20, read
2026-11-21; `read_ahead_kb` is the CSI driver's own.
"""

from typing import Any

import pytest

from catalog import Sidecar
from stacks.blocks.bucket import GcsFuse, GcsFuseSidecar, LogSeverity
from stacks.bucket_storage import annotations, options
from stacks.config import ConfigError, validate
from stacks.rules.bucket import mount_problems, sized_sidecar
from tests.conftest import Recording, Register, changed, stack_config
from tests.unit.stack_graphs import built

PUBLISHED = {
    *("implicit-dirs", "only-dir", "uid", "gid", "dir-mode", "file-mode", "read_ahead_kb"),
    *("metadata-cache:negative-ttl-secs", "metadata-cache:ttl-secs"),
    *("metadata-cache:stat-cache-max-size-mb", "metadata-cache:type-cache-max-size-mb"),
    *("file-cache:max-size-mb", "file-cache:cache-file-for-range-read"),
    *("file-cache:enable-parallel-downloads", "file-cache:parallel-downloads-per-file"),
    *("write:enable-streaming-writes", "write:global-max-blocks", "write:max-blocks-per-file"),
    *("file-system:rename-dir-limit", "file-system:kernel-list-cache-ttl-secs"),
    *("logging:severity", "logging:format"),
}
USUAL = Sidecar(cpu_millicores=250, memory_mib=256, ephemeral_storage_mib=5120, source="a test")
EVERYTHING = GcsFuse(
    uid=1000,
    gid=100,
    directory_mode="775",
    file_mode="664",
    only_dir="runs",
    rename_dir_limit=1000,
    kernel_list_cache_ttl_s=-1,
    log_severity=LogSeverity.TRACE,
)


def name_of(option: str) -> str:
    return option.partition("=")[0] if "=" in option else option.rpartition(":")[0] or option


def problems(*, autopilot: bool = False, **mount: Any) -> list[tuple[str, str]]:
    found = mount_problems(GcsFuse.model_validate(mount), USUAL, autopilot=autopilot)
    return [(one.field, one.message) for one in found]


def with_bucket(register: Register, **values: Any) -> Recording:
    return built(register, "verl-b200", **{f"bucket__{key}": it for key, it in values.items()})


def test_fuse_knows_every_option_by_its_name() -> None:
    names = {name_of(it) for it in options(EVERYTHING).as_mount_options()}
    assert names <= PUBLISHED
    assert len(names) == len(options(EVERYTHING).as_mount_options())


@pytest.mark.parametrize(
    ("misspelt", "right"),
    [
        ("implicit_dir", "implicit_dirs"),
        ("kernel_list_cache_ttl_secs", "kernel_list_cache_ttl_s"),
        ("rename_dirs_limit", "rename_dir_limit"),
    ],
)
def test_an_option_that_fuse_does_not_know_is_told_the_nearest(misspelt: str, right: str) -> None:
    with pytest.raises(ConfigError) as caught:
        validate(changed(stack_config("verl-b200"), **{f"bucket__mount__{misspelt}": 1}))
    (line,) = caught.value.lines
    told = f"stack.bucket.mount.{misspelt}: there is no such key; nearest: {right}"
    assert line.startswith(told)


def test_a_severity_that_fuse_does_not_know_is_told_the_nearest() -> None:
    config = changed(stack_config("verl-b200"), bucket__mount__log_severity="warn")
    with pytest.raises(ConfigError, match="not one of them; nearest: warning"):
        validate(config)


def test_without_limits_the_sidecar_is_as_gke_has_it() -> None:
    assert annotations(GcsFuseSidecar()) == {"gke-gcsfuse/volumes": "true"}
    assert sized_sidecar(GcsFuseSidecar(), USUAL) == USUAL


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
    sized = sized_sidecar(GcsFuseSidecar(cpu=0, memory_gib=5, ephemeral_storage_gib=10), USUAL)
    assert (sized.cpu_millicores, sized.memory_mib) == (250, 5120)
    assert sized.ephemeral_storage_mib == 10240


def test_autopilot_has_every_sidecar_limited() -> None:
    found = problems(autopilot=True, sidecar={"cpu": 0, "memory_gib": 0})
    assert [field.rpartition(".")[2] for field, _ in found] == ["cpu", "memory_gib"]
    assert [message.rpartition(" ")[2] for _, message in found] == ["0.25", "1"]
    assert not problems(sidecar={"cpu": 0, "memory_gib": 0})


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
    made = with_bucket(register, account="trainer")
    assert made.one(":ServiceAccount").inputs["metadata"]["name"] == "trainer"
    assert made.one(":BucketIAMMember").inputs["member"].endswith("/sa/trainer")


def test_the_account_that_every_namespace_has_is_not_made_again(register: Register) -> None:
    made = with_bucket(register, account="default")
    assert "account" not in made.names()
    assert made.one(":BucketIAMMember").inputs["member"].endswith("/sa/default")
    worker = made.named("ray-cluster").inputs["spec"]["workerGroupSpecs"][0]["template"]
    assert worker["spec"]["serviceAccountName"] == "default"
