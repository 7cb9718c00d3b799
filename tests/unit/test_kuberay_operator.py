"""KubeRay's release, as registered; what Helm makes of the chart is not shown here."""

from dataclasses import replace
from typing import Any

from components.base.helm import HelmChartArgs
from components.ray.operator import KubeRayOperator, KubeRayOperatorArgs
from tests.conftest import Recording, Register, inside

ARGS = KubeRayOperatorArgs(
    chart=HelmChartArgs(
        chart="kuberay-operator", version="1.2.3", repository="https://charts.example/"
    ),
    labels={"stack": "test"},
)


def made(register: Register, **values: Any) -> Recording:
    return register(lambda: KubeRayOperator("operator", replace(ARGS, **values), opts=inside()))


def test_its_outputs_are_known_once_it_runs(register: Register) -> None:
    recording = made(register)
    waited = recording.named("operator-budget").inputs["metadata"]["annotations"]
    assert waited == {"pulumi.com/waitFor": "jsonpath={.status.currentHealthy}=1"}
    assert recording.outputs[recording.named("operator").urn] == {
        "release_name": "kuberay-operator",
        "namespace": "kuberay-operator",
    }
