"""GPUs and interfaces that are claimed by pairs, as kube-scheduler gives them out on one machine.
The simulated cloud is written by hand here; GKE's agent publishes the devices."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from components.network.resource_claim_template import paired_devices
from kube.objects import JsonObject, Ref, dig, maps, name_of
from sandbox.control_plane import ControlPlane
from sandbox.gke.agent.slices import PCIE_ROOT, SLICE
from sandbox.kube.helm.gpu_claims_chart import gpu_class
from sandbox.live_kube.api import Api
from tests.kube.conftest import eventually
from tests.kube.written_cloud import CLUSTER, resource, write

_LABELS = {
    "cloud.google.com/gke-networking-dra-driver": "true",
    "gke-no-default-nvidia-gpu-device-plugin": "true",
    "nvidia.com/gpu.present": "true",
}
_PAIRS = 2
_PODS = 4


@pytest.fixture(scope="module")
def api(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Api]:
    file = tmp_path_factory.mktemp("cloud") / "cloud.json"
    node = {"machineType": "a4-highgpu-8g", "spot": True, "labels": _LABELS}
    network = {"acceleratorNetworkProfile": "auto"}
    pool = resource(
        "NodePool", name="gpu", initialNodeCount=1, nodeConfig=node, networkConfig=network
    )
    write(file, {"gpu": pool}, ())
    plane = ControlPlane(file.parent / "plane", cluster=CLUSTER, cloud_file=file)
    try:
        plane.start()
        found = Api(plane.kubeconfig)
        # NVIDIA's chart brings it.
        found.apply(gpu_class())
        yield found
    finally:
        plane.remove()


def template() -> JsonObject:
    """As the component has it, with Kubernetes' names of fields."""
    devices = paired_devices("mrdma.google.com", "req-mrdma", _PAIRS)
    requests = [
        {
            "name": it["name"],
            "exactly": {
                "deviceClassName": it["exactly"]["device_class_name"],
                "allocationMode": "ExactCount",
                "count": it["exactly"]["count"],
            },
        }
        for it in devices["requests"]
    ]
    constraints = [
        {"matchAttribute": it["match_attribute"], "requests": it["requests"]}
        for it in devices["constraints"]
    ]
    return {
        "apiVersion": "resource.k8s.io/v1",
        "kind": "ResourceClaimTemplate",
        "metadata": {"name": "two-pairs", "namespace": "default"},
        "spec": {"spec": {"devices": {"requests": requests, "constraints": constraints}}},
    }


def pod(name: str) -> JsonObject:
    resources = {"claims": [{"name": "pairs"}]}
    return {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {"name": name, "namespace": "default"},
        "spec": {
            "containers": [{"name": "c", "image": "x", "resources": resources}],
            "resourceClaims": [{"name": "pairs", "resourceClaimTemplateName": "two-pairs"}],
            "tolerations": [{"operator": "Exists"}],
        },
    }


def phase(api: Api, name: str) -> str | None:
    return dig(api.get(Ref.of(pod(name))) or {}, "status", "phase")


def allocated(api: Api) -> list[list[JsonObject]]:
    """By claim, what it was given."""
    claims, _ = api.list(("resource.k8s.io/v1", "ResourceClaim"))
    return [
        maps(found)
        for it in claims
        if (found := dig(it, "status", "allocation", "devices", "results"))
    ]


def roots(api: Api) -> dict[tuple[str, str], str]:
    slices, _ = api.list(SLICE)
    return {
        (each["spec"]["driver"], device["name"]): device["attributes"][PCIE_ROOT]["string"]
        for each in slices
        for device in each["spec"]["devices"]
        if PCIE_ROOT in device["attributes"]
    }


def refusal(api: Api, name: str) -> str:
    conditions = maps(dig(api.get(Ref.of(pod(name))) or {}, "status", "conditions"))
    return next((it.get("message", "") for it in conditions if it["type"] == "PodScheduled"), "")


def test_four_jobs_of_two_gpus_share_one_machine_each_with_the_interfaces_beside_its_gpus(
    api: Api,
) -> None:
    api.apply(template())
    names = [f"job-{number}" for number in range(_PODS)]
    for name in names:
        api.apply(pod(name))
    for name in names:
        eventually(lambda name=name: phase(api, name), lambda seen: seen == "Running")

    given = allocated(api)
    assert len(given) == _PODS
    at, devices = roots(api), [(it["driver"], it["device"]) for one in given for it in one]
    assert len(devices) == len(set(devices)) == 2 * _PAIRS * _PODS
    for one in given:
        by_request = {it["request"]: at[it["driver"], it["device"]] for it in one}
        for number in range(_PAIRS):
            assert by_request[f"gpu-{number}"] == by_request[f"req-mrdma-{number}"]

    api.apply(pod("fifth"))
    eventually(lambda: refusal(api, "fifth"), lambda seen: "cannot allocate all claims" in seen)
    assert phase(api, "fifth") == "Pending"
    (node,), _ = api.list(("v1", "Node"))
    assert name_of(node) == "gke-c-gpu-0"

    api.delete(pod(names[0]))
    eventually(lambda: phase(api, "fifth"), lambda seen: seen == "Running")
    taken = [(it["driver"], it["device"]) for one in allocated(api) for it in one]
    assert len(taken) == len(set(taken)) == 2 * _PAIRS * _PODS
