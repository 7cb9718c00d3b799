"""TPU slices and RDMA interfaces that go and come back, under KubeRay and the real scheduler."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from kube.errors import KubeError
from kube.objects import Ref, dig
from sandbox.faults import FailJob, Faults, Preempt
from tests.kube.conftest import LiveSandbox, eventually
from tests.stacks.conftest import changed, replaced, unexpected

_POOL = "v6e-16-1"
_HOSTS = 4
_JOB = "maxtext-elastic-8b"
_OTHER_WORKERS = "ray.b200-ray-cluster.workers.gpu-worker-group.requests.cpu=90"


def without_node(live: LiveSandbox) -> list[str]:
    return [pod.name for pod in live.pods() if not pod.node and pod.phase == "Pending"]


def workers_that_run(live: LiveSandbox) -> int:
    (cluster,) = live.server.list("ray.io/v1", "RayCluster")
    return dig(cluster, "status", "readyWorkerReplicas") or 0


def told(live: LiveSandbox, faults: Faults | None = None) -> str:
    found = live.run("up", faults=faults)
    assert found.ok, found.report.diagnostics
    assert changed(found) == {}
    return "\n".join(unexpected(found))


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
    assert live.run("refresh", faults=gone).ok
    assert "ray.maxtext-tpu-cluster: 4 of 8 workers run" in told(live, gone)
    live.succeed("refresh")
    eventually(lambda: workers_that_run(live), lambda seen: seen == 2 * _HOSTS)
    live.succeed("refresh")
    assert told(live) == ""


def test_a_job_that_failed_for_good_is_made_anew_and_runs(
    live_sandbox: Callable[[str], LiveSandbox],
) -> None:
    live = live_sandbox("tpu-elastic")
    live.succeed("up")
    failed = Faults(rules=(FailJob(kind="fail-job", job=_JOB),))
    assert live.run("refresh", faults=failed).ok
    again = live.succeed("up")
    assert replaced(again) == [f"{_JOB}-job"]
    ref = Ref(api_version="ray.io/v1", kind="RayJob", namespace="default", name=_JOB)
    eventually(
        lambda: dig(live.server.get(ref), "status", "jobStatus"), lambda seen: seen == "SUCCEEDED"
    )
    live.succeed("refresh")
    assert told(live) == ""


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
