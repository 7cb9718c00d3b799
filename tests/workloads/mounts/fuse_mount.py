"""Cloud Storage FUSE, mounted as GKE does it: the driver opens /dev/fuse and mounts it, and the
sidecar's gcsfuse serves what comes through.

Source: GoogleCloudPlatform/gcs-fuse-csi-driver pkg/csi_mounter/csi_mounter.go, pkg/util/util.go and
pkg/sidecar_mounter/sidecar_mounter_config.go (commit 5fcdc04a of 2026-08-21). Left out: what sets
the kernel's read-ahead, and the machine type, whose own defaults the options of the stacks leave
nothing to (test_mount_options.py). Added: where Cloud Storage is here.
"""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import yaml

from tests.conftest import ROOT
from tests.workloads.mounts.bucket import Bucket
from tests.workloads.mounts.needs import DEVICE
from tests.workloads.mounts.pod_bucket import PodBucket
from tests.workloads.mounts.storage import storage

GCSFUSE = ROOT / ".tools" / "bin" / "gcsfuse"
_KERNEL = "nodev,nosuid,allow_other,default_permissions,rootmode=40000,user_id=0,group_id=0"
_OF_THE_DRIVER = ("read_ahead_kb=",)
_MIB = 1 << 20
# It ends at once, but for files that somebody still has open.
_SECONDS = 60


class MountError(Exception):
    """Cloud Storage FUSE has ended, and what it said at last."""


class FuseMount:
    """The pod's sidecar and its volume. `folder` is where the bucket is, once it is mounted."""

    def __init__(self, pod: PodBucket, address: str, root: Path) -> None:
        self.pod = pod
        self.folder = root / "bucket"
        self.address = address
        self._disk, self._log = root / "sidecar", root / "gcsfuse.log"
        self._process: subprocess.Popen[bytes] | None = None
        self._mounted: list[Path] = []
        self.memory_mib = self.disk_mib = 0

    def start(self) -> None:
        for folder in (self.folder, self._disk):
            folder.mkdir(exist_ok=True)
        size = "" if self.pod.disk_mib is None else f"size={self.pod.disk_mib}m"
        # More than the limit, for which the kubelet evicts a pod, does not fit here.
        self._mount("tmpfs", self._disk, size)
        for name in ("buffer", "cache"):
            (self._disk / name).mkdir()
        device = os.open(DEVICE, os.O_RDWR)
        try:
            self._mount("fuse", self.folder, f"{_KERNEL},fd={device}", device)
            command = [str(GCSFUSE), *self._flags(), "bucket", f"/dev/fd/{device}"]
            with self._log.open("ab") as log:
                self._process = subprocess.Popen(
                    command, pass_fds=[device], stdout=log, stderr=subprocess.STDOUT
                )
        finally:
            os.close(device)
        try:
            # Waits until gcsfuse is there, and fails where it ended.
            os.statvfs(self.folder)
        except OSError:
            self._end()
            raise MountError(self.said()[-1]) from None

    def said(self) -> list[str]:
        return self._log.read_text(encoding="utf-8").splitlines()

    def measure(self) -> None:
        """What the sidecar takes: the most memory so far, and the disk now."""
        assert self._process
        status = Path(f"/proc/{self._process.pid}/status").read_text(encoding="utf-8")
        peak = next(it for it in status.splitlines() if it.startswith("VmHWM:"))
        self.memory_mib = max(self.memory_mib, int(peak.split()[1]) >> 10)
        disk = os.statvfs(self._disk)
        used = (disk.f_blocks - disk.f_bfree) * disk.f_frsize // _MIB
        self.disk_mib = max(self.disk_mib, used)

    def kill(self) -> None:
        """As when the sidecar runs out of memory; what was not closed is lost."""
        assert self._process
        self.measure()
        self._process.kill()
        self._end()

    def stop(self) -> None:
        if self._process and self._process.poll() is None:
            self.measure()
        self._end()

    def _end(self) -> None:
        while self._mounted:
            subprocess.run(["umount", "-l", str(self._mounted.pop())], check=True)
        if self._process:
            self._process.wait(_SECONDS)

    def _mount(self, kind: str, folder: Path, options: str, *descriptors: int) -> None:
        more = ["-o", options] if options else []
        command = ["mount", "-i", "-t", kind, *more, kind, str(folder)]
        subprocess.run(command, pass_fds=descriptors, check=True)
        self._mounted.append(folder)

    def _flags(self) -> list[str]:
        """An option with a colon goes to the config file, any other is a flag."""
        flags = {
            "app-name": "gke-gcs-fuse-csi",
            "temp-dir": str(self._disk / "buffer"),
            "config-file": str(self._disk / "config.yaml"),
            "foreground": "true",
            "uid": "0",
            "gid": "0",
            "custom-endpoint": self.address,
            "anonymous-access": "true",
        }
        told = {"logging:file-path": "/dev/fd/1", "logging:format": "json", "cache-dir": ""}
        for option in self.pod.options:
            if option.startswith(_OF_THE_DRIVER):
                continue
            if ":" in option and "=" not in option:
                name, _, told[name] = option.rpartition(":")
            else:
                name, _, flags[name] = option.partition("=")
        if told.get("file-cache:max-size-mb", "0") != "0":
            told["cache-dir"] = str(self._disk / "cache")
        (self._disk / "config.yaml").write_text(yaml.safe_dump(_nested(told.items())))
        return [f"--{name}={value}" if value else f"--{name}" for name, value in flags.items()]


@contextmanager
def mounted(pod: PodBucket, root: Path) -> Iterator[FuseMount]:
    """A new bucket, mounted as the pod has it."""
    objects = root / "objects"
    objects.mkdir()
    with storage(Bucket("bucket", objects, hierarchical=pod.hierarchical)) as address:
        mount = FuseMount(pod, address, root)
        try:
            mount.start()
            yield mount
        finally:
            mount.stop()
            shutil.rmtree(objects)


def _nested(options: Iterable[tuple[str, str]]) -> dict[str, Any]:
    whole: dict[str, Any] = {}
    for path, value in options:
        *parents, last = path.split(":")
        here = whole
        for parent in parents:
            here = here.setdefault(parent, {})
        here[last] = _typed(value)
    return whole


def _typed(value: str) -> int | bool | str:
    """As the sidecar does: YAML would take "off" for no."""
    if value in ("true", "false"):
        return value == "true"
    return int(value) if value.removeprefix("-").isdecimal() else value
