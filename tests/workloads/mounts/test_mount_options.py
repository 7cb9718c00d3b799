"""The mount options of every stack, told to the real Cloud Storage FUSE.

It cannot prove that GKE's sidecar of the day is of this version: which it has is not published.
"""

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from sandbox.gke.gcsfuse_mounts import refusal
from stacks.parts.buckets.build import mount_options
from stacks.parts.buckets.config import LogSeverity
from tests.unit.bucket_samples import planned
from tests.unit.test_gcsfuse_options import EVERYTHING
from tests.workloads.mounts.conftest import Mounting
from tests.workloads.mounts.fuse_mount import FuseMount, MountError
from tests.workloads.mounts.pod_bucket import PodBucket
from tests.workloads.mounts.stack_buckets import STACKS, buckets_of

BUCKETS = {stack: found for stack in STACKS if (found := buckets_of(stack))}


def bucket(*more: str, hierarchical: bool = True, files: int = 1, **config: Any) -> PodBucket:
    options = mount_options(planned(files=files, **config)).as_mount_options()
    return PodBucket((*options, *more), hierarchical, None, None)


def write_and_rename(folder: Path) -> None:
    """What Orbax and pip do: a tree is written beside its place, and put there by its name."""
    (folder / "new" / "deep").mkdir(parents=True)
    (folder / "new" / "deep" / "file").write_bytes(b"first")
    (folder / "new").rename(folder / "run")
    with (folder / "run" / "deep" / "file").open("ab") as file:
        file.write(b" second")
    assert (folder / "run" / "deep" / "file").read_bytes() == b"first second"
    assert [it.name for it in folder.iterdir() if not it.name.startswith(".")] == ["run"]


def effective(mounted: FuseMount) -> str:
    """What FUSE goes by, without what is another for each mount."""
    (line,) = [it for it in mounted.said() if "Full Config" in it]
    found: dict[str, Any] = json.loads(line)["Full Config"]
    del found["MachineType"]
    here = str(mounted.folder.parent)
    return json.dumps(found, indent=1).replace(here, "").replace(mounted.address, "")


@pytest.mark.parametrize("stack", BUCKETS)
def test_every_pod_writes_renames_and_reads_with_the_options_of_its_stack(
    stack: str, mount: Mounting
) -> None:
    for pod in dict.fromkeys(BUCKETS[stack].values()):
        mounted = mount(pod)
        write_and_rename(mounted.folder)
        found = (mounted.folder / "run" / "deep" / "file").stat()
        given = dict(it.split("=") for it in pod.options if "=" in it)
        assert (found.st_uid, found.st_gid) == (int(given.get("uid", 0)), int(given.get("gid", 0)))
        assert f"{found.st_mode & 0o777:o}" == given.get("file-mode", "644")


@pytest.mark.parametrize("hierarchical", [True, False])
def test_fuse_takes_every_option_that_a_config_can_have(
    hierarchical: bool, mount: Mounting
) -> None:
    write_and_rename(mount(bucket(hierarchical=hierarchical, **EVERYTHING)).folder)


@pytest.mark.parametrize("severity", LogSeverity)
def test_fuse_logs_as_much_as_a_config_says(severity: LogSeverity, mount: Mounting) -> None:
    mount(bucket(log_severity=severity))


@pytest.mark.parametrize("config", [{}, EVERYTHING, {"implicit_dirs": False}])
def test_what_a_config_says_holds_on_machines_for_which_fuse_has_defaults_of_its_own(
    config: dict[str, Any], mount: Mounting
) -> None:
    whole = {"rename_dir_limit": 1000} | config
    usual, large = (
        effective(mount(bucket(f"machine-type:{name}", hierarchical=False, **whole)))
        for name in ("e2-standard-4", "a4-highgpu-8g")
    )
    assert usual == large


@pytest.mark.parametrize(
    ("option", "named"),
    [
        ("file-cache:max-size-mb:-7", "max-size-mb for file-cache"),
        ("write:global-max-block:4", "global-max-block"),
        ("write:global-max-blocks:many", "write.global-max-blocks"),
        ("logging:severity:loud", "logging.severity"),
        ("dir-mode=999", "dir-mode"),
        ("rename-dir-limits=4", "rename-dir-limits"),
    ],
)
def test_an_option_that_fuse_refuses_is_named(option: str, named: str, mount: Mounting) -> None:
    with pytest.raises(MountError, match=named):
        mount(bucket(option))


def test_the_sandbox_refuses_what_fuse_refuses_in_its_words(mount: Mounting) -> None:
    pod = bucket("file-cache:enable-parallel-downloads:true")
    with pytest.raises(MountError) as caught:
        mount(pod)
    assert refusal(pod.options) in str(caught.value)
    assert refusal(pod.options)


def test_a_flat_bucket_without_a_limit_renames_no_folder_of_files(mount: Mounting) -> None:
    """So every stack with a flat bucket has one; folders of a hierarchical bucket need none."""
    limited = bucket(hierarchical=False)
    assert not any("rename-dir-limit" in it for it in limited.options)
    with pytest.raises(OSError, match="Too many open files"):
        write_and_rename(mount(limited).folder)


def test_only_a_directory_of_the_bucket_is_mounted_where_a_config_says_so(mount: Mounting) -> None:
    whole = mount(bucket())
    (whole.folder / "runs").mkdir()
    (whole.folder / "runs" / "file").write_bytes(b"inside")
    whole.stop()
    whole.pod = replace(whole.pod, options=(*whole.pod.options, "only-dir=runs"))
    whole.start()
    assert (whole.folder / "file").read_bytes() == b"inside"
