"""Plants jobs on a real control plane, and says what their kubelet and their program would."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path

from aistack.cluster import Cluster
from aistack.events import workload_of
from aistack.find import find_job
from components.queues.labels import QUEUE_LABEL
from kube.errors import KubeError
from kube.jobs import State
from kube.kinds import POD
from kube.objects import JsonObject, Ref, dig, labels_of, maps, name_of
from sandbox.live_kube.api_server import ApiServer
from tests.kube.conftest import LiveSandbox, eventually
from tests.kube.kubelet import kubelet
from tests.kube.planted_causes import AFTERWARDS, Planted


@contextmanager
def planted(
    live: LiveSandbox, cluster: Cluster, causes: Mapping[str, Planted], folder: Path
) -> Iterator[None]:
    """`folder` is for the logs of the pods, which are there as long as this is."""
    admin = live.server.acting_as("kubectl")
    for each in causes.values():
        plant(cluster, admin, each)
    for name, each in causes.items():
        play_kubelet(live, cluster, each)
        if name in AFTERWARDS:
            wait_for_state(cluster, name, State.RUNNING)
            admin.apply(AFTERWARDS[name]())
    pods = {name: _pod_of(cluster, it) for name, it in causes.items() if it.says}
    with kubelet(live.plane.kubeconfig, folder, list(pods.values())) as nodes:
        for name, pod in pods.items():
            for when in causes[name].said_at or (datetime.now(UTC),):
                nodes.say(name_of(pod), causes[name].says, at=when)
        yield


def plant(cluster: Cluster, admin: ApiServer, each: Planted) -> None:
    for it in each.beside:
        admin.apply(it, force=True)
        if QUEUE_LABEL in labels_of(it):
            _wait_until_judged(cluster, name_of(it))
    if each.refused:
        eventually(lambda: _is_refused(admin, each.pod), bool)
    admin.apply(each.job, force=True)


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


def play_kubelet(live: LiveSandbox, cluster: Cluster, planted: Planted) -> None:
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


def wait_for_state(cluster: Cluster, name: str, wanted: State) -> None:
    eventually(lambda: find_job(cluster, ["default"], name).job.state, lambda it: it is wanted)
