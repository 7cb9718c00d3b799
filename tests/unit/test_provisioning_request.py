"""The request for machines of a queued pool, as registered and as plain data.

It cannot prove that GKE's queue gives machines, nor when.
"""

from dataclasses import replace
from typing import Any

import pulumi
import pulumi_gcp as gcp
import pulumi_kubernetes as k8s
import pytest

from components.base.naming import NameKind
from components.queues.provisioning_manifest import (
    consuming_annotations,
)
from components.queues.provisioning_request import ProvisioningRequest, ProvisioningRequestArgs
from components.ray.manifest import Quantity, RayPod, RayPodContext, ray_pod_template
from tests.conftest import Recording, Register, inside

POD = RayPod(
    requests=Quantity(millicores=100_000, memory_gib=1000),
    limits=Quantity(millicores=100_000, memory_gib=1000),
    shm_gib=300,
    node_selector={"cloud.google.com/gke-nodepool": "gpu"},
    gpus=8,
)
TEMPLATE = ray_pod_template("ray-worker", POD, RayPodContext(image="image:1"))
ARGS = ProvisioningRequestArgs(
    namespace="rl",
    request_name="workers",
    pods=8,
    template=TEMPLATE,
    max_run_seconds=86400,
    labels={"stack": "test"},
)


def made(register: Register, **values: Any) -> Recording:
    return register(lambda: ProvisioningRequest("machines", replace(ARGS, **values), opts=inside()))


def test_the_request_waits_for_its_template_and_others_for_the_machines(
    register: Register,
) -> None:
    recording = made(register)
    request = recording.named("machines-request")
    assert "machines-template" in recording.waits_for("machines-request")
    assert request.inputs["metadata"]["annotations"] == {
        "pulumi.com/waitFor": "condition=Provisioned"
    }
    assert request.create_timeout == "10080m"
    outputs = recording.outputs[recording.named("machines").urn]
    assert outputs["request_name"] == "workers"


def test_a_request_cannot_be_changed_so_another_takes_its_place(register: Register) -> None:
    request = made(register).named("machines-request")
    assert request.replace_on_changes == ("spec",)
    assert request.delete_before_replace


def test_pods_that_need_other_machines_are_another_request(register: Register) -> None:
    recording = made(register)
    template = recording.named("machines-template")
    assert template.replace_on_changes == (
        "template.metadata.annotations",
        "template.spec.nodeSelector",
        "template.spec.tolerations",
        "template.spec.containers[*].resources",
    )
    assert recording.named("machines-request").replace_with == {template.urn}


def test_machines_from_another_pool_are_another_request(register: Register) -> None:
    def program() -> None:
        pool = gcp.container.NodePool("pool", cluster="demo")
        ProvisioningRequest("machines", replace(ARGS, pools=[pool]), opts=inside())

    recording = register(program)
    assert "pool" in recording.waits_for("machines-template")
    assert recording.named("machines-request").replace_with == {
        recording.named(name).urn for name in ("machines-template", "pool")
    }


def test_pods_that_name_the_request_wait_for_it(register: Register) -> None:
    def program() -> None:
        machines = ProvisioningRequest("machines", ARGS, opts=inside())
        annotations = consuming_annotations(machines.request_name)
        k8s.core.v1.Pod("pod", metadata={"name": "pod", "annotations": annotations})

    recording = register(program)
    assert recording.named("pod").inputs["metadata"]["annotations"] == {
        "autoscaling.x-k8s.io/consume-provisioning-request": "workers",
        "autoscaling.x-k8s.io/provisioning-class-name": "queued-provisioning.gke.io",
    }
    assert "machines-request" in recording.waits_for("pod")


def test_a_name_that_kubernetes_refuses_is_refused_before(register: Register) -> None:
    longest = NameKind.KUBERNETES.value.longest
    with pytest.raises(ValueError, match=f"has at most {longest}; nearest: "):
        made(register, request_name="w" * (longest + 1))


def test_pods_go_before_the_machines_that_they_hold(register: Register) -> None:
    def program() -> None:
        machines = ProvisioningRequest("machines", ARGS, opts=inside())
        options = pulumi.ResourceOptions(replace_with=machines.objects)
        k8s.core.v1.Pod("pod", metadata={"name": "pod"}, opts=options)

    recording = register(program)
    assert recording.named("pod").replace_with == {
        recording.named(name).urn for name in ("machines-template", "machines-request")
    }
