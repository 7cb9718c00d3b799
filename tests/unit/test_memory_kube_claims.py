"""Devices that pods claim of their node: templates, claims and what the scheduler makes of them."""

from __future__ import annotations

from typing import Any

import pytest

from kube.errors import KubeError
from kube.objects import Node
from sandbox.memory_kube.memory import MemoryKube
from tests.unit.memory_kube_samples import changed, cpu_node, job, make, only_pod, pod, ref, refusal

API = "resource.k8s.io/v1"
NETDEV = "netdev.google.com"
EXACTLY = ("spec", "spec", "devices", "requests", 0, "exactly")


def template(name: str = "two-netdev", **exactly: Any) -> dict[str, Any]:
    wanted = {"deviceClassName": NETDEV, "allocationMode": "ExactCount", "count": 2, **exactly}
    request = {
        "name": "req-netdev",
        "exactly": {key: value for key, value in wanted.items() if value is not ...},
    }
    return make(
        "ResourceClaimTemplate", name, API, spec={"spec": {"devices": {"requests": [request]}}}
    )


def claiming(name: str = "p", of: str = "two-netdev") -> dict[str, Any]:
    claims = [{"name": "netdev", "resourceClaimTemplateName": of}]
    return pod(name, {"resourceClaims": claims}, resources={"claims": [{"name": "netdev"}]})


def tpu_node(name: str = "tpu-0", devices: int = 2) -> Node:
    allocatable = {"cpu": "89", "memory": "700Gi"}
    return Node(name=name, pool="tpu", allocatable=allocatable, devices={NETDEV: devices})


def reason(kube: MemoryKube) -> str:
    assert only_pod(kube).phase == "Pending"
    return only_pod(kube).reason


def claims_in(kube: MemoryKube, state: dict[str, Any]) -> list[str]:
    kube.reconcile()
    return [key for key in state["objects"] if "|ResourceClaim|" in key]


def test_a_pod_runs_where_the_devices_that_it_claims_are() -> None:
    kube = MemoryKube({}, [cpu_node(), tpu_node()])
    kube.apply(template())
    kube.apply(claiming())
    assert (only_pod(kube).phase, only_pod(kube).node) == ("Running", "tpu-0")


def test_claims_are_made_for_each_pod_and_are_not_the_users_own() -> None:
    state: dict[str, Any] = {}
    kube = MemoryKube(state, [tpu_node("a"), tpu_node("b")])
    kube.apply(template())
    kube.apply(claiming("one"))
    kube.apply(claiming("two"))
    assert len(claims_in(kube, state)) == 2
    assert kube.inventory() == {
        "Pod": ["default/one", "default/two"],
        "ResourceClaimTemplate": ["default/two-netdev"],
    }


def test_a_second_pod_waits_for_devices_until_the_first_is_gone() -> None:
    state: dict[str, Any] = {}
    kube = MemoryKube(state, [cpu_node(), tpu_node()])
    kube.apply(template())
    kube.apply(claiming("one"))
    kube.apply(claiming("two"))
    [waiting] = [each for each in kube.pods() if each.phase == "Pending"]
    assert waiting.reason == "0/2 nodes are available: 2 cannot allocate all claims."
    kube.delete(ref("Pod", "one"))
    assert only_pod(kube).node == "tpu-0"
    assert len(claims_in(kube, state)) == 1


def test_a_node_with_too_few_devices_takes_no_pod() -> None:
    kube = MemoryKube({}, [tpu_node(devices=1)])
    kube.apply(template())
    kube.apply(claiming())
    assert reason(kube) == "0/1 nodes are available: 1 cannot allocate all claims."


def test_a_claim_on_all_devices_takes_those_there_are_and_needs_one() -> None:
    kube = MemoryKube({}, [tpu_node(devices=4), cpu_node()])
    kube.apply(template(allocationMode="All", count=...))
    kube.apply(claiming("one"))
    kube.apply(claiming("two"))
    assert {each.name: each.node for each in kube.pods()} == {"one": "tpu-0", "two": ""}


def test_devices_of_a_finished_pod_are_free() -> None:
    kube = MemoryKube({}, [tpu_node()])
    kube.apply(template())
    path = ("spec", "template", "spec", "resourceClaims")
    kube.apply(changed(job(), claiming()["spec"]["resourceClaims"], *path))
    kube.reconcile()
    kube.apply(claiming())
    assert {each.phase for each in kube.pods()} == {"Succeeded", "Running"}


def test_a_pod_waits_for_a_template_that_is_missing_and_keeps_its_claim_without_it() -> None:
    kube = MemoryKube({}, [tpu_node()])
    kube.apply(claiming())
    assert reason(kube).endswith('resourceclaimtemplate.resource.k8s.io "two-netdev" not found')
    kube.apply(template())
    assert only_pod(kube).phase == "Running"
    kube.delete(ref("ResourceClaimTemplate", "two-netdev", api_version=API))
    assert only_pod(kube).phase == "Running"


def test_a_device_class_that_is_not_there_is_named() -> None:
    kube = MemoryKube({}, [tpu_node()])
    kube.apply(template(deviceClassName="netdev.example.com"))
    kube.apply(claiming())
    assert reason(kube) == "device class netdev.example.com does not exist"


def test_what_a_template_leaves_out_is_one_device() -> None:
    kube = MemoryKube({}, [])
    live = kube.apply(template(allocationMode=..., count=...))
    [request] = live["spec"]["spec"]["devices"]["requests"]
    assert request["exactly"] == {
        "deviceClassName": NETDEV,
        "allocationMode": "ExactCount",
        "count": 1,
    }


@pytest.mark.parametrize(
    ("exactly", "ending"),
    [
        ({"count": 0}, "exactly.count: 0 must be greater than zero"),
        ({"allocationMode": "All"}, "must not be specified when allocationMode is 'All'"),
        ({"allocationMode": "Some"}, '"Some" must be one of ExactCount, All'),
        ({"deviceClassName": ...}, "exactly.deviceClassName: required value"),
        ({"amount": 2}, "exactly.amount: unknown field, the nearest known one is count"),
    ],
)
def test_a_mistake_in_a_template_is_refused_by_its_field(
    exactly: dict[str, Any], ending: str
) -> None:
    assert refusal(MemoryKube({}, []), template(**exactly)).endswith(ending)


def test_a_request_says_what_it_is_for() -> None:
    bare = changed(template(), ..., *EXACTLY)
    text = "requests[0]: exactly one of `exactly` or `firstAvailable` is required"
    assert refusal(MemoryKube({}, []), bare).endswith(text)


def test_the_spec_of_a_template_cannot_change() -> None:
    kube = MemoryKube({}, [])
    kube.apply(template())
    with pytest.raises(KubeError, match=r"exactly\.count: field is immutable$"):
        kube.apply(template(count=1))


@pytest.mark.parametrize(
    ("value", "path", "ending"),
    [
        ([], ("resourceClaims",), '"netdev" must be one of the names in spec.resourceClaims'),
        ([{"name": "netdev"}], ("resourceClaims",), "`resourceClaimTemplateName`"),
        (claiming()["spec"]["resourceClaims"] * 2, ("resourceClaims",), 'duplicate value "netdev"'),
    ],
)
def test_a_pod_names_the_claims_of_its_containers(
    value: Any, path: tuple[str, ...], ending: str
) -> None:
    assert refusal(MemoryKube({}, []), changed(claiming(), value, "spec", *path)).endswith(ending)
