"""Kueue's release, as registered; what Helm makes of the chart is not shown here."""

from dataclasses import replace
from typing import Any

import pulumi_kubernetes as k8s
import pytest
import yaml

from components.base.helm import HelmChartArgs
from components.base.pod_security import pod_security_labels
from components.queues.frameworks import DEFAULT_FRAMEWORKS
from components.queues.kueue import Kueue, KueueArgs
from components.queues.manifest import READY_MINUTES
from tests.conftest import Recording, Register, inside

ARGS = KueueArgs(
    chart=HelmChartArgs(chart="oci://charts.example/kueue", version="1.2.3"),
    labels={"stack": "test"},
    frameworks=DEFAULT_FRAMEWORKS,
    unmanaged_namespaces=("kube-system",),
    ready_minutes=READY_MINUTES,
)


def made(register: Register, **values: Any) -> Recording:
    return register(lambda: Kueue("kueue", replace(ARGS, **values), opts=inside()))


def test_the_release_is_the_charts_version_in_a_namespace_of_its_own(register: Register) -> None:
    recording = made(register)
    release = recording.named("kueue-release")
    assert release.type == "kubernetes:helm.sh/v3:Release"
    given = {key: release.inputs[key] for key in ("name", "namespace", "chart", "version")}
    assert given == {
        "name": "kueue",
        "namespace": "kueue-system",
        "chart": "oci://charts.example/kueue",
        "version": "1.2.3",
    }
    assert "repositoryOpts" not in release.inputs
    assert recording.one(":Namespace").inputs["metadata"] == {
        "name": "kueue-system",
        "labels": {"stack": "test", **pod_security_labels("baseline")},
    }
    assert "kueue-namespace" in recording.waits_for("kueue-release")
    assert release.delete_before_replace


def test_helm_waits_for_nothing_for_at_the_end_it_would_wait_for_ever(register: Register) -> None:
    release = made(register).named("kueue-release")
    assert release.inputs["skipAwait"] is True
    assert release.inputs["atomic"] is False
    seconds = release.inputs["timeout"]
    assert seconds >= 600
    assert int(release.create_timeout.removesuffix("m")) * 60 > seconds


def test_whoever_waits_for_it_waits_until_a_pod_of_kueue_is_healthy(register: Register) -> None:
    recording = made(register)
    budget = recording.named("kueue-budget")
    assert budget.inputs["metadata"] == {
        "name": "kueue",
        "namespace": "kueue-system",
        "labels": {"stack": "test"},
        "annotations": {"pulumi.com/waitFor": "jsonpath={.status.currentHealthy}=1"},
    }
    labels = {"app.kubernetes.io/name": "kueue", "app.kubernetes.io/instance": "kueue"}
    selector = {"matchLabels": labels}
    assert budget.inputs["spec"] == {
        "maxUnavailable": 1,
        "unhealthyPodEvictionPolicy": "AlwaysAllow",
        "selector": selector,
    }
    assert "kueue-release" in recording.waits_for("kueue-budget")
    assert int(budget.create_timeout.removesuffix("m")) >= 10


def configuration(recording: Recording) -> dict[str, Any]:
    values = recording.named("kueue-release").inputs["values"]
    return yaml.safe_load(values["managerConfig"]["controllerManagerConfigYaml"])


@pytest.mark.parametrize(
    ("values", "left_out"),
    [
        ({}, ["kube-system", "kueue-system"]),
        ({"namespace": "queues"}, ["kube-system", "queues"]),
        (
            {"unmanaged_namespaces": ["kube-system", "gmp-system"]},
            ["kube-system", "gmp-system", "kueue-system"],
        ),
    ],
)
def test_its_own_namespace_is_never_managed(
    register: Register, values: dict[str, Any], left_out: list[str]
) -> None:
    selector = configuration(made(register, **values))["managedJobsNamespaceSelector"]
    assert selector["matchExpressions"][0]["values"] == left_out


def test_what_it_admits_has_the_time_that_it_is_told(register: Register) -> None:
    wait = configuration(made(register, ready_minutes=90))["waitForPodsReady"]
    assert wait["timeout"] == "90m"


def test_what_takes_its_name_is_made_after_the_release(register: Register) -> None:
    def program() -> None:
        kueue = Kueue("kueue", ARGS, opts=inside())
        k8s.core.v1.ConfigMap("after", data={"r": kueue.release_name, "n": kueue.namespace})

    recording = register(program)
    assert recording.named("after").inputs["data"] == {"r": "kueue", "n": "kueue-system"}
    assert {"kueue-release", "kueue-budget"} <= recording.waits_for("after")
    outputs = recording.outputs[recording.named("kueue").urn]
    assert outputs == {"release_name": "kueue", "namespace": "kueue-system"}
