"""A Ray cluster that scales in a queue, with the real Kueue: which nodes its workers get, and what
may change in it."""

from __future__ import annotations

import copy
import time
from collections.abc import Callable

import pytest

from kube.objects import JsonObject, dig, maps, name_of
from sandbox.live_kube.api import Api
from tests.kube.conftest import LiveSandbox, eventually
from tests.stacks.conftest import changed

OTHER_LABELS = 'labels={"team": "other"}'
ONE_AT_LEAST = "ray.dev.workers.gpu-worker-group.min_workers=1"
# After so long Kueue would have taken off a gate that it takes off.
_SOON_SECONDS = 5.0


@pytest.fixture(scope="module")
def live(live_sandbox: Callable[[str], LiveSandbox]) -> LiveSandbox:
    """Its tests use it one after the other."""
    sandbox = live_sandbox("dev")
    sandbox.succeed("up")
    return sandbox


def ray(live: LiveSandbox) -> JsonObject:
    (cluster,) = live.server.list("ray.io/v1", "RayCluster")
    return cluster


def workers(live: LiveSandbox) -> list[JsonObject]:
    pods = live.server.list("v1", "Pod")
    return [pod for pod in pods if dig(pod, "metadata", "labels", "ray.io/node-type") == "worker"]


def run_on(live: LiveSandbox) -> list[str]:
    """The nodes of the workers that run."""
    return [it["spec"]["nodeName"] for it in workers(live) if it["status"]["phase"] == "Running"]


def admitted(live: LiveSandbox) -> dict[str, tuple[int, set[str]]]:
    """What Kueue counts of each group of pods now, and the flavors that it has given it."""
    for workload in live.server.list("kueue.x-k8s.io/v1beta2", "Workload"):
        conditions = {
            it["type"]: it["status"] for it in maps(dig(workload, "status", "conditions"))
        }
        if conditions.get("Admitted") == "True" and "Finished" not in conditions:
            given = maps(dig(workload, "status", "admission", "podSetAssignments"))
            counts = {it["name"]: it["count"] for it in workload["spec"]["podSets"]}
            return {it["name"]: (counts[it["name"]], {*it["flavors"].values()}) for it in given}
    return {}


def scale(live: LiveSandbox, replicas: int) -> None:
    """As Ray's autoscaler, which writes the number of workers and the names of those that go."""
    cluster = ray(live)
    (group,) = copy.deepcopy(cluster["spec"]["workerGroupSpecs"])
    leaving = [] if replicas else [name_of(pod) for pod in workers(live)]
    group |= {"replicas": replicas, "scaleStrategy": {"workersToDelete": leaving}}
    Api(live.plane.kubeconfig, "python-requests").patch(
        cluster, {"spec": {"workerGroupSpecs": [group]}}
    )
    eventually(lambda: len(workers(live)), lambda seen: seen == replicas)


def test_no_workers_have_the_flavor_of_the_nodes_with_gpus_and_the_first_one_keeps_it(
    live: LiveSandbox,
) -> None:
    assert admitted(live) == {"head": (1, {"cpu"}), "gpu-worker-group": (0, {"l4"})}
    scale(live, 1)
    (node,) = eventually(lambda: run_on(live), lambda seen: len(seen) == 1)
    assert "gpu-pool" in node
    assert admitted(live)["gpu-worker-group"] == (1, {"l4"})
    assert changed(live.succeed("preview")) == {}


def test_a_worker_gives_its_quota_back_and_another_one_gets_it(live: LiveSandbox) -> None:
    scale(live, 0)
    eventually(lambda: admitted(live)["gpu-worker-group"][0], lambda seen: seen == 0)
    scale(live, 1)
    eventually(lambda: run_on(live), lambda seen: len(seen) == 1)


def test_labels_change_in_place_and_workers_that_come_later_start(live: LiveSandbox) -> None:
    before = ray(live)
    assert changed(live.succeed("preview", OTHER_LABELS))["dev-cluster"] == "update"
    live.succeed("up", OTHER_LABELS)
    after = ray(live)
    assert after["metadata"]["labels"]["team"] == "other"
    assert after["metadata"]["uid"] == before["metadata"]["uid"]
    assert after["spec"]["workerGroupSpecs"] == before["spec"]["workerGroupSpecs"]
    scale(live, 0)
    scale(live, 1)
    eventually(lambda: run_on(live), lambda seen: len(seen) == 1)


def test_the_first_workers_of_a_cluster_that_has_some_always_are_admitted_with_it(
    live: LiveSandbox,
) -> None:
    more = (OTHER_LABELS, ONE_AT_LEAST)
    assert changed(live.succeed("up", *more))["dev-cluster"] == "create-replacement"
    eventually(lambda: run_on(live), lambda seen: len(seen) == 1)
    assert admitted(live)["gpu-worker-group"] == (1, {"l4"})
    live.succeed("refresh", *more)
    assert changed(live.succeed("preview", *more)) == {}


def test_written_over_by_force_the_groups_lose_what_kueue_finds_their_workers_by(
    live: LiveSandbox,
) -> None:
    cluster = ray(live)
    (group,) = copy.deepcopy(cluster["spec"]["workerGroupSpecs"])
    del group["template"]["metadata"]
    group["minReplicas"] = 0
    forced = {
        "apiVersion": cluster["apiVersion"],
        "kind": cluster["kind"],
        "metadata": {key: cluster["metadata"][key] for key in ("name", "namespace")},
        "spec": {"workerGroupSpecs": [group]},
    }
    live.server.acting_as("kubectl").apply(forced, force=True)
    scale(live, 0)
    eventually(lambda: admitted(live)["gpu-worker-group"][0], lambda seen: seen == 0)
    scale(live, 1)
    eventually(lambda: admitted(live)["gpu-worker-group"][0], lambda seen: seen == 1)
    eventually(lambda: len(workers(live)), lambda seen: seen == 1)
    time.sleep(_SOON_SECONDS)
    (worker,) = workers(live)
    assert worker["spec"]["schedulingGates"] == [{"name": "kueue.x-k8s.io/elastic-job"}]
