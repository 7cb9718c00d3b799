"""KubeRay's release, as registered; what Helm makes of the chart is not shown here."""

from dataclasses import replace
from typing import Any

from components.helm_chart import HelmChartArgs
from components.kuberay_operator import KubeRayOperator, KubeRayOperatorArgs
from tests.conftest import Recording, Register

ARGS = KubeRayOperatorArgs(
    chart=HelmChartArgs(
        chart="kuberay-operator", version="1.2.3", repository="https://charts.example/"
    ),
    labels={"stack": "test"},
)


def made(register: Register, **values: Any) -> Recording:
    return register(lambda: KubeRayOperator("operator", replace(ARGS, **values)))


def test_the_chart_is_looked_up_in_its_repository(register: Register) -> None:
    release = made(register).named("operator-release").inputs
    assert release["repositoryOpts"] == {"repo": "https://charts.example/"}
    assert (release["chart"], release["version"]) == ("kuberay-operator", "1.2.3")
    assert release["name"] == "kuberay-operator"


def test_it_watches_all_namespaces_from_its_own(register: Register) -> None:
    recording = made(register, namespace="ray-system")
    release = recording.named("operator-release")
    assert release.inputs["namespace"] == "ray-system"
    assert release.inputs.get("values", {}) == {}
    assert recording.one(":Namespace").inputs["metadata"]["name"] == "ray-system"


def test_its_pod_goes_where_it_is_sent(register: Register) -> None:
    values = made(register, node_selector={"pool": "cpu"}).named("operator-release").inputs
    assert values["values"] == {"nodeSelector": {"pool": "cpu"}}


def test_its_outputs_are_known_once_it_runs(register: Register) -> None:
    recording = made(register)
    waited = recording.named("operator-budget").inputs["metadata"]["annotations"]
    assert waited == {"pulumi.com/waitFor": "jsonpath={.status.currentHealthy}=1"}
    assert recording.outputs[recording.named("operator").urn] == {
        "release_name": "kuberay-operator",
        "namespace": "kuberay-operator",
    }
