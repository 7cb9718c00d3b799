"""Stacks through the real API server, from `up` to `destroy`: all of them with ALL_COMBINATIONS=1,
else a sample, another one for each commit."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from cli.project import stack_names
from kube.objects import dig, maps, name_of
from tests.kube.conftest import LiveSandbox
from tests.parts.leaks import files_with
from tests.parts.sampling import a_sample
from tests.stacks.conftest import CANARY, changed

SAMPLE = 3


@pytest.fixture(scope="module", params=a_sample(list(stack_names()), SAMPLE))
def live(request: pytest.FixtureRequest, live_sandbox: Callable[[str], LiveSandbox]) -> LiveSandbox:
    """A stack that is up; its tests use it one after the other."""
    sandbox = live_sandbox(request.param)
    sandbox.succeed("up")
    return sandbox


def test_nothing_is_left_to_do_after_up(live: LiveSandbox) -> None:
    assert changed(live.succeed("preview")) == {}


def test_every_object_of_the_state_is_in_the_real_cluster(live: LiveSandbox) -> None:
    wanted = {
        resource["urn"]
        for resource in live.state()["resources"]
        if resource["type"].startswith("kubernetes:")
    }
    found = live.kube.inventory()
    assert sum(map(len, found.values())) == len(wanted), found


def test_every_pod_has_a_node_and_runs(live: LiveSandbox) -> None:
    waiting = {
        pod.name: (pod.phase, pod.reason)
        for pod in live.pods()
        if pod.phase not in ("Running", "Succeeded")
    }
    assert waiting == {}


def test_kuberay_has_made_each_ray_cluster_whole(live: LiveSandbox) -> None:
    for cluster in live.server.list("ray.io/v1", "RayCluster"):
        assert dig(cluster, "status", "state") == "ready", cluster["status"]
        groups = maps(cluster["spec"].get("workerGroupSpecs"))
        wanted = sum(group["replicas"] * (group.get("numOfHosts") or 1) for group in groups)
        assert (dig(cluster, "status", "readyWorkerReplicas") or 0) >= 0
        pods = [
            pod
            for pod in live.server.list("v1", "Pod")
            if pod["metadata"]["labels"].get("ray.io/cluster") == name_of(cluster)
        ]
        assert len(pods) == wanted + 1


def test_every_pod_is_on_a_pool_that_it_selects(live: LiveSandbox) -> None:
    nodes = {name_of(node): node for node in live.server.list("v1", "Node")}
    for pod in live.server.list("v1", "Pod"):
        labels = nodes[pod["spec"]["nodeName"]]["metadata"]["labels"]
        for key, value in (pod["spec"].get("nodeSelector") or {}).items():
            assert labels.get(key) == value, (name_of(pod), key)


def test_every_volume_claim_is_bound(live: LiveSandbox) -> None:
    claims = live.server.list("v1", "PersistentVolumeClaim")
    assert {name_of(claim): claim["status"]["phase"] for claim in claims} == {
        name_of(claim): "Bound" for claim in claims
    }


def test_every_device_claim_is_allocated(live: LiveSandbox) -> None:
    for claim in live.server.list("resource.k8s.io/v1", "ResourceClaim"):
        wanted = sum(
            one["exactly"].get("count") or 1 for one in claim["spec"]["devices"]["requests"]
        )
        assert len(dig(claim, "status", "allocation", "devices", "results") or []) == wanted


def test_no_secret_is_in_any_file(live: LiveSandbox) -> None:
    files = [file for file in live.workspace.root.rglob("*") if file.is_file()]
    assert any(file.name == "db" for file in files), "etcd's own file is among them"
    assert files_with(CANARY, live.workspace.root) == []


def test_what_is_refreshed_is_no_difference(live: LiveSandbox) -> None:
    live.succeed("refresh")
    # A refresh calls a Job that still runs not ready, and it is sent once more as it is.
    running = {"finetune-gemma-l4-job": "update"} if live.workspace.stack == "kueue-mixed" else {}
    assert changed(live.succeed("preview")) == running


def test_destroy_leaves_no_object_and_no_process(live: LiveSandbox) -> None:
    processes = [each.pid for each in live.plane.status()]
    assert len(processes) > 5
    result = live.succeed("destroy")
    assert result.cloud == {}
    assert [pid for pid in processes if pid and _runs(pid)] == []


def _runs(pid: int) -> bool:
    try:
        with open(f"/proc/{pid}/stat") as file:
            return file.read().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False
