"""Disruption budgets in memory: the healthy pods that they count."""

from typing import Any

import pytest

from sandbox.kube.objects import JsonObject, Ref
from sandbox.memory_kube.memory import MemoryKube
from tests.unit.kueue_samples import RELEASE, release
from tests.unit.memory_kube_samples import cpu_node, make

BUDGET = Ref(
    api_version="policy/v1", kind="PodDisruptionBudget", namespace="kueue-system", name="kueue"
)


def budget(**spec: Any) -> JsonObject:
    return {
        "apiVersion": "policy/v1",
        "kind": "PodDisruptionBudget",
        "metadata": {
            "name": "kueue",
            "namespace": "kueue-system",
            "annotations": {"pulumi.com/waitFor": "jsonpath={.status.currentHealthy}=1"},
        },
        "spec": {"selector": {"matchLabels": {"app.kubernetes.io/name": "kueue"}}, **spec},
    }


def cluster(nodes: int) -> MemoryKube:
    kube = MemoryKube({}, [cpu_node()][:nodes])
    kube.apply(make("Namespace", "kueue-system"))
    kube.apply(release())
    return kube


def counts(kube: MemoryKube) -> tuple[int, int, int]:
    status = (kube.get(BUDGET) or {})["status"]
    return status["expectedPods"], status["currentHealthy"], status["disruptionsAllowed"]


def test_without_a_node_for_the_pod_the_wait_for_a_healthy_one_goes_on() -> None:
    kube = cluster(nodes=0)
    assert kube.readiness(RELEASE).ready, "Helm was told to wait for nothing"
    kube.apply(budget(maxUnavailable=1))
    assert counts(kube) == (1, 0, 0)
    waits = kube.wait_for(BUDGET)
    assert not waits.ready
    assert "jsonpath={.status.currentHealthy}=1 (found 0)" in waits.reason
    kube.set_nodes([cpu_node()])
    assert kube.wait_for(BUDGET).ready


@pytest.mark.parametrize(
    ("spec", "allowed"),
    [
        ({"maxUnavailable": 1}, 1),
        ({"maxUnavailable": 0}, 0),
        ({"maxUnavailable": "50%"}, 1),
        ({"minAvailable": 1}, 0),
        ({"minAvailable": 0}, 1),
        ({}, 0),
    ],
)
def test_as_many_may_go_as_leave_enough(spec: dict[str, Any], allowed: int) -> None:
    kube = cluster(nodes=1)
    kube.apply(budget(**spec))
    assert counts(kube) == (1, 1, allowed)
