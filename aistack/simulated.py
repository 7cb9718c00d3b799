"""Pods of the sandbox's real control plane: kwok moves them from phase to phase, and no container
runs in them."""

from __future__ import annotations

from collections.abc import Iterable

from aistack.cluster import Cluster
from aistack.errors import VerbError
from aistack.offered import offered
from kube.kinds import NODE
from kube.objects import JsonObject, dig


def refuse_simulated(
    cluster: Cluster, pods: Iterable[JsonObject], what: str, *answering: tuple[str, ...]
) -> None:
    """Raises VerbError where no kubelet can be asked for `what` of the pods; `answering` are verbs
    that need none."""
    if not cluster.is_simulated:
        return
    nodes = {node for it in pods if (node := dig(it, "spec", "nodeName"))}
    if any(_has_kubelet(cluster, str(it)) for it in nodes) or not nodes:
        return
    near = " or ".join(f"`{offered(*it)}`" for it in answering)
    raise VerbError(f"pods of the sandbox are simulated and have no {what}; nearest: {near}")


def _has_kubelet(cluster: Cluster, node: str) -> bool:
    """A kubelet writes its port there (kubernetes/kubernetes v1.35.4
    pkg/kubelet/nodestatus/setters.go, DaemonEndpoints)."""
    found = cluster.get(NODE, "", node)
    return bool(dig(found, "status", "daemonEndpoints", "kubeletEndpoint", "Port"))
