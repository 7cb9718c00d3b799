"""Ray on TPU slices of several hosts: GKE's webhook, whole replicas, and slices kept together."""

from __future__ import annotations

from collections import defaultdict
from typing import Any

import pytest

from kube.objects import Node, PodView, Taint
from sandbox.kube.store import Store
from sandbox.memory_kube.memory import MemoryKube
from tests.unit.memory_kube_samples import (
    changed,
    container,
    cpu_node,
    make,
    only_pod,
    pod,
    ray_ref,
    refusal,
)
from tests.unit.test_memory_kube_helm import kuberay

TPU = "google.com/tpu"
TOPOLOGY = "cloud.google.com/gke-tpu-topology"
SLICE = {"cloud.google.com/gke-tpu-accelerator": "tpu-v6e-slice", TOPOLOGY: "4x4"}
NAME = "maxtext"
GROUP = ("spec", "workerGroupSpecs", 0)
POD = (*GROUP, "template", "spec")
RESOURCES = (*POD, "containers", 0, "resources")


def tpu_nodes(pool: str, count: int = 4) -> list[Node]:
    return [
        Node(
            name=f"{pool}-{index}",
            pool=pool,
            labels={**SLICE, "cloud.google.com/gke-nodepool": pool},
            taints=(Taint(key=TPU, value="present"),),
            allocatable={"cpu": "89", "memory": "690Gi", TPU: "4"},
        )
        for index in range(count)
    ]


def two_slices() -> list[Node]:
    return [*tpu_nodes("slice-0"), *tpu_nodes("slice-1"), cpu_node()]


def tpu_cluster(replicas: int = 2, name: str = NAME) -> dict[str, Any]:
    """A head, and replicas of four hosts with four chips each."""
    amounts = {"cpu": "8", "memory": "200G", TPU: "4"}
    worker = container("ray-worker", resources={"limits": amounts, "requests": dict(amounts)})
    head = container("ray-head", resources={"requests": {"cpu": "500m", "memory": "1Gi"}})
    group = {
        "groupName": "tpu-group",
        "replicas": replicas,
        "minReplicas": replicas,
        "maxReplicas": replicas,
        "numOfHosts": 4,
        "rayStartParams": {},
        "template": {"spec": {"nodeSelector": SLICE, "containers": [worker]}},
    }
    return make(
        "RayCluster",
        name,
        "ray.io/v1",
        spec={
            "headGroupSpec": {"rayStartParams": {}, "template": {"spec": {"containers": [head]}}},
            "workerGroupSpecs": [group],
        },
    )


def status_of(kube: MemoryKube) -> dict[str, Any]:
    found = kube.get(ray_ref(name=NAME))
    assert found is not None
    return found["status"]


def workers(kube: MemoryKube) -> dict[str, PodView]:
    return {each.name: each for each in kube.pods() if "-worker-" in each.name}


def pools_of_replicas(state: dict[str, Any], nodes: list[Node]) -> dict[str, list[str]]:
    """The node pools that the pods of each replica run on, one entry a pod; "" without a node."""
    pools = {node.name: node.pool for node in nodes}
    found: defaultdict[str, list[str]] = defaultdict(list)
    for each in Store(state).all("Pod"):
        if index := each["metadata"]["labels"].get("ray.io/worker-group-replica-index"):
            found[index].append(pools.get(each["spec"].get("nodeName", ""), ""))
    return dict(found)


def test_each_replica_runs_on_a_slice_of_its_own() -> None:
    state: dict[str, Any] = {}
    nodes = two_slices()
    kube = MemoryKube(state, nodes)
    kube.apply(tpu_cluster())
    replicas = pools_of_replicas(state, nodes)
    assert {index: len(pools) for index, pools in replicas.items()} == {"0": 4, "1": 4}
    assert {frozenset(pools) for pools in replicas.values()} == {
        frozenset({"slice-0"}),
        frozenset({"slice-1"}),
    }
    status = status_of(kube)
    assert status["state"] == "ready"
    assert status["desiredWorkerReplicas"] == 8


def test_pods_of_a_replica_are_numbered_by_host_and_share_its_name() -> None:
    state: dict[str, Any] = {}
    MemoryKube(state, two_slices()).apply(tpu_cluster())
    labels = [
        each["metadata"]["labels"]
        for each in Store(state).all("Pod")
        if each["metadata"]["labels"]["ray.io/node-type"] == "worker"
    ]
    hosts = [
        (it["ray.io/worker-group-replica-index"], it["ray.io/replica-host-index"]) for it in labels
    ]
    assert hosts == [(str(replica), str(host)) for replica in range(2) for host in range(4)]
    assert len({it["ray.io/worker-group-replica-name"] for it in labels}) == 2


def test_scaling_adds_and_removes_whole_replicas_and_touches_no_other() -> None:
    kube = MemoryKube({}, [*two_slices(), *tpu_nodes("slice-2")])
    kube.apply(tpu_cluster(2))
    before = workers(kube)
    kube.apply(tpu_cluster(3))
    assert len(workers(kube)) == 12
    assert before.items() <= workers(kube).items()
    kube.apply(tpu_cluster(1))
    assert len(workers(kube)) == 4
    assert workers(kube).items() <= before.items()
    assert status_of(kube)["state"] == "ready"


def test_a_replica_without_a_slice_to_itself_waits_and_says_why() -> None:
    kube = MemoryKube({}, [*tpu_nodes("slice-0", 8), cpu_node()])
    kube.apply(tpu_cluster())
    waiting = [each for each in workers(kube).values() if each.phase == "Pending"]
    assert len(waiting) == 4
    expected = "4 Insufficient google.com/tpu, 4 node(s) didn't match pod anti-affinity rules."
    assert waiting[0].reason.endswith(expected)


def test_pods_of_a_replica_do_not_spread_to_another_slice() -> None:
    kube = MemoryKube({}, [*tpu_nodes("slice-0", 2), *tpu_nodes("slice-1", 2), cpu_node()])
    kube.apply(tpu_cluster(1))
    placed = {each.node.rpartition("-")[0] for each in workers(kube).values() if each.node}
    assert len(placed) == 1
    waiting = [each for each in workers(kube).values() if not each.node]
    assert len(waiting) == 2
    assert "2 node(s) didn't match pod affinity rules" in waiting[0].reason


def test_without_the_add_on_no_webhook_checks_a_cluster_or_keeps_a_slice_together() -> None:
    kube = MemoryKube(
        {}, [*tpu_nodes("slice-0", 2), *tpu_nodes("slice-1", 2), cpu_node()], ray_addon=False
    )
    kube.apply(make("Namespace", "ray"))
    kube.apply(kuberay())
    wrong = changed(tpu_cluster(1), 2, *GROUP, "numOfHosts")
    assert "not equal to specified topology" in refusal(MemoryKube({}, two_slices()), wrong)
    kube.apply(wrong)
    kube.apply(tpu_cluster(1))
    assert len({each.node.rpartition("-")[0] for each in workers(kube).values()}) == 2


def test_two_ray_clusters_never_share_a_slice() -> None:
    kube = MemoryKube({}, [*tpu_nodes("slice-0", 8), cpu_node()])
    kube.apply(tpu_cluster(1))
    kube.apply(tpu_cluster(1, "other"))
    assert {each.phase for each in workers(kube).values() if each.name.startswith("other")} == {
        "Pending"
    }


def test_a_lost_slice_leaves_the_other_alone_and_is_filled_again_when_it_is_back() -> None:
    kube = MemoryKube({}, two_slices())
    kube.apply(tpu_cluster())
    before = workers(kube)
    kube.set_nodes([*tpu_nodes("slice-1"), cpu_node()])
    left = {name: each for name, each in workers(kube).items() if each.phase == "Running"}
    assert len(left) == 4
    assert left.items() <= before.items()
    status = status_of(kube)
    assert "state" not in status
    assert status["desiredWorkerReplicas"] == 8
    kube.set_nodes(two_slices())
    assert workers(kube) == before
    assert status_of(kube)["state"] == "ready"


def test_pods_that_ask_for_tpus_tolerate_their_nodes_and_others_do_not() -> None:
    kube = MemoryKube({}, tpu_nodes("slice-0"))
    kube.apply(pod("plain"))
    assert "untolerated taint {google.com/tpu: present}" in only_pod(kube).reason
    kube.apply(pod("tpu", resources={"limits": {TPU: "4"}}))
    assert {each.name: each.phase for each in kube.pods()} == {"plain": "Pending", "tpu": "Running"}


@pytest.mark.parametrize(
    ("value", "path", "ending"),
    [
        (
            2,
            (*GROUP, "numOfHosts"),
            "numOfHosts 2, and 4x4 with 4 chips a worker has 4; nearest: 4",
        ),
        ("4x8", (*POD, "nodeSelector", TOPOLOGY), "4x8 with 4 chips a worker has 8; nearest: 8"),
        (..., (*POD, "nodeSelector", TOPOLOGY), f"not specified; nearest: nodeSelector {TOPOLOGY}"),
        ("4by4", (*POD, "nodeSelector", TOPOLOGY), "numbers with x between them; nearest: 4x4"),
        (
            ...,
            (*RESOURCES, "requests", TPU),
            f"TPU limits; nearest: {TPU} in both limits and requests",
        ),
    ],
)
def test_the_webhook_refuses_a_ray_cluster_that_is_no_whole_slice(
    value: Any, path: tuple[str | int, ...], ending: str
) -> None:
    text = refusal(MemoryKube({}, []), changed(tpu_cluster(), value, *path))
    start = 'admission webhook "raycluster-kuberay-tpu-webhook.ray-system.svc" denied the request: '
    assert text.startswith(f"{start}spec.workerGroupSpecs[0]: ")
    assert text.endswith(ending)


def test_limits_alone_are_requests_as_well() -> None:
    manifest = changed(tpu_cluster(), ..., *RESOURCES, "requests")
    kube = MemoryKube({}, two_slices())
    kube.apply(manifest)
    assert status_of(kube)["state"] == "ready"


def test_groups_without_tpus_are_none_of_the_webhooks_business() -> None:
    plain = changed(tpu_cluster(), {}, *RESOURCES)
    MemoryKube({}, []).validate(changed(plain, 3, *GROUP, "numOfHosts"))
