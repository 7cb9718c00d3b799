"""A changed server beside a training that has the rest of the GPUs, with the real Deployment
controller, Kueue and kube-scheduler, and a server's pod that takes its time to end.

kwok only says that pods run: how long TGI or vLLM really take is not shown.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

import pytest

from components.servers.manifest import Rollout, deployment_spec
from kube.objects import JsonObject, Ref, annotations_of, dig, labels_of, maps
from sandbox.control_plane import ControlPlane
from sandbox.live_kube.api import Api
from sandbox.live_kube.api_server import ApiServer
from sandbox.live_kube.charts import Charts
from tests.kube.conftest import eventually
from tests.unit.inference_samples import TGI
from tests.unit.kueue_samples import (
    L4,
    QUEUE,
    cluster_queue,
    flavor,
    in_llm,
    local_queue,
    namespace,
    priority,
    release,
)
from tests.unit.memory_kube_samples import asking, container, make

ENDS = "pod-terminate.stage.kwok.x-k8s.io/delay"
PREEMPTS, WAITS = "PreemptLowerPriority", "Never"


@dataclass(frozen=True)
class Cluster:
    """Three nodes with two GPUs each, a queue of all six, a server and a training of two pods."""

    server: ApiServer
    api: Api

    def pods(self, app: str) -> list[JsonObject]:
        pods = self.server.list("v1", "Pod")
        return [it for it in pods if labels_of(it).get("app") == app]

    def running(self, app: str, count: int) -> list[JsonObject]:
        def phases(pods: list[JsonObject]) -> list[str]:
            return [dig(it, "status", "phase") for it in pods]

        return eventually(lambda: self.pods(app), lambda pods: phases(pods) == ["Running"] * count)

    def may_end(self, pod: JsonObject, *, now: bool) -> None:
        self.api.patch(pod, {"metadata": {"annotations": {ENDS: None if now else "never"}}})


def node(name: str) -> JsonObject:
    room = {"cpu": "24", "memory": "96Gi", "ephemeral-storage": "99Gi", "pods": "110"}
    room["nvidia.com/gpu"] = "2"
    return {
        "apiVersion": "v1",
        "kind": "Node",
        "metadata": {
            "name": name,
            "labels": {"kubernetes.io/hostname": name, **L4},
            "annotations": {"kwok.x-k8s.io/node": "fake"},
        },
        "status": {"capacity": room, "allocatable": room},
    }


def training() -> JsonObject:
    spec = {
        "priorityClassName": "training",
        "restartPolicy": "Never",
        "nodeSelector": L4,
        "containers": [container(resources=asking(gpu="2"))],
    }
    template = {"metadata": {"labels": {"app": "training"}}, "spec": spec}
    job = {"suspend": True, "parallelism": 2, "completions": 2, "template": template}
    made = in_llm(make("Job", "training", "batch/v1", spec=job))
    made["metadata"]["labels"] = {QUEUE: "lq"}
    return made


def serving(image: str, rollout: Rollout) -> JsonObject:
    pod = replace(TGI, image=image, priority_class="serving", queue="lq", secret_name=None)
    spec = deployment_spec(pod, replicas=1, rollout=rollout)
    return in_llm(make("Deployment", "chat", "apps/v1", spec=spec))


@pytest.fixture(scope="module")
def plane(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ControlPlane]:
    made = ControlPlane(tmp_path_factory.mktemp("rollouts") / "plane")
    try:
        made.start()
        server = ApiServer(made.kubeconfig)
        for each in (*map(node, "abc"), *map(namespace, ("llm", "kueue-system"))):
            server.apply(each)
        Charts(server, made).install(release())
        for each in (flavor(nodeLabels=L4), cluster_queue(), local_queue()):
            server.apply(each)
        server.apply(priority("training", 20))
        yield made
    finally:
        made.remove()


@pytest.fixture
def cluster(plane: ControlPlane, request: pytest.FixtureRequest) -> Iterator[Cluster]:
    """With a priority class of servers that is as the test says."""
    found = Cluster(ApiServer(plane.kubeconfig), Api(plane.kubeconfig))
    serves = priority("serving", 30, preemptionPolicy=request.param)
    found.server.apply(serves)
    yield found
    for each in (serving("tgi:1", Rollout.RECREATE), training(), serves):
        found.server.delete(Ref.of(each))
    for app in ("chat", "training"):
        for pod in found.pods(app):
            if ENDS in annotations_of(pod):
                found.may_end(pod, now=True)
    eventually(lambda: found.pods("chat") + found.pods("training"), lambda pods: not pods)


def begun(cluster: Cluster, rollout: Rollout) -> tuple[JsonObject, set[str]]:
    """A server that is to end, and takes its time; and the training's pods by their uids."""
    cluster.server.apply(serving("tgi:1", rollout))
    (before,) = cluster.running("chat", 1)
    cluster.server.apply(training())
    uids = {it["metadata"]["uid"] for it in cluster.running("training", 2)}
    cluster.may_end(before, now=False)
    cluster.server.apply(serving("tgi:2", rollout))
    eventually(
        lambda: cluster.pods("chat"),
        lambda pods: any(it["metadata"].get("deletionTimestamp") for it in pods),
    )
    return before, uids


def successors(cluster: Cluster) -> list[JsonObject]:
    return [it for it in cluster.pods("chat") if it["spec"]["containers"][0]["image"] == "tgi:2"]


def looked_at(pods: list[JsonObject]) -> bool:
    """Whether Kueue has let the successor go on, and kube-scheduler has found no node for it."""
    conditions = [it for pod in pods for it in maps(dig(pod, "status", "conditions"))]
    return any(it.get("reason") == "Unschedulable" for it in conditions)


def of_before(cluster: Cluster, uids: set[str]) -> list[JsonObject]:
    """Pods of the training that were there before, and stay."""
    pods = [it for it in cluster.pods("training") if it["metadata"]["uid"] in uids]
    return [it for it in pods if not it["metadata"].get("deletionTimestamp")]


@pytest.mark.parametrize("cluster", [PREEMPTS], indirect=True)
def test_one_by_one_a_server_whose_class_preempts_takes_a_node_of_the_training(
    cluster: Cluster,
) -> None:
    _, uids = begun(cluster, Rollout.ONE_BY_ONE)
    eventually(lambda: of_before(cluster, uids), lambda pods: len(pods) < 2)
    (successor,) = successors(cluster)
    assert "schedulingGates" not in successor["spec"], "Kueue has admitted it"


@pytest.mark.parametrize("cluster", [WAITS], indirect=True)
def test_one_by_one_a_server_whose_class_preempts_nobody_waits_for_the_one_before(
    cluster: Cluster,
) -> None:
    before, uids = begun(cluster, Rollout.ONE_BY_ONE)
    eventually(lambda: successors(cluster), looked_at)
    assert len(of_before(cluster, uids)) == 2
    cluster.may_end(before, now=True)
    cluster.running("chat", 1)
    assert len(of_before(cluster, uids)) == 2


@pytest.mark.parametrize("cluster", [PREEMPTS], indirect=True)
def test_a_server_that_is_made_once_the_one_before_is_gone_costs_the_training_nothing(
    cluster: Cluster,
) -> None:
    before, uids = begun(cluster, Rollout.RECREATE)
    assert successors(cluster) == []
    cluster.may_end(before, now=True)
    eventually(lambda: successors(cluster), lambda pods: len(pods) == 1)
    cluster.running("chat", 1)
    assert len(of_before(cluster, uids)) == 2


@pytest.mark.parametrize("cluster", [PREEMPTS], indirect=True)
def test_a_server_that_went_one_by_one_can_be_recreated_from_now_on(cluster: Cluster) -> None:
    cluster.server.apply(serving("tgi:1", Rollout.ONE_BY_ONE))
    cluster.running("chat", 1)
    cluster.server.apply(serving("tgi:1", Rollout.RECREATE))
    live = cluster.server.get(Ref.of(serving("tgi:1", Rollout.RECREATE)))
    assert live is not None
    assert live["spec"]["strategy"] == {"type": "Recreate"}
