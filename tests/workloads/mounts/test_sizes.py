"""What the mount takes of memory and disk, measured, and what the stacks give its sidecar.

It cannot prove what files of many GiB take: those written here fill every buffer of Cloud Storage
FUSE, which has none that grow with a file. Nor what hundreds of files take that are written at
once: a pod with more than MEASURED of them is measured with as many, and each of the others counted
alike.
"""

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from threading import Barrier

import pytest

from tests.workloads.mounts.conftest import Mounting
from tests.workloads.mounts.fuse_mount import FuseMount
from tests.workloads.mounts.pod_bucket import PodBucket
from tests.workloads.mounts.stack_buckets import STACKS, buckets_of

# Three of the blocks that Cloud Storage FUSE fills and sends.
PIECE, PIECES = bytes(4 << 20), 24
MEASURED = 16
PODS: dict[PodBucket, str] = {}
for _stack in STACKS:
    for _owner, _pod in buckets_of(_stack).items():
        PODS.setdefault(_pod, _owner)


def write_at_once(mounted: FuseMount, count: int) -> list[Path]:
    """So many files, measured while all of them are open and whole."""
    whole = Barrier(count + 1)
    paths = [mounted.folder / f"rank-{number}" for number in range(count)]

    def write(path: Path) -> None:
        try:
            with path.open("wb", buffering=0) as file:
                for _ in range(PIECES):
                    file.write(PIECE)
                whole.wait()
                whole.wait()
        except OSError:
            # Nobody waits for one that cannot write.
            whole.abort()
            raise

    with ThreadPoolExecutor(count) as pool:
        written = [pool.submit(write, path) for path in paths]
        whole.wait()
        mounted.measure()
        whole.wait()
        for one in written:
            one.result()
    return paths


@pytest.mark.parametrize("pod", PODS, ids=[*PODS.values()])
def test_a_sidecar_has_room_for_all_files_that_its_pod_writes_at_once(
    pod: PodBucket, mount: Mounting
) -> None:
    files = min(pod.streams, MEASURED)
    mounted = mount(pod.with_streams(files))
    paths = write_at_once(mounted, files)
    # As by the pod that comes next: what is read is in no page of the kernel's.
    mounted.kill()
    mounted.start()
    for path in paths:
        assert path.stat().st_size == len(PIECE) * PIECES
    assert paths[0].read_bytes() == PIECE * PIECES
    mounted.measure()
    memory_mib = mounted.memory_mib * pod.streams // files
    print(f"{memory_mib} MiB of memory, {mounted.disk_mib} MiB of disk")
    assert pod.memory_mib is None or memory_mib < pod.memory_mib
    assert pod.disk_mib is None or mounted.disk_mib < pod.disk_mib


def test_a_file_more_than_there_are_streams_goes_to_the_disk_first(mount: Mounting) -> None:
    """So the number of streams is that of the files; the sidecar's disk has no room for more."""
    pod = next(iter(PODS))
    mounted = mount(pod)
    write_at_once(mounted, pod.streams + 1)
    assert mounted.disk_mib >= len(PIECE) * PIECES >> 20
