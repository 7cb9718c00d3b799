"""Clusters whose nodes take no pod of GKE's own: found at the end of a preview, by any program."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from catalog import FactError
from sandbox.cloud.kinds.cluster import Cluster
from sandbox.cloud.kinds.pool_capacity import is_queued
from sandbox.cloud.kinds.pools import POOL, has_tpus, machine_of
from sandbox.cloud.resource import Inputs
from sandbox.cloud.view import View

_TAKES_NO_OTHERS = ("NO_SCHEDULE", "NO_EXECUTE")
# What GKE's own pods tolerate (GKE documentation, "Isolate your workloads in dedicated node pools";
# kubernetes/kubernetes cluster/addons/dns/kube-dns/kube-dns.yaml.base, v1.35.4).
_TOLERATED = ("components.gke.io/gke-managed-components", "CriticalAddonsOnly")


def homeless(
    planned: Mapping[str, Inputs], before: Mapping[str, Inputs], cloud: View
) -> Iterator[tuple[str, str]]:
    """The URN of each cluster of the program whose pools are all tainted, and what is wrong.

    `planned` are inputs by URN, `before` those of the state: pools of others count as they are.
    """
    for urn, cluster in _of(planned, Cluster.token):
        if cluster.get("enableAutopilot") or not cluster.get("removeDefaultNodePool"):
            continue
        own = [it for _, it in _of(planned, POOL) if _is_in(it, cluster)]
        ours = {it.get("name") for _, it in _of(before, POOL)}
        others = [it.inputs for it in cloud.find(POOL) if it["name"] not in ours]
        pools = [*own, *(it for it in others if _is_in(it, cluster))]
        if pools and not any(_takes_system_pods(it, cloud) for it in pools):
            names = ", ".join(str(it.get("name")) for it in pools)
            problem = (
                f"every node pool of cluster {cluster.get('name')} is tainted ({names}), so "
                "kube-dns, metrics-server and GKE's other pods have no node, and no name is "
                "resolved; nearest: one more pool without a taint, such as of e2-standard-4, or "
                "tainted=False of a pool with GPUs"
            )
            yield urn, problem


def _of(inputs: Mapping[str, Inputs], token: str) -> Iterator[tuple[str, Inputs]]:
    return ((urn, it) for urn, it in inputs.items() if urn.split("::")[2].split("$")[-1] == token)


def _is_in(pool: Inputs, cluster: Inputs) -> bool:
    return str(pool.get("cluster")).rpartition("/")[2] == cluster.get("name")


def _takes_system_pods(pool: Inputs, cloud: View) -> bool:
    """What cannot be known yet may be a pool that does."""
    node: Any = pool.get("nodeConfig") or {}
    taints: Any = node.get("taints") if isinstance(node, Mapping) else None
    if (isinstance(taints, list) and any(_repels(it) for it in taints)) or is_queued(pool):
        return False
    try:
        # Those of TPUs are tainted by GKE (GKE documentation, "Plan TPUs in GKE").
        return not has_tpus(machine_of(pool, cloud))
    except (AttributeError, FactError):
        return True


def _repels(taint: Mapping[str, Any]) -> bool:
    return taint.get("effect") in _TAKES_NO_OTHERS and taint.get("key") not in _TOLERATED
