"""Kueue's configuration and the specs of its objects as plain data.

What Kueue makes of them is not shown here.
"""

from dataclasses import replace

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from catalog import Catalog
from components.kueue_frameworks import DEFAULT_FRAMEWORKS
from components.kueue_manifest import (
    API_VERSION,
    FRAMEWORKS,
    ClusterQueueArgs,
    FlavorQuotasArgs,
    PreemptionArgs,
    ResourceGroupArgs,
    ResourceQuotaArgs,
    cluster_queue_spec,
    controller_configuration,
    flavor_spec,
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


def test_kueue_leaves_the_namespaces_alone_that_it_is_told_to() -> None:
    selector = controller_configuration(["pod"], ["kube-system", "kueue-system", "kube-system"])[
        "managedJobsNamespaceSelector"
    ]
    assert selector == {
        "matchExpressions": [
            {
                "key": "kubernetes.io/metadata.name",
                "operator": "NotIn",
                "values": ["kube-system", "kueue-system"],
            }
        ]
    }


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


def test_the_rest_of_the_configuration_is_the_charts() -> None:
    found = controller_configuration(["pod"], [])
    assert found["clientConnection"] == {"qps": 300, "burst": 500}
    assert found["controller"]["groupKindConcurrency"]["Workload.kueue.x-k8s.io"] == 10


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


def test_without_a_selector_for_nodes_the_chart_decides() -> None:
    values = kueue_values(
        frameworks=["pod"], unmanaged_namespaces=[], ready_minutes=30, node_selector=None
    )
    assert set(values) == {"managerConfig"}


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


def test_a_queue_has_the_quota_of_each_resource_that_it_covers() -> None:
    spec = cluster_queue_spec(QUEUE, flavors={"l4": "l4-known"}, cohort=None, checks={})
    assert spec == {
        "namespaceSelector": {},
        "preemption": {
            "withinClusterQueue": "LowerPriority",
            "reclaimWithinCohort": "LowerPriority",
        },
        "resourceGroups": [
            {
                "coveredResources": ["cpu", "memory", "nvidia.com/gpu", "ephemeral-storage"],
                "flavors": [
                    {
                        "name": "l4-known",
                        "resources": [
                            {"name": "cpu", "nominalQuota": "72"},
                            {"name": "memory", "nominalQuota": "288Gi"},
                            {"name": "nvidia.com/gpu", "nominalQuota": "6"},
                            {"name": "ephemeral-storage", "nominalQuota": "200Gi"},
                        ],
                    }
                ],
            }
        ],
    }


def test_in_a_cohort_quota_is_borrowed_and_lent_within_limits() -> None:
    limited = ResourceQuotaArgs(
        resource="nvidia.com/gpu", nominal=4, borrowing_limit=2, lending_limit=0
    )
    flavor = FlavorQuotasArgs(flavor="l4", resources=[limited])
    queue = replace(QUEUE, groups=[ResourceGroupArgs(flavors=[flavor])], cohort="all")
    spec = cluster_queue_spec(queue, flavors={}, cohort="all", checks={})
    assert spec["cohortName"] == "all"
    assert spec["resourceGroups"][0]["flavors"][0]["resources"] == [
        {
            "name": "nvidia.com/gpu",
            "nominalQuota": "4",
            "borrowingLimit": "2",
            "lendingLimit": "0",
        }
    ]


def test_what_else_a_queue_can_have_is_there_when_asked_for() -> None:
    queue = replace(
        QUEUE,
        namespaces=["llm", "research"],
        preemption=PreemptionArgs(borrow_within_cohort="LowerPriority"),
        admission_checks={"dws": ["l4"]},
    )
    spec = cluster_queue_spec(queue, flavors={}, cohort=None, checks={})
    label = {"key": "kubernetes.io/metadata.name", "operator": "In", "values": ["llm", "research"]}
    assert spec["namespaceSelector"] == {"matchExpressions": [label]}
    assert spec["preemption"]["borrowWithinCohort"] == {"policy": "LowerPriority"}
    assert spec["admissionChecksStrategy"] == {
        "admissionChecks": [{"name": "dws", "onFlavors": ["l4"]}]
    }


def test_each_flavor_lists_its_resources_in_the_order_of_the_first() -> None:
    spot = FlavorQuotasArgs(flavor="spot", resources=tuple(reversed(QUOTAS)))
    queue = replace(QUEUE, groups=[ResourceGroupArgs(flavors=[L4, spot])])
    (group,) = cluster_queue_spec(queue, flavors={}, cohort=None, checks={})["resourceGroups"]
    assert [it["name"] for it in group["flavors"]] == ["l4", "spot"]
    for flavor in group["flavors"]:
        assert [it["name"] for it in flavor["resources"]] == group["coveredResources"]


def test_flavors_of_a_group_with_other_resources_are_refused() -> None:
    spot = FlavorQuotasArgs(flavor="spot", resources=QUOTAS[:1])
    queue = replace(QUEUE, groups=[ResourceGroupArgs(flavors=[L4, spot])])
    with pytest.raises(
        ValueError, match=r"nearest: cpu, memory, nvidia.com/gpu, ephemeral-storage$"
    ):
        cluster_queue_spec(queue, flavors={}, cohort=None, checks={})


def test_a_flavor_says_what_it_is_given_and_no_more() -> None:
    assert flavor_spec(node_labels=None, taints=(), tolerations=()) == {}
    taint = {"key": "team", "value": "llm", "effect": "NoSchedule"}
    toleration = {"key": "team", "operator": "Exists"}
    assert flavor_spec(node_labels={"a": "b"}, taints=[taint], tolerations=[toleration]) == {
        "nodeLabels": {"a": "b"},
        "nodeTaints": [taint],
        "tolerations": [toleration],
    }
