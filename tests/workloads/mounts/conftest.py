"""Buckets that are really mounted."""

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from itertools import count
from pathlib import Path

import pytest

from tests.workloads.mounts.fuse_mount import FuseMount, mounted
from tests.workloads.mounts.needs import missing, required
from tests.workloads.mounts.pod_bucket import PodBucket

Mounting = Callable[[PodBucket], FuseMount]


@pytest.fixture
def mount(tmp_path: Path) -> Iterator[Mounting]:
    """Mounts a new bucket, until the test is over."""
    if why := missing():
        (pytest.fail if required() else pytest.skip)(why)
    numbers = count()
    with ExitStack() as stack:

        def enter(pod: PodBucket) -> FuseMount:
            root = tmp_path / f"{next(numbers)}"
            root.mkdir()
            return stack.enter_context(mounted(pod, root))

        yield enter
