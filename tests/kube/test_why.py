"""`why` on a real control plane: planted causes are each told, and of healthy jobs nothing is."""

from __future__ import annotations

import os
import signal
from collections.abc import Callable, Iterator
from datetime import UTC, datetime

import pytest

from aistack.cluster import Cluster
from aistack.events import workload_of
from aistack.find import find_job
from aistack.sandbox_stack import sandbox_stack
from aistack.why.look import look
from aistack.why.verdict import Verdict, verdict
from components.queue_labels import QUEUE_LABEL
from kube.errors import KubeError
from kube.jobs import State
from kube.kinds import POD
from kube.objects import JsonObject, Ref, dig, labels_of, maps, name_of
from sandbox.live_kube.api_server import ApiServer
from tests.kube.conftest import LiveSandbox, eventually
from tests.kube.kubelet import kubelet
from tests.kube.planted_causes import (
    AFTERWARDS,
    CAUSES,
    HEALTHY,
    KEPT,
    PLAIN,
    RECOVERING,
    Planted,
    queue,
)
from tests.kube.planted_claims import CLAIM_CAUSES, SENTENCES
from tests.kube.planted_ends import END_CAUSES
from tests.kube.planted_logs import LOG_CAUSES
from tests.kube.planted_machines import MACHINE_CAUSES

STACK = "lab"
ALL = {**CAUSES, **CLAIM_CAUSES, **LOG_CAUSES, **MACHINE_CAUSES, **END_CAUSES}
# The last tests of this file make what would be in the way of the others.
PLANTED = (*ALL, "kept-for-another", "ray-head-gone")


@pytest.fixture(scope="module")
def live(live_sandbox: Callable[[str], LiveSandbox]) -> LiveSandbox:
    sandbox = live_sandbox(STACK)
    sandbox.succeed("up")
    return sandbox


@pytest.fixture(scope="module")
def cluster(live: LiveSandbox, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Cluster]:
    """The cluster of a stack with every planted job in it, and what they say."""
    cluster = Cluster.of(sandbox_stack(live.workspace.root, STACK))
    admin = live.server.acting_as("kubectl")
    for it in (PLAIN, *queue("roomy", "8"), *HEALTHY):
        admin.apply(it)
    for planted in ALL.values():
        for it in planted.beside:
            admin.apply(it, force=True)
            if QUEUE_LABEL in labels_of(it):
                _wait_until_judged(cluster, name_of(it))
        if planted.refused:
            eventually(lambda planted=planted: _is_refused(admin, planted.pod), bool)
        admin.apply(planted.job, force=True)
    for name, planted in ALL.items():
        _play_kubelet(live, cluster, planted)
        if name in AFTERWARDS:
            _state(cluster, name, State.RUNNING)
            admin.apply(AFTERWARDS[name]())
    pods = {name: _pod_of(cluster, it) for name, it in ALL.items() if it.says}
    folder = tmp_path_factory.mktemp("kubelet")
    with kubelet(live.plane.kubeconfig, folder, list(pods.values())) as nodes:
        for name, pod in pods.items():
            for when in ALL[name].said_at or (datetime.now(UTC),):
                nodes.say(name_of(pod), ALL[name].says, at=when)
        yield cluster


def _wait_until_judged(cluster: Cluster, name: str) -> None:
    """By Kueue, which would else be free to let in whichever came after it."""
    found = find_job(cluster, ["default"], name)
    eventually(
        lambda: workload_of(cluster, found),
        lambda it: any(
            one["type"] == "QuotaReserved" for one in maps(dig(it, "status", "conditions"))
        ),
    )


def _is_refused(server: ApiServer, pod: JsonObject) -> bool:
    """The API server takes a moment to know of a new quota or webhook."""
    try:
        server.apply(pod, dry_run=True)
    except KubeError:
        return True
    return False


def _play_kubelet(live: LiveSandbox, cluster: Cluster, planted: Planted) -> None:
    if not planted.pod_status and planted.told is None:
        return
    pod = _pod_of(cluster, planted)
    if planted.pod_status:
        ref = Ref(api_version="v1", kind="Pod", namespace="default", name=name_of(pod))
        live.server.set_status(ref, planted.pod_status)
    if planted.told is not None:
        live.server.acting_as("kubectl").apply(_event(pod, *planted.told))


def _pod_of(cluster: Cluster, planted: Planted) -> JsonObject:
    labels = f"batch.kubernetes.io/job-name={name_of(planted.job)}"
    (pod,) = eventually(
        lambda: list(cluster.pages(POD, "default", labels=labels)), lambda seen: len(seen) == 1
    )
    return pod


def _event(pod: JsonObject, reason: str, message: str) -> JsonObject:
    about = {"apiVersion": "v1", "kind": "Pod", "namespace": "default", "name": name_of(pod)}
    return {
        "apiVersion": "v1",
        "kind": "Event",
        "metadata": {"name": f"{name_of(pod)}.planted", "namespace": "default"},
        "involvedObject": {**about, "uid": pod["metadata"]["uid"]},
        "type": "Warning",
        "reason": reason,
        "message": message,
        "lastTimestamp": pod["metadata"]["creationTimestamp"],
    }


def _state(cluster: Cluster, name: str, wanted: State) -> None:
    eventually(lambda: find_job(cluster, ["default"], name).job.state, lambda it: it is wanted)


def said(cluster: Cluster, name: str) -> Verdict:
    return verdict(look(cluster, find_job(cluster, ["default"], name)))


def cause(found: Verdict) -> str:
    return "" if found.reason is None else found.reason.cause


@pytest.mark.parametrize("name", ALL)
def test_a_planted_cause_is_the_one_that_is_told(cluster: Cluster, name: str) -> None:
    found = eventually(lambda: said(cluster, name), lambda it: cause(it) == name)
    assert found.reason is not None
    assert found.reason.advice.endswith(".")
    assert SENTENCES.get(name, found.sentence) == found.sentence
    print(found.sentence, found.reason.advice)


@pytest.mark.parametrize("name", [name_of(it) for it in HEALTHY])
def test_a_healthy_job_has_nothing_in_its_way(cluster: Cluster, name: str) -> None:
    _state(cluster, name, State.RUNNING)
    found = said(cluster, name)
    assert found == Verdict(None, "It runs, with 1 of 1 pods ready.")


@pytest.mark.parametrize("name", RECOVERING)
def test_a_job_that_has_recovered_has_nothing_in_its_way(
    live: LiveSandbox, cluster: Cluster, name: str
) -> None:
    planted = RECOVERING[name]
    live.server.acting_as("kubectl").apply(planted.job)
    _state(cluster, name, State.RUNNING)
    _play_kubelet(live, cluster, planted)
    tries = "its 2nd try" if planted.pod_status else "1 of 1 pods ready"
    eventually(
        lambda: said(cluster, name),
        lambda it: it.reason is None and it.sentence.startswith("It runs") and tries in it.sentence,
    )


def test_quota_that_kueue_keeps_for_another_is_not_called_full(
    live: LiveSandbox, cluster: Cluster
) -> None:
    admin = live.server.acting_as("kubectl")
    try:
        for it in KEPT.beside:
            admin.apply(it, force=True)
            if QUEUE_LABEL in labels_of(it):
                _wait_until_judged(cluster, name_of(it))
        admin.apply(KEPT.job, force=True)
        name = name_of(KEPT.job)
        found = eventually(lambda: said(cluster, name), lambda it: cause(it) == name)
        print(found)
    finally:
        for it in (KEPT.job, *KEPT.beside):
            if it["kind"] == "Job":
                live.server.delete(Ref.of(it))


def test_a_ray_cluster_without_its_head_says_so_until_it_is_back(
    live: LiveSandbox, cluster: Cluster
) -> None:
    """Which takes a moment, while KubeRay is away."""
    _state(cluster, STACK, State.RUNNING)
    (operator,) = (it.pid for it in live.plane.status() if it.name == "ray-operator")
    assert operator is not None
    os.kill(operator, signal.SIGKILL)
    heads = cluster.pages(POD, "default", labels="ray.io/node-type=head")
    for head in map(name_of, heads):
        assert cluster.delete(POD, "default", head)
    found = eventually(lambda: said(cluster, STACK), lambda it: cause(it) == "ray-head-gone")
    assert found.sentence.startswith("The head of its Ray cluster is gone")
    live.plane.start()
    eventually(lambda: said(cluster, STACK), lambda it: it.reason is None)
