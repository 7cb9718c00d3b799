"""Checkpoints in a stack's bucket, also where the storage fails, without Ray."""

import os
import resource
import subprocess
import sys
import tempfile
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import BinaryIO

import pytest
from checkpoints import CheckpointError, History, Run

from tests.workloads.trainings.mounted import MountedBucket, mounted
from tests.workloads.trainings.site import TRAIN


@pytest.fixture(scope="module")
def bucket(tmp_path_factory: pytest.TempPathFactory) -> Iterator[MountedBucket]:
    with mounted("gcsfuse-checkpoint", tmp_path_factory.mktemp("checkpoints")) as found:
        yield found


@pytest.fixture
def storage(bucket: MountedBucket) -> Path:
    """A new folder of the stack's own bucket."""
    return Path(tempfile.mkdtemp(dir=bucket.folder))


def epochs(count: int) -> History:
    return [{"epoch": number + 1} for number in range(count)]


def state(file: BinaryIO) -> None:
    file.write(b"weights")


def run_of(folder: Path, *, keep: int = 2, seconds: float = 60, done: int = 0) -> Run:
    """A run with so many epochs, each with its checkpoint."""
    run = Run(folder / "run", keep, seconds)
    for count in range(1, done + 1):
        run.write(epochs(count), state)
    return run


def cut_state(folder: Path) -> None:
    os.truncate(folder / "state", 3)


def cut_manifest(folder: Path) -> None:
    os.truncate(folder / "manifest.json", 9)


def no_manifest(folder: Path) -> None:
    (folder / "manifest.json").unlink()


def no_state(folder: Path) -> None:
    (folder / "state").unlink()


def test_the_newest_of_a_run_without_a_folder_is_none(storage: Path) -> None:
    assert run_of(storage).newest() is None


def test_the_newest_are_kept(storage: Path) -> None:
    run = run_of(storage, keep=2, done=4)
    names = sorted(it.name for it in run.folder.iterdir())
    assert names == ["checkpoint_000002", "checkpoint_000003"]
    newest = run.newest()
    assert newest
    assert newest.history == epochs(4)


@pytest.mark.parametrize("harm", [cut_state, cut_manifest, no_manifest, no_state])
def test_a_half_written_one_is_passed_over_and_written_anew(
    storage: Path, harm: Callable[[Path], None]
) -> None:
    run = run_of(storage, done=3)
    harm(run.folder / "checkpoint_000002")
    newest = run.newest()
    assert newest
    assert newest.folder.name == "checkpoint_000001"
    run.write(epochs(3), state)
    again = run.newest()
    assert again
    assert again.folder.name == "checkpoint_000002"


def test_a_half_written_one_does_not_count_among_those_that_are_kept(storage: Path) -> None:
    run = run_of(storage, keep=2, done=2)
    cut_state(run.folder / "checkpoint_000001")
    run.write(epochs(3), state)
    names = sorted(it.name for it in run.folder.iterdir())
    assert names == ["checkpoint_000000", "checkpoint_000002"]


def test_a_save_that_fails_leaves_those_before_and_nothing_of_its_own(storage: Path) -> None:
    run = run_of(storage, done=2)

    def fail(file: BinaryIO) -> None:
        file.write(b"half")
        raise OSError(28, "No space left on device")

    said = r"checkpoint_000002: \[Errno 28\] No space left on device; checkpoint_000001 is whole"
    with pytest.raises(CheckpointError, match=said):
        run.write(epochs(3), fail)
    names = sorted(it.name for it in run.folder.iterdir())
    assert names == ["checkpoint_000000", "checkpoint_000001"]


def test_a_storage_that_hangs_is_given_up_on(storage: Path) -> None:
    run, released = run_of(storage, seconds=0.01), threading.Event()
    with pytest.raises(CheckpointError, match=r"not written after 0.01 s; there is none before it"):
        run.write(epochs(1), lambda file: released.wait())
    released.set()


def test_a_pod_killed_while_it_writes_loses_that_checkpoint_alone(
    storage: Path, bucket: MountedBucket
) -> None:
    run = run_of(storage, done=2)
    script = (
        "import os, signal; from pathlib import Path; from checkpoints import Run;"
        f"run = Run(Path({str(run.folder)!r}), 2, 60);"
        "run.write([{}] * 3, lambda file: (file.write(b'half'), file.flush(),"
        " os.kill(os.getpid(), signal.SIGKILL)))"
    )
    environment = os.environ | {"PYTHONPATH": str(TRAIN.parent)}
    done = subprocess.run([sys.executable, "-c", script], env=environment, check=False)
    assert done.returncode == -9
    bucket.lose()
    assert (run.folder / "checkpoint_000002" / "state").read_bytes() == b"half"
    newest = run.newest()
    assert newest
    assert newest.folder.name == "checkpoint_000001"


def test_a_file_too_long_for_the_storage_is_named(storage: Path) -> None:
    run = run_of(storage, done=1)
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (1000, before[1]))
    try:
        with pytest.raises(CheckpointError, match="File too large; checkpoint_000000 is whole"):
            run.write(epochs(2), lambda file: file.write(bytes(2000)))
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
