"""Pods that take their time or never get ready, with the real controllers and Kueue: who waits for
them, who gives them up, and who waits for machines before there are pods at all."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from kube.objects import JsonObject, Ref, dig, maps, name_of
from sandbox.control_plane import ControlPlane
from sandbox.gke.provisioning_rules import API, QUEUED_CLASS
from sandbox.gke.queued_machines import QUEUED_TAINT
from sandbox.live_kube.api_server import ApiServer
from sandbox.live_kube.live_kube import LiveKube
from tests.kube.conftest import eventually
from tests.kube.written_cloud import CLUSTER, resource, write
from tests.unit.kueue_samples import (
    KUEUE,
    QUEUE,
    cluster_queue,
    configuration,
    flavor,
    in_llm,
    local_queue,
    namespace,
    quota,
    release,
)
from tests.unit.memory_kube_samples import make

_DELAY = "pod-ready.stage.kwok.x-k8s.io/delay"
_GPU = "nvidia.com/gpu"
_POOL = "cloud.google.com/gke-nodepool"
# Long enough for pods that are quick, short enough for a test.
_PATIENCE = {"timeout": "60s", "requeuingStrategy": {"backoffLimitCount": 0}}


@pytest.fixture(scope="module")
def plane(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ControlPlane]:
    """Nodes for two small pods, a queued pool, and Kueue with two queues: one for any pods, and
    one that waits for GKE's queued provisioning."""
    folder = tmp_path_factory.mktemp("readiness")
    small, gpus = {"machineType": "n2-standard-4"}, {"machineType": "a3-ultragpu-8g"}
    pools = {
        "cpu": resource("NodePool", name="cpu", initialNodeCount=1, nodeConfig=small),
        "queued": resource(
            "NodePool",
            name="queued",
            nodeConfig=gpus,
            autoscaling={"totalMinNodeCount": 0, "totalMaxNodeCount": 2},
            queuedProvisioning={"enabled": True},
        ),
    }
    write(folder / "cloud.json", pools)
    plane = ControlPlane(folder / "plane", cluster=CLUSTER, cloud_file=folder / "cloud.json")
    try:
        plane.start()
        kube = LiveKube(plane, ray_addon=False)
        for name in ("llm", "kueue-system"):
            kube.apply(namespace(name))
        kube.apply(release(config=configuration(waitForPodsReady=_PATIENCE)))
        for each in _queues():
            kube.apply(each)
        yield plane
    finally:
        plane.remove()


@pytest.fixture(scope="module")
def kube(plane: ControlPlane) -> LiveKube:
    return LiveKube(plane, ray_addon=False)


@pytest.fixture(scope="module")
def server(plane: ControlPlane) -> ApiServer:
    return ApiServer(plane.kubeconfig)


def _queues() -> list[JsonObject]:
    quotas = [quota("cpu", "1"), quota("memory", "900Gi"), quota(_GPU, "0")]
    with_gpus = [quota("cpu", "100"), quota("memory", "900Gi"), quota(_GPU, "8")]
    parameters = {"apiGroup": "kueue.x-k8s.io", "kind": "ProvisioningRequestConfig", "name": "gke"}
    check = {"controllerName": "kueue.x-k8s.io/provisioning-request", "parameters": parameters}
    config = {"provisioningClassName": QUEUED_CLASS, "managedResources": [_GPU]}
    machines = {"admissionChecks": [{"name": "machines"}]}
    return [
        make("ProvisioningRequestConfig", "gke", KUEUE, spec=config),
        make("AdmissionCheck", "machines", KUEUE, spec=check),
        flavor(),
        cluster_queue("any", quotas),
        cluster_queue("machines", with_gpus, admissionChecksStrategy=machines),
        local_queue("any", "any"),
        local_queue("machines", "machines"),
    ]


def deployment(name: str, delay: str) -> JsonObject:
    labels = {"app": name}
    pod = {"containers": [{"name": "c", "image": "x"}]}
    template = {"metadata": {"labels": labels, "annotations": {_DELAY: delay}}, "spec": pod}
    spec = {"selector": {"matchLabels": labels}, "template": template}
    return in_llm(make("Deployment", name, "apps/v1", spec=spec))


def job(name: str, queue: str, delay: str, **pod: Any) -> JsonObject:
    asks = {"cpu": "1", "memory": "1Gi", **pod.pop("asks", {})}
    container = {"name": "c", "image": "x", "resources": {"requests": asks, "limits": asks}}
    spec = {"containers": [container], "restartPolicy": "Never", **pod}
    template = {"metadata": {"annotations": {_DELAY: delay}}, "spec": spec}
    made = in_llm(make("Job", name, "batch/v1", spec={"suspend": True, "template": template}))
    made["metadata"]["labels"] = {QUEUE: queue}
    return made


def conditions(server: ApiServer, of: JsonObject) -> dict[str, str]:
    """Those that are true of a job's Workload, with their reasons."""
    for each in server.list(KUEUE, "Workload"):
        owners = maps(dig(each, "metadata", "ownerReferences"))
        if any(owner["name"] == name_of(of) for owner in owners):
            found = maps(dig(each, "status", "conditions"))
            return {it["type"]: it["reason"] for it in found if it["status"] == "True"}
    return {}


def test_a_pod_that_takes_its_time_is_waited_for(kube: LiveKube) -> None:
    slow = deployment("slow", "20s")
    kube.apply(slow)
    assert not kube.readiness(Ref.of(slow)).ready
    assert kube.wait_for(Ref.of(slow)).ready


def test_a_pod_that_never_gets_ready_is_said_once_nothing_changes_any_more(kube: LiveKube) -> None:
    stuck = deployment("stuck", "never")
    kube.apply(stuck)
    said = kube.wait_for(Ref.of(stuck))
    assert not said.ready
    assert said.reason.startswith("0/1 pods are Running; ")
    assert said.reason.endswith("it has a node, and its containers are not ready")
    kube.delete(Ref.of(stuck))


def test_kueue_gives_up_a_job_whose_pods_do_not_get_ready_and_admits_the_next(
    kube: LiveKube, server: ApiServer
) -> None:
    stuck, waiting = job("stuck", "any", "never"), job("waiting", "any", "1s")
    kube.apply(stuck)
    eventually(lambda: conditions(server, stuck), lambda it: "Admitted" in it)
    kube.apply(waiting)
    given_up = eventually(lambda: conditions(server, stuck), lambda it: "Evicted" in it)
    assert given_up["Evicted"] == "DeactivatedDueToRequeuingLimitExceeded"
    eventually(lambda: conditions(server, waiting), lambda it: "PodsReady" in it)


def test_a_job_is_admitted_once_its_provisioning_request_has_its_machines(
    kube: LiveKube, server: ApiServer
) -> None:
    # In a pod template nobody adds the toleration that GKE adds to pods for GPUs.
    tolerations = [{"key": key, "operator": "Exists"} for key in (_GPU, QUEUED_TAINT)]
    on_queued = {"nodeSelector": {_POOL: "queued"}, "tolerations": tolerations}
    training = job("training", "machines", "1s", asks={_GPU: "8"}, **on_queued)
    kube.apply(training)
    ready = eventually(lambda: conditions(server, training), lambda it: "PodsReady" in it)
    assert ready["Admitted"] == "Admitted"
    (request,) = server.list(API, "ProvisioningRequest")
    assert [it["type"] for it in maps(dig(request, "status", "conditions"))] == [
        "Accepted",
        "Provisioned",
    ]
    (pod,) = [it for it in server.list("v1", "Pod") if dig(it, "spec", "nodeName").count("queued")]
    consumes = pod["metadata"]["annotations"]["autoscaling.x-k8s.io/consume-provisioning-request"]
    assert consumes == name_of(request)
