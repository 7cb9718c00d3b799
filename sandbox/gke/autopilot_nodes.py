"""The node that Autopilot makes for one pod."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from sandbox.kube.objects import Node, Provision, name_of, namespace_of
from sandbox.kube.pods import suffix

_HOST_NAME = "kubernetes.io/hostname"
_POOL = "cloud.google.com/gke-nodepool"


def node_for(pod: Mapping[str, Any], slice_name: str, provision: Provision) -> Node | str:
    """The node that Autopilot makes for a pod (as the webhooks leave it), or why it makes none;
    the nodes of one TPU slice are one node pool."""
    made = provision(pod)
    if isinstance(made, str):
        return made
    name = node_name(pod)
    pool = f"nap-{suffix(slice_name, length=8)}" if slice_name else made.pool
    labels = {**made.labels, _HOST_NAME: name, _POOL: pool}
    return replace(made, name=name, pool=pool, labels=labels)


def node_name(pod: Mapping[str, Any]) -> str:
    """The same in each process: the nodes are not stored."""
    return f"gk3-{suffix(namespace_of(pod), name_of(pod), length=8)}"
