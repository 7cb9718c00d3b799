"""A Ray cluster that a queue admits as a whole, and what may change in it, with the real Kueue."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from kube.errors import KubeError
from kube.objects import JsonObject, dig
from tests.kube.conftest import LiveSandbox, eventually
from tests.stacks.conftest import changed

QUEUED = (
    "ray.dev.autoscaling=null",
    "ray.dev.queue=lq",
    'queues.flavors={"cpu": {"pool": "cpu"}, "l4": {"pool": "gpu"}}',
)
OTHER_LABELS = 'labels={"team": "other"}'
TWO_WORKERS = ("pools.gpu.nodes=2", "pools.gpu.autoscaling.max=2")


@pytest.fixture(scope="module")
def live(live_sandbox: Callable[[str], LiveSandbox]) -> LiveSandbox:
    """Its tests use it one after the other."""
    sandbox = live_sandbox("dev")
    sandbox.succeed("up", *QUEUED)
    return sandbox


def ray(live: LiveSandbox) -> JsonObject:
    """Once its workers are there: `up` waits for the head of a cluster on spot machines alone."""

    def seen() -> JsonObject:
        (cluster,) = live.server.list("ray.io/v1", "RayCluster")
        return cluster

    return eventually(seen, lambda it: dig(it, "status", "state") == "ready")


def workers(cluster: JsonObject) -> JsonObject:
    (group,) = cluster["spec"]["workerGroupSpecs"]
    return group


def kueues_labels(cluster: JsonObject) -> JsonObject:
    return workers(cluster)["template"]["metadata"]["labels"]


def test_the_groups_of_workers_are_one_field_and_kueues_once_it_has_admitted_them(
    live: LiveSandbox,
) -> None:
    cluster = ray(live)
    assert kueues_labels(cluster)["kueue.x-k8s.io/podset"] == workers(cluster)["groupName"]
    group = {key: it for key, it in workers(cluster).items() if key != "template"}
    spec = workers(cluster)["template"]["spec"]
    ours = {
        "apiVersion": cluster["apiVersion"],
        "kind": cluster["kind"],
        "metadata": {key: cluster["metadata"][key] for key in ("name", "namespace")},
        "spec": {"workerGroupSpecs": [{**group, "template": {"spec": spec}}]},
    }
    with pytest.raises(KubeError, match=r'conflict with "kueue" .*: \.spec\.workerGroupSpecs'):
        live.server.apply(ours, dry_run=True)


def test_labels_change_in_place_and_kueues_own_stay(live: LiveSandbox) -> None:
    before = ray(live)
    assert changed(live.succeed("preview", *QUEUED, OTHER_LABELS))["dev-cluster"] == "update"
    live.succeed("up", *QUEUED, OTHER_LABELS)
    after = ray(live)
    assert after["metadata"]["labels"]["team"] == "other"
    assert after["metadata"]["uid"] == before["metadata"]["uid"]
    assert kueues_labels(after) == kueues_labels(before)
    live.succeed("refresh", *QUEUED, OTHER_LABELS)
    assert changed(live.succeed("preview", *QUEUED, OTHER_LABELS)) == {}


def test_other_workers_are_another_cluster_that_kueue_admits_anew(live: LiveSandbox) -> None:
    before = ray(live)
    more = (*QUEUED, OTHER_LABELS, *TWO_WORKERS)
    for verb in ("preview", "up"):
        assert changed(live.succeed(verb, *more))["dev-cluster"] == "create-replacement"
    after = ray(live)
    assert after["metadata"]["uid"] != before["metadata"]["uid"]
    assert workers(after)["replicas"] == 2
    assert len([pod for pod in live.pods() if "worker" in pod.name]) == 2
    assert kueues_labels(after) == kueues_labels(before)
    assert changed(live.succeed("preview", *more)) == {}
