"""The bucket of a stack, mounted by the real Cloud Storage FUSE as the stack's pods have it."""

from __future__ import annotations

import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.workloads.mounts.needs import missing, required
from tests.workloads.trainings.site import ROOT


@dataclass(frozen=True)
class MountedBucket:
    """`served` is None where nothing can be mounted here, and the folder is a plain one."""

    folder: Path
    served: subprocess.Popen[str] | None

    def lose(self) -> None:
        """The mount is killed; the next pod has its own."""
        if self.served:
            assert self.served.stdin
            self.served.stdin.write("lose\n")
            self.served.stdin.flush()
            self.wait()

    def wait(self) -> None:
        assert self.served
        assert self.served.stdout
        assert self.served.stdout.readline() == "mounted\n"


@contextmanager
def mounted(stack: str, root: Path) -> Iterator[MountedBucket]:
    """With an empty bucket; at the end, what the mount took is within the sidecar's limits."""
    folder = root / "bucket"
    if why := missing():
        if required():
            pytest.fail(why)
        folder.mkdir()
        yield MountedBucket(folder, None)
        return
    command = [str(ROOT / ".venv/bin/python"), "-m", "tests.workloads.mounts.serve", stack]
    pipe = subprocess.PIPE
    with subprocess.Popen(
        [*command, str(root)], cwd=ROOT, stdin=pipe, stdout=pipe, text=True
    ) as served:
        bucket = MountedBucket(folder, served)
        bucket.wait()
        try:
            yield bucket
        finally:
            said, _ = served.communicate()
            print(f"{stack}: {said}")
        assert served.returncode == 0, said
