"""What is refused in a ProvisioningRequest and in its pod template."""

from typing import Any

import pytest

from sandbox.memory_kube.memory import MemoryKube
from tests.unit.memory_kube_samples import changed, make, refusal
from tests.unit.provisioning_samples import (
    API,
    provisioned,
    queued_nodes,
    request,
    request_ref,
    template,
)


@pytest.mark.parametrize(
    ("manifest", "ending"),
    [
        (make("ProvisioningRequest", "r", API), "spec: required value"),
        (request("Upper"), "start with a letter or digit and end with a letter or digit"),
        (request(podSet=[]), "spec.podSet: unknown field, the nearest known one is podSets"),
        (changed(request(), ..., "spec", "podSets"), "spec.podSets: required value"),
        (request(podSets=[]), "spec.podSets: must have at least 1 item"),
        (
            request(podSets=request()["spec"]["podSets"] * 2),
            "spec.podSets: must have at most 1 item",
        ),
        (request(pods=0), "spec.podSets[0].count: must be at least 1"),
        (request(pods=3000), "the 2000 pods of one owner that the sandbox runs"),
        (
            changed(request(), ..., "spec", "podSets", 0, "podTemplateRef", "name"),
            "spec.podSets[0].podTemplateRef.name: required value",
        ),
        (
            changed(request(), "A B", "spec", "podSets", 0, "podTemplateRef", "name"),
            r"(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$",
        ),
        (
            request(provisioningClassName="check-capacity.autoscaling.x-k8s.io"),
            "spec.provisioningClassName: must be one of queued-provisioning.gke.io",
        ),
        (
            request(parameters={"maxRunDurationSeconds": 3600}),
            "spec.parameters.maxRunDurationSeconds: must be string, not integer",
        ),
        (
            request(parameters={"maxRunDurationSeconds": "604801"}),
            '"604801" must be whole seconds from 600 to 604800',
        ),
        (
            request(parameters={"maxRunDurationSeconds": "1h"}),
            '"1h" must be whole seconds from 600 to 604800',
        ),
        (
            request(parameters={"maxRunSeconds": "3600"}),
            "unknown parameter, the nearest known one is maxRunDurationSeconds",
        ),
        (make("PodTemplate", "t"), "template.spec.containers: required value"),
        (
            changed(template(), ..., "template", "spec", "containers", 0, "image"),
            "template.spec.containers[0].image: required value",
        ),
    ],
)
def test_what_is_wrong_with_a_request_is_named(manifest: dict[str, Any], ending: str) -> None:
    assert refusal(MemoryKube({}, []), manifest).endswith(ending)


@pytest.mark.parametrize("seconds", ["600", "604800"])
def test_the_shortest_and_the_longest_run_are_taken(seconds: str) -> None:
    kube = MemoryKube({}, [])
    assert kube.validate(request(parameters={"maxRunDurationSeconds": seconds}))


def test_the_older_version_is_answered_with_the_one_that_is_known() -> None:
    older = {**request(), "apiVersion": "autoscaling.x-k8s.io/v1beta1"}
    assert refusal(MemoryKube({}, []), older).endswith(f"is served in version {API}")


def test_a_request_cannot_be_changed_and_its_template_can() -> None:
    kube = provisioned(queued_nodes())
    assert "podSets[0].count: field is immutable" in refusal(kube, request(pods=1))
    kube.apply(template(image="image:2"))
    assert kube.readiness(request_ref()).ready
