"""TPU slices and RDMA interfaces that go and come back, under KubeRay and the real scheduler."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from sandbox.faults import Faults, Preempt
from sandbox.kube.errors import KubeError
from sandbox.kube.objects import Ref
from tests.kube.conftest import LiveSandbox, eventually
from tests.stacks.conftest import changed

_POOL = "v6e-16-1"
_HOSTS = 4
_OTHER_WORKERS = "ray.b200-ray-cluster.workers.gpu-worker-group.requests.cpu=90"


def without_node(live: LiveSandbox) -> list[str]:
    return [pod.name for pod in live.pods() if not pod.node and pod.phase == "Pending"]


def workers(live: LiveSandbox) -> list[str]:
    return [pod.name for pod in live.pods() if "worker" in pod.name]


def test_a_slice_that_google_takes_back_leaves_its_workers_waiting_until_it_gives_it_back(
    live_sandbox: Callable[[str], LiveSandbox],
) -> None:
    live = live_sandbox("tpu-elastic")
    live.succeed("up")
    gone = Faults(rules=(Preempt(kind="preempt", pool=_POOL),))
    assert live.run("refresh", faults=gone).ok
    eventually(lambda: without_node(live), lambda seen: len(seen) == _HOSTS)
    live.succeed("refresh")
    eventually(lambda: without_node(live), lambda seen: seen == [])
    assert changed(live.succeed("preview")) == {}


def test_a_worker_without_one_of_its_networks_keeps_the_stack_from_being_ready_and_says_why(
    live_sandbox: Callable[[str], LiveSandbox],
) -> None:
    live = live_sandbox("verl-b200")
    live.succeed("up")
    server = live.server
    network = Ref(api_version="networking.gke.io/v1", kind="Network", name="rdma-3")
    with pytest.raises(KubeError, match="is used by pods"):
        server.delete(network)
    for kind in ("RayJob", "RayCluster"):
        for each in server.list("ray.io/v1", kind):
            server.delete(Ref.of(each))
    eventually(lambda: workers(live), lambda seen: seen == [])
    server.delete(network)

    failed = live.run("up", _OTHER_WORKERS)
    assert not failed.ok
    told = "\n".join(failed.report.diagnostics)
    assert "RayCluster" in told
    assert "rdma-3" in told
    assert without_node(live) != []

    live.succeed("refresh", _OTHER_WORKERS)
    live.succeed("up", _OTHER_WORKERS)
    assert without_node(live) == []
