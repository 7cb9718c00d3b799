"""The template of pods' claims on devices, as registered; drivers and devices are not here."""

from dataclasses import replace
from typing import Any

import pulumi_kubernetes as k8s
import pytest

from components.base.naming import NameKind
from components.network.resource_claim_template import (
    ResourceClaimTemplate,
    ResourceClaimTemplateArgs,
)
from tests.conftest import Recording, Register, inside

ARGS = ResourceClaimTemplateArgs(
    namespace="rl", template_name="two-netdev", count=2, labels={"stack": "test"}
)


def made(register: Register, **values: Any) -> Recording:
    return register(lambda: ResourceClaimTemplate("claims", replace(ARGS, **values), opts=inside()))


def requests(recording: Recording) -> list[dict[str, Any]]:
    return recording.named("claims-template").inputs["spec"]["spec"]["devices"]["requests"]


def test_each_pod_claims_exactly_so_many_interfaces(register: Register) -> None:
    recording = made(register)
    template = recording.named("claims-template")
    assert template.type == "kubernetes:resource.k8s.io/v1:ResourceClaimTemplate"
    assert template.inputs["metadata"] == {
        "name": "two-netdev",
        "namespace": "rl",
        "labels": {"stack": "test"},
    }
    assert requests(recording) == [
        {
            "name": "req-netdev",
            "exactly": {
                "deviceClassName": "netdev.google.com",
                "allocationMode": "ExactCount",
                "count": 2,
            },
        }
    ]


def test_devices_of_another_class_can_be_claimed(register: Register) -> None:
    recording = made(register, device_class="mrdma.google.com", request_name="req-mrdma", count=8)
    (request,) = requests(recording)
    assert request["name"] == "req-mrdma"
    assert request["exactly"]["deviceClassName"] == "mrdma.google.com"
    assert request["exactly"]["count"] == 8


def test_each_gpu_is_claimed_with_an_interface_at_the_same_root(register: Register) -> None:
    recording = made(
        register, device_class="mrdma.google.com", request_name="req-mrdma", count=2, gpus=True
    )
    devices = recording.named("claims-template").inputs["spec"]["spec"]["devices"]
    assert [(it["name"], it["exactly"]["deviceClassName"]) for it in devices["requests"]] == [
        ("gpu-0", "gpu.nvidia.com"),
        ("req-mrdma-0", "mrdma.google.com"),
        ("gpu-1", "gpu.nvidia.com"),
        ("req-mrdma-1", "mrdma.google.com"),
    ]
    assert devices["constraints"] == [
        {
            "matchAttribute": "resource.kubernetes.io/pcieRoot",
            "requests": [f"gpu-{number}", f"req-mrdma-{number}"],
        }
        for number in range(2)
    ]


def test_a_template_cannot_be_changed_so_another_takes_its_place(register: Register) -> None:
    template = made(register).named("claims-template")
    assert template.replace_on_changes == ("spec",)
    assert template.delete_before_replace


def test_pods_that_name_the_template_wait_for_it(register: Register) -> None:
    def program() -> None:
        claims = ResourceClaimTemplate("claims", ARGS, opts=inside())
        claim: k8s.core.v1.PodResourceClaimArgsDict = {
            "name": "netdev",
            "resource_claim_template_name": claims.template_name,
        }
        k8s.core.v1.Pod("pod", spec={"resource_claims": [claim], "containers": [{"name": "ray"}]})

    recording = register(program)
    assert recording.named("pod").inputs["spec"]["resourceClaims"] == [
        {"name": "netdev", "resourceClaimTemplateName": "two-netdev"}
    ]
    assert "claims-template" in recording.waits_for("pod")


def test_a_name_that_kubernetes_refuses_is_refused_before(register: Register) -> None:
    longest = NameKind.KUBERNETES.value.longest
    with pytest.raises(ValueError, match=f"has at most {longest}; nearest: "):
        made(register, template_name="t" * (longest + 1))
