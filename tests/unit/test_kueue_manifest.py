"""Kueue's configuration and the specs of its objects as plain data.

What Kueue makes of them is not shown here.
"""

from dataclasses import replace

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from catalog import Catalog
from components.queues.frameworks import DEFAULT_FRAMEWORKS
from components.queues.manifest import (
    API_VERSION,
    FRAMEWORKS,
    ClusterQueueArgs,
    FlavorQuotasArgs,
    ResourceGroupArgs,
    ResourceQuotaArgs,
    cluster_queue_spec,
    controller_configuration,
    kueue_values,
    quantity,
)

QUOTAS = (
    ResourceQuotaArgs(resource="cpu", nominal=72_000),
    ResourceQuotaArgs(resource="memory", nominal=288 * 1024),
    ResourceQuotaArgs(resource="nvidia.com/gpu", nominal=6),
    ResourceQuotaArgs(resource="ephemeral-storage", nominal=200 * 1024),
)
L4 = FlavorQuotasArgs(flavor="l4", resources=QUOTAS)
QUEUE = ClusterQueueArgs(name="cluster-queue", groups=[ResourceGroupArgs(flavors=[L4])])
_BYTES = {"Mi": 1, "Gi": 1024, "Ti": 1024**2}


# The configuration


def test_the_objects_are_of_the_api_that_the_lock_names() -> None:
    assert set(Catalog.load().component("kueue").apis.values()) == {API_VERSION}


def test_no_selector_for_pods_is_written_for_kueue_knows_none() -> None:
    integrations = controller_configuration(DEFAULT_FRAMEWORKS, ["kube-system"])["integrations"]
    assert integrations == {"frameworks": list(DEFAULT_FRAMEWORKS)}
    assert {"pod", "batch/job", "ray.io/raycluster"} <= set(DEFAULT_FRAMEWORKS)


def test_a_framework_that_would_stop_kueues_pod_is_refused_before() -> None:
    with pytest.raises(ValueError, match=r"^\"kubeflow.org/mxjob\" is not .*kubeflow.org/mpijob"):
        controller_configuration(["pod", "kubeflow.org/mxjob"], ["kube-system"])


def test_all_that_kueue_integrates_is_taken_and_by_default_what_a_stack_has() -> None:
    """FrameworkName of each folder in kubernetes-sigs/kueue pkg/controller/jobs, v0.19.2."""
    taken = controller_configuration(sorted(FRAMEWORKS), [])["integrations"]["frameworks"]
    assert {"ray.io/rayservice", "sparkoperator.k8s.io/sparkapplication"} <= set(taken)
    assert set(DEFAULT_FRAMEWORKS) == {"batch/job", "pod", "ray.io/raycluster", "ray.io/rayjob"}


def test_what_is_not_ready_in_time_is_stopped_and_the_time_is_written_out() -> None:
    wait = controller_configuration(["pod"], [], 45)["waitForPodsReady"]
    assert (wait["timeout"], wait["recoveryTimeout"]) == ("45m", "45m")
    assert controller_configuration(["pod"], [])["waitForPodsReady"]["timeout"] == "30m"


def test_the_chart_gets_the_configuration_as_text_that_reads_back() -> None:
    values = kueue_values(
        frameworks=["pod"],
        unmanaged_namespaces=["kube-system"],
        ready_minutes=45,
        node_selector={"pool": "cpu"},
    )
    text = values["managerConfig"]["controllerManagerConfigYaml"]
    assert yaml.safe_load(text) == controller_configuration(["pod"], ["kube-system"], 45)
    assert values["controllerManager"] == {"nodeSelector": {"pool": "cpu"}}


# Quantities


@pytest.mark.parametrize(
    ("resource", "amount", "written"),
    [
        ("cpu", 72_000, "72"),
        ("cpu", 71_500, "71500m"),
        ("cpu", 0, "0"),
        ("memory", 288 * 1024, "288Gi"),
        ("memory", 1536, "1536Mi"),
        ("memory", 3 * 1024**2, "3Ti"),
        ("memory", 0, "0"),
        ("ephemeral-storage", 200 * 1024, "200Gi"),
        ("nvidia.com/gpu", 6, "6"),
        ("nvidia.com/gpu", 1024, "1024"),
    ],
)
def test_amounts_are_written_as_kubernetes_writes_them(
    resource: str, amount: int, written: str
) -> None:
    assert quantity(resource, amount) == written


@given(st.integers(1, 10**10))
def test_no_memory_is_lost_in_writing(mebibytes: int) -> None:
    written = quantity("memory", mebibytes)
    assert int(written[:-2]) * _BYTES[written[-2:]] == mebibytes


# Objects


def test_each_flavor_lists_its_resources_in_the_order_of_the_first() -> None:
    spot = FlavorQuotasArgs(flavor="spot", resources=tuple(reversed(QUOTAS)))
    queue = replace(QUEUE, groups=[ResourceGroupArgs(flavors=[L4, spot])])
    (group,) = cluster_queue_spec(queue, flavors={}, cohort=None, checks={})["resourceGroups"]
    assert [it["name"] for it in group["flavors"]] == ["l4", "spot"]
    for flavor in group["flavors"]:
        assert [it["name"] for it in flavor["resources"]] == group["coveredResources"]


def test_flavors_of_a_group_with_other_resources_are_refused() -> None:
    spot = FlavorQuotasArgs(flavor="spot", resources=QUOTAS[:1])
    with pytest.raises(
        ValueError, match=r"nearest: cpu, memory, nvidia.com/gpu, ephemeral-storage$"
    ):
        ResourceGroupArgs(flavors=[L4, spot]).check()
