"""JobSet's release, as registered; what Helm makes of the chart is not shown here."""

from dataclasses import replace
from typing import Any

from components.jobs.jobset_controller import JobSetController
from tests.conftest import Recording, Register, inside
from tests.unit.job_set_samples import CONTROLLER


def made(register: Register, **values: Any) -> Recording:
    return register(
        lambda: JobSetController("jobset", replace(CONTROLLER, **values), opts=inside())
    )


def test_helm_waits_for_nothing_and_whoever_needs_it_waits_for_its_pod(register: Register) -> None:
    recording = made(register)
    assert recording.named("jobset-release").inputs["skipAwait"] is True
    budget = recording.named("jobset-budget").inputs
    assert budget["metadata"]["annotations"] == {
        "pulumi.com/waitFor": "jsonpath={.status.currentHealthy}=1"
    }
    assert budget["spec"]["selector"]["matchLabels"] == {
        "app.kubernetes.io/name": "jobset",
        "app.kubernetes.io/instance": "jobset",
    }
    assert recording.outputs[recording.named("jobset").urn] == {
        "release_name": "jobset",
        "namespace": "jobset-system",
    }
