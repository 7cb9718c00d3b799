"""Stacks on a real control plane: etcd, Kubernetes, Kueue and KubeRay as processes of this machine.

This tier shows what the real API server, its schemas, Kueue's and KubeRay's code say to every
object. It cannot show what containers, devices and networks do: kwok only says that pods run.
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Generator, Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

import pytest
from _pytest._code.code import ExceptionChainRepr

from kube.errors import KubeError
from sandbox.cloud.kinds.cluster import Cluster
from sandbox.cloud.resource import Resource
from sandbox.clusters import Kube
from sandbox.control_plane import ControlPlane
from sandbox.errors import CloudError
from sandbox.forget import forget
from sandbox.live_kube.api import ApiError
from sandbox.live_kube.api_server import ApiServer
from sandbox.workspace import Workspace
from tests.kube.what_stands import what_stands
from tests.stacks.conftest import CANARY, Sandbox

# After so long without the event that is waited for, it will not come.
# What is waited for comes within seconds on an idle machine, and later on one that is shared.
PATIENCE_SECONDS = 300.0
_Seen = TypeVar("_Seen")


_used: list[LiveSandbox] = []


@dataclass(frozen=True)
class LiveSandbox(Sandbox):
    """One stack in a sandbox folder of its own, on a real control plane."""

    real = True

    def __post_init__(self) -> None:
        _used.append(self)

    @property
    def cluster(self) -> Resource:
        return next(self.cloud.find(Cluster.token))

    @property
    def plane(self) -> ControlPlane:
        return self.clusters.control_plane(self.cluster)

    @property
    def kube(self) -> Kube:
        return self.clusters.kube(self.cluster)

    @property
    def server(self) -> ApiServer:
        return ApiServer(self.plane.kubeconfig)


def eventually(look: Callable[[], _Seen], wanted: Callable[[_Seen], bool]) -> _Seen:
    """What is seen once it is as wanted."""
    until = time.monotonic() + PATIENCE_SECONDS
    while not wanted(seen := look()):
        assert time.monotonic() < until, seen
        time.sleep(0.3)
    return seen


def refused(call: Callable[[], object], why: str = "") -> str:
    """What the API server says to a request that it refuses, with `why` in it, once it has read the
    policies, which it does by itself."""

    def answer() -> str:
        try:
            call()
        except ApiError as error:
            return str(error)
        return ""

    return eventually(answer, lambda it: bool(it) and why in it)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport() -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """A failure shows what is in the clusters, which are gone before anybody can look."""
    report = yield
    if report.failed and isinstance(report.longrepr, ExceptionChainRepr):
        for live in _used:
            with suppress(StopIteration, KubeError, CloudError, OSError):
                name = f"what stands: {live.workspace.stack}"
                report.longrepr.addsection(name, what_stands(live))
    return report


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    own = [it for it in items if Path(__file__).parent in it.path.parents]
    for item in own:
        item.add_marker(pytest.mark.kube)
    if own == items:
        # The files with the fewest tests take longest: begun last, they would be waited for.
        counts = Counter(it.path for it in items)
        items.sort(key=lambda it: counts[it.path])


@pytest.fixture(scope="module")
def live_sandbox(
    tmp_path_factory: pytest.TempPathFactory,
) -> Iterator[Callable[[str], LiveSandbox]]:
    """An empty sandbox for a stack; its processes end with the module."""
    made: list[Workspace] = []
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("HUGGING_FACE_TOKEN", CANARY)

        def sandbox(stack: str) -> LiveSandbox:
            made.append(Workspace(tmp_path_factory.mktemp(stack) / "sandbox", stack))
            return LiveSandbox(made[-1])

        yield sandbox
        for workspace in made:
            forget(Workspace(workspace.root, ""))
