"""What Pulumi waits for in a PodDisruptionBudget, in memory, where it protects no pod."""

from kube.objects import JsonObject, Ref
from sandbox.memory_kube.memory import MemoryKube
from tests.unit.kueue_samples import RELEASE, release
from tests.unit.memory_kube_samples import cpu_node, make

BUDGET: JsonObject = {
    "apiVersion": "policy/v1",
    "kind": "PodDisruptionBudget",
    "metadata": {
        "name": "kueue",
        "namespace": "kueue-system",
        "annotations": {"pulumi.com/waitFor": "jsonpath={.status.currentHealthy}=1"},
    },
    "spec": {
        "selector": {"matchLabels": {"app.kubernetes.io/name": "kueue"}},
        "maxUnavailable": 1,
    },
}


def test_without_a_node_for_the_pod_the_wait_for_a_healthy_one_goes_on() -> None:
    kube, budget = MemoryKube({}, []), Ref.of(BUDGET)
    kube.apply(make("Namespace", "kueue-system"))
    kube.apply(release())
    assert kube.readiness(RELEASE).ready, "Helm was told to wait for nothing"
    kube.apply(BUDGET)
    waits = kube.wait_for(budget)
    assert not waits.ready
    assert "jsonpath={.status.currentHealthy}=1 (found 0)" in waits.reason
    kube.set_nodes([cpu_node()])
    assert kube.wait_for(budget).ready
