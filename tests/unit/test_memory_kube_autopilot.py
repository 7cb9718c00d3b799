"""Nodes that come from pods; the choice of a machine is a fake here."""

import json
from collections.abc import Mapping
from typing import Any

from kube import quantity
from kube.objects import Node
from kube.pod_requests import requests_of
from sandbox.memory_kube.memory import MemoryKube
from tests.unit.memory_kube_samples import (
    CLUSTER,
    LABELS,
    asking,
    changed,
    cpu_node,
    job,
    lustre_claim,
    lustre_volume,
    make,
    only_pod,
    pod,
    ray_cluster,
    ray_ref,
    ref,
    refusal,
    workload,
)

SEEN = "seen"


def provision(made_for: Mapping[str, Any], /) -> Node | str:
    """A machine of the size that the pod asks for, and none of more than 8 GPUs."""
    wanted = requests_of(made_for["spec"])
    if wanted.get("nvidia.com/gpu", 0) > 8:
        return "no machine has 9 nvidia.com/gpu"
    room = {name: quantity.render(amount) for name, amount in wanted.items()}
    selector = made_for["spec"].get("nodeSelector") or {}
    seen = (made_for["metadata"].get("annotations") or {}).get(SEEN, "")
    return Node(
        name="ignored",
        pool="autopilot",
        labels={**selector, SEEN: seen},
        allocatable={"cpu": "1", "memory": "1Gi"} | room | {"pods": "32"},
    )


def autopilot(state: dict[str, Any] | None = None, nodes: list[Node] | None = None) -> MemoryKube:
    return MemoryKube({} if state is None else state, nodes or [], provision)


def test_each_pod_gets_a_node_of_its_own() -> None:
    kube = autopilot()
    assert kube.nodes() == []
    kube.apply(pod("a", resources=asking(cpu="2")))
    kube.apply(pod("b", resources=asking(cpu="4")))
    assert {each.phase for each in kube.pods()} == {"Running"}
    assert [each.node for each in kube.pods()] == [each.name for each in kube.nodes()]
    assert [each.allocatable["cpu"] for each in kube.nodes()] == ["2", "4"]
    labels = [each.labels["kubernetes.io/hostname"] for each in kube.nodes()]
    assert labels == [each.name for each in kube.nodes()]


def test_a_small_pod_does_not_take_the_node_made_for_a_big_one() -> None:
    kube = autopilot()
    for name, cpu in (("big", "64"), ("small", "1"), ("tiny", "100m")):
        kube.apply(pod(name, resources=asking(cpu=cpu)))
    assert len({each.node for each in kube.pods()}) == 3


def test_a_node_goes_with_its_pod() -> None:
    kube = autopilot()
    kube.apply(pod())
    kube.delete(ref("Pod", "p"))
    assert kube.nodes() == []


def test_the_nodes_are_the_same_after_a_restart() -> None:
    state: dict[str, Any] = {}
    kube = autopilot(state)
    kube.apply(pod())
    stored = json.dumps(state)
    again = autopilot(json.loads(stored))
    assert again.nodes() == kube.nodes()
    assert again.pods() == kube.pods()
    before = json.loads(stored)
    autopilot(before)
    assert json.dumps(before) == stored


def test_the_reason_why_no_node_can_be_made_is_the_pods() -> None:
    kube = autopilot()
    kube.apply(pod(resources=asking(gpu="9")))
    assert (only_pod(kube).phase, only_pod(kube).node) == ("Pending", "")
    assert only_pod(kube).reason == "no machine has 9 nvidia.com/gpu"
    assert kube.nodes() == []


def test_a_pod_that_waits_for_its_claim_makes_no_node() -> None:
    kube = autopilot()
    volumes = [{"name": "v", "persistentVolumeClaim": {"claimName": "c"}}]
    kube.apply(pod(spec={"volumes": volumes}))
    assert only_pod(kube).reason == 'persistentvolumeclaim "c" not found'
    assert kube.nodes() == []


def test_what_a_pod_waits_for_comes_before_what_autopilot_lacks() -> None:
    kube = autopilot()
    kube.apply(pod(spec={"serviceAccountName": "x"}, resources=asking(gpu="9")))
    assert only_pod(kube).reason.endswith('serviceaccount "x" not found')


def test_fixed_nodes_are_filled_first() -> None:
    kube = autopilot(nodes=[cpu_node(cpu="2")])
    kube.apply(pod("a", resources=asking(cpu="2")))
    kube.apply(pod("b", resources=asking(cpu="2")))
    assert [each.node.startswith("gk3-") for each in kube.pods()] == [False, True]


def test_daemon_sets_run_on_nodes_and_make_none() -> None:
    kube = autopilot()
    kube.apply(workload("DaemonSet", "agent"))
    target = ref("DaemonSet", "agent", api_version="apps/v1")
    assert kube.pods() == []
    assert kube.readiness(target).reason == "0/0 pods are Running"
    kube.apply(pod("a"))
    kube.apply(pod("b"))
    assert kube.readiness(target).reason == "2/2 pods are Running"
    assert len(kube.nodes()) == 2
    kube.delete(ref("Pod", "a"))
    assert kube.readiness(target).reason == "1/1 pods are Running"


def test_a_daemon_set_that_a_fixed_node_has_no_room_for_says_so() -> None:
    kube = autopilot(nodes=[cpu_node(pods="0")])
    kube.apply(pod("a"))
    kube.apply(workload("DaemonSet", "agent"))
    waiting = [each for each in kube.pods() if each.phase == "Pending"]
    assert [each.reason for each in waiting] == [
        "0/1 nodes are available: 1 Too many pods.",
    ]


def test_a_daemon_set_that_finds_no_room_leaves_the_pod_its_node() -> None:
    kube = autopilot()
    kube.apply(pod("a", resources=asking(cpu="4")))
    path = ("spec", "template", "spec", "containers", 0, "resources")
    kube.apply(changed(workload("DaemonSet", "agent"), asking(cpu="1"), *path))
    phases = {each.name: each.phase for each in kube.pods()}
    assert phases.pop("a") == "Running"
    assert set(phases.values()) == {"Pending"}
    assert len(kube.nodes()) == 1


def test_the_pod_is_shown_to_autopilot_after_the_webhooks() -> None:
    kube = autopilot()
    annotations = {SEEN: "yes", "gke-gcsfuse/volumes": "true"}
    kube.apply(changed(pod(resources=asking(cpu="2")), annotations, "metadata", "annotations"))
    (made,) = kube.nodes()
    assert made.labels[SEEN] == "yes"
    assert made.allocatable["cpu"] == "2250m"


def test_a_ray_cluster_runs_on_nodes_of_its_own() -> None:
    kube = autopilot()
    for manifest in (lustre_volume(), lustre_claim(), ray_cluster()):
        kube.apply(manifest)
    assert kube.health(ray_ref()).reason == "9/9 pods are Running"
    assert len({each.node for each in kube.pods()}) == len(kube.nodes()) == 9
    kube.delete(ray_ref(name=CLUSTER))
    assert kube.nodes() == []


def test_a_finished_job_leaves_no_nodes() -> None:
    kube = autopilot()
    kube.apply(make("Service", "train", spec={"clusterIP": "None", "selector": LABELS}))
    kube.apply(job(completions=2, parallelism=2, completionMode="Indexed"))
    assert len(kube.nodes()) == 2
    assert kube.wait_for(ref("Job", "train", api_version="batch/v1")).ready
    assert kube.nodes() == []


def test_autopilots_own_namespaces_are_nobodys_to_make() -> None:
    theirs = make("Namespace", "gmp-public")
    text = refusal(MemoryKube({}, [], provision), theirs)
    assert text.endswith('is managed and the request\'s verb "create" is denied')
    MemoryKube({}, [cpu_node()]).apply(theirs)
