"""ResourceQuota and PodDisruptionBudget: the part of their status that Pulumi waits for.

Neither limits anything here; the real control plane's do.
"""

from collections.abc import Sequence

from kube.objects import Node, labels_of, matches_labels, namespace_of
from sandbox.kube.pods import is_running
from sandbox.kube.store import Store


def run_quotas(store: Store, nodes: Sequence[Node]) -> None:
    del nodes
    for quota in store.all("ResourceQuota"):
        store.patch(quota, status={"hard": (quota.get("spec") or {}).get("hard")})


def run_disruption_budgets(store: Store, nodes: Sequence[Node]) -> None:
    del nodes
    for budget in store.all("PodDisruptionBudget"):
        selector, namespace = budget["spec"].get("selector") or {}, namespace_of(budget)
        healthy = [
            pod
            for pod in store.all("Pod")
            if namespace_of(pod) == namespace
            and matches_labels(selector, labels_of(pod))
            and is_running(pod)
        ]
        generation = budget["metadata"]["generation"]
        status = {"observedGeneration": generation, "currentHealthy": len(healthy)}
        store.patch(budget, status=status)
