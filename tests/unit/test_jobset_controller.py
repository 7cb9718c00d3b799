"""JobSet's release, as registered; what Helm makes of the chart is not shown here."""

from dataclasses import replace
from typing import Any

from components.jobset_controller import JobSetController
from tests.conftest import Recording, Register
from tests.unit.job_set_samples import CONTROLLER


def made(register: Register, **values: Any) -> Recording:
    return register(lambda: JobSetController("jobset", replace(CONTROLLER, **values)))


def test_the_chart_is_the_one_of_its_address(register: Register) -> None:
    release = made(register).named("jobset-release").inputs
    assert (release["chart"], release["version"]) == ("oci://charts.example/jobset", "1.2.3")
    assert "repositoryOpts" not in release
    assert release["name"] == "jobset"


def test_it_is_in_its_own_namespace(register: Register) -> None:
    recording = made(register, namespace="jobs")
    assert recording.named("jobset-release").inputs["namespace"] == "jobs"
    assert recording.one(":Namespace").inputs["metadata"]["name"] == "jobs"


def test_its_pod_goes_where_it_is_sent(register: Register) -> None:
    values = made(register, node_selector={"pool": "cpu"}).named("jobset-release").inputs["values"]
    assert values == {"controller": {"nodeSelector": {"pool": "cpu"}}}
    assert made(register).named("jobset-release").inputs.get("values", {}) == {}


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
