"""PodDisruptionBudget: how many of the pods that it selects are healthy, and how many may go."""

from collections.abc import Sequence

from sandbox.kube.objects import JsonObject, Node, labels_of, matches_labels, namespace_of
from sandbox.kube.pods import FINISHED, is_running, phase
from sandbox.kube.store import Store


def count_healthy(store: Store, nodes: Sequence[Node]) -> None:
    del nodes
    for budget in store.all("PodDisruptionBudget"):
        pods = [pod for pod in _selected(store, budget) if phase(pod) not in FINISHED]
        healthy, wanted = len([pod for pod in pods if is_running(pod)]), _wanted(budget, len(pods))
        status = {
            "observedGeneration": budget["metadata"]["generation"],
            "expectedPods": len(pods),
            "desiredHealthy": wanted,
            "currentHealthy": healthy,
            "disruptionsAllowed": max(0, healthy - wanted),
        }
        store.patch(budget, status=status)


def _selected(store: Store, budget: JsonObject) -> list[JsonObject]:
    selector, place = budget["spec"].get("selector") or {}, namespace_of(budget)
    return [
        pod
        for pod in store.all("Pod")
        if namespace_of(pod) == place and matches_labels(selector, labels_of(pod))
    ]


def _wanted(budget: JsonObject, pods: int) -> int:
    spec = budget["spec"]
    if "maxUnavailable" in spec:
        return max(0, pods - _share(spec["maxUnavailable"], pods))
    return _share(spec.get("minAvailable", 1), pods)


def _share(given: int | str, pods: int) -> int:
    """A number, or a percentage, which is rounded up."""
    if isinstance(given, int):
        return given
    return -(-pods * int(given.removesuffix("%")) // 100)
