"""JobSets with the real controller: pods of several nodes to their end, alone and in a queue."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import pytest

from components.jobs.job_set_manifest import MAX_FILE_BYTES, host_of_first, job_set_spec
from kube.errors import KubeError
from kube.objects import JsonObject, Ref, dig, labels_of, maps, name_of
from sandbox.control_plane import ControlPlane
from sandbox.gke.agent.nodes import end_pod
from sandbox.live_kube.api import Api
from sandbox.live_kube.api_server import FIELD_MANAGER, ApiServer
from sandbox.live_kube.charts import Charts
from sandbox.live_kube.field_managers import without_others
from tests.kube.conftest import eventually
from tests.unit.job_set_samples import PODS, release
from tests.unit.kueue_samples import (
    QUEUE,
    cluster_queue,
    configuration,
    flavor,
    in_llm,
    local_queue,
    namespace,
    quota,
)
from tests.unit.kueue_samples import release as kueue_release
from tests.unit.memory_kube_samples import make

API = "jobset.x-k8s.io/v1alpha2"
KUEUES = ["spec.suspend", "spec.replicatedJobs"]
ENDS_SOON = {"pod-complete.stage.kwok.x-k8s.io/delay": "500ms"}
POOL = {"pool": "gpu"}
ZONE = {"zone": "a"}


def node(name: str) -> JsonObject:
    room = {"cpu": "80", "memory": "640Gi", "ephemeral-storage": "1000Gi", "pods": "110"}
    return {
        "apiVersion": "v1",
        "kind": "Node",
        "metadata": {
            "name": name,
            "labels": {"kubernetes.io/hostname": name, **POOL, **ZONE},
            "annotations": {"kwok.x-k8s.io/node": "fake"},
        },
        "status": {"capacity": room, "allocatable": room},
    }


@pytest.fixture(scope="module")
def plane(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ControlPlane]:
    plane = ControlPlane(tmp_path_factory.mktemp("job-sets") / "plane")
    plane.start()
    yield plane
    plane.remove()


@pytest.fixture(scope="module")
def server(plane: ControlPlane) -> ApiServer:
    """A control plane with JobSet, Kueue and a queue whose flavor adds a label of the nodes."""
    server = ApiServer(plane.kubeconfig)
    frameworks = {"frameworks": ["jobset.x-k8s.io/jobset"]}
    for each in (node("a"), node("b"), *map(namespace, ("llm", "jobset-system", "kueue-system"))):
        server.apply(each)
    charts = Charts(server, plane)
    charts.install(release())
    charts.install(kueue_release(config=configuration(integrations=frameworks)))
    quotas = [quota(name, "100") for name in ("cpu", "nvidia.com/gpu")]
    quotas += [quota(name, "900Gi") for name in ("memory", "ephemeral-storage")]
    for each in (flavor(nodeLabels=ZONE), cluster_queue(quotas=quotas), local_queue()):
        server.apply(each)
    return server


def job_set(name: str, queue: str = "", **values: Any) -> JsonObject:
    pods = replace(PODS, job_name=name, gpus=0, node_selector=POOL, queued=bool(queue), **values)
    manifest = in_llm(make("JobSet", name, API, spec=job_set_spec(pods)))
    manifest["metadata"]["labels"] = {QUEUE: queue} if queue else {}
    return manifest


def live(server: ApiServer, manifest: JsonObject) -> JsonObject:
    found = server.get(Ref.of(manifest))
    assert found is not None
    return found


def pods_of(server: ApiServer, manifest: JsonObject) -> list[JsonObject]:
    own = "jobset.sigs.k8s.io/jobset-name"
    pods = server.list("v1", "Pod")
    return [pod for pod in pods if labels_of(pod).get(own) == name_of(manifest)]


def run(server: ApiServer, manifest: JsonObject) -> list[JsonObject]:
    """Its two pods, once they run."""
    server.apply(manifest)
    return eventually(
        lambda: pods_of(server, manifest),
        lambda pods: [dig(pod, "status", "phase") for pod in pods] == ["Running"] * 2,
    )


def test_its_pods_are_found_by_number_and_are_on_nodes_of_their_own(server: ApiServer) -> None:
    manifest = job_set("apart")
    pods = run(server, manifest)
    assert {pod["spec"]["nodeName"] for pod in pods} == {"a", "b"}
    hosts = {f"{pod['spec']['hostname']}.{pod['spec']['subdomain']}" for pod in pods}
    assert hosts == {host_of_first("apart"), host_of_first("apart").replace("0-0", "0-1")}
    index = "batch.kubernetes.io/job-completion-index"
    assert {pod["metadata"]["annotations"][index] for pod in pods} == {"0", "1"}
    service = Ref(api_version="v1", kind="Service", namespace="llm", name="apart")
    assert dig(server.get(service), "spec", "publishNotReadyAddresses") is True


def test_it_is_completed_once_its_pods_have_ended(server: ApiServer) -> None:
    manifest = job_set("short", annotations=ENDS_SOON)
    server.apply(manifest)
    done = eventually(
        lambda: live(server, manifest), lambda it: dig(it, "status", "terminalState") is not None
    )
    assert done["status"]["terminalState"] == "Completed"


def test_a_machine_that_goes_away_starts_it_again_and_is_no_restart_that_counts(
    server: ApiServer, plane: ControlPlane
) -> None:
    manifest = job_set("spot")
    pods = run(server, manifest)
    before = {pod["metadata"]["uid"] for pod in pods}
    end_pod(Api(plane.kubeconfig), pods[0])
    eventually(
        lambda: pods_of(server, manifest),
        lambda seen: (
            [dig(pod, "status", "phase") for pod in seen] == ["Running"] * 2
            and before.isdisjoint(pod["metadata"]["uid"] for pod in seen)
        ),
    )
    status = live(server, manifest)["status"]
    assert (status["restarts"], status.get("restartsCountTowardsMax", 0)) == (1, 0)
    assert "terminalState" not in status


def test_what_runs_cannot_change(server: ApiServer) -> None:
    run(server, job_set("fixed"))
    with pytest.raises(KubeError, match="field is immutable"):
        server.apply(job_set("fixed", image="other:1"), dry_run=True)


def test_a_name_that_leaves_no_room_for_those_of_pods_is_refused(server: ApiServer) -> None:
    with pytest.raises(KubeError, match="JobSet name is too long"):
        server.apply(job_set("a" * 50), dry_run=True)
    server.apply(job_set("a" * 45), dry_run=True)


def test_files_are_as_large_as_a_config_map_may_be_without_their_names(server: ApiServer) -> None:
    for more, taken in ((0, True), (1, False)):
        data = {"a": "x" * (MAX_FILE_BYTES - 1), "b": "y" * (1 + more)}
        manifest = in_llm(make("ConfigMap", "files", data=data))
        if taken:
            server.apply(manifest, dry_run=True)
            continue
        with pytest.raises(KubeError, match="Too long"):
            server.apply(manifest, dry_run=True)


def test_a_queue_admits_it_and_sends_its_pods_to_the_flavors_nodes(server: ApiServer) -> None:
    pods = run(server, job_set("queued", "lq"))
    assert all(pod["spec"]["nodeSelector"] == POOL | ZONE for pod in pods)
    (workload,) = server.list("kueue.x-k8s.io/v1beta2", "Workload")
    assert [(each["name"], each["count"]) for each in workload["spec"]["podSets"]] == [("node", 2)]


def test_without_its_queue_it_waits_and_has_no_pods(server: ApiServer) -> None:
    manifest = job_set("waiting", "none")
    server.apply(manifest)
    found = eventually(
        lambda: live(server, manifest), lambda it: bool(maps(dig(it, "status", "conditions")))
    )
    assert found["spec"]["suspend"] is True
    assert pods_of(server, manifest) == []


def test_other_labels_come_in_place_where_its_jobs_are_left_to_kueue(server: ApiServer) -> None:
    run(server, job_set("labelled", "lq"))
    other = job_set("labelled", "lq")
    other["metadata"]["labels"]["team"] = "other"
    below = "spec.replicatedJobs[0].template.spec.template.spec.nodeSelector"
    for ignored in ([], [KUEUES[0], below]):
        ours = without_others(other, live(server, other), ignored, FIELD_MANAGER)
        with pytest.raises(KubeError, match=r'conflicts? with "kueue"'):
            server.apply(ours, dry_run=True)
    before = live(server, other)
    server.apply(without_others(other, before, KUEUES, FIELD_MANAGER))
    after = live(server, other)
    assert after["metadata"]["labels"]["team"] == "other"
    assert after["spec"] == before["spec"]
    assert [dig(pod, "status", "phase") for pod in pods_of(server, other)] == ["Running"] * 2


def test_all_of_it_goes_with_it(server: ApiServer) -> None:
    manifest = job_set("gone")
    run(server, manifest)
    server.delete(Ref.of(manifest))
    eventually(lambda: server.get(Ref.of(manifest)), lambda found: found is None)
    assert pods_of(server, manifest) == []
