"""The node that Autopilot makes for one pod."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import replace
from functools import partial
from itertools import count
from typing import Any

from kube.objects import Node, Provision, name_of, namespace_of
from sandbox.kube.pods import suffix

_HOST_NAME = "kubernetes.io/hostname"
_POOL = "cloud.google.com/gke-nodepool"


def node_for(
    pod: Mapping[str, Any],
    slice_name: str,
    provision: Provision,
    taken: Collection[str] = (),
) -> Node | str:
    """The node that Autopilot makes for a pod (as the webhooks leave it), or why it makes none;
    the nodes of one TPU slice are one node pool. It has none of the names that are `taken`:
    kube-scheduler may have given the node that was made for this pod to another."""
    made = provision(pod)
    if isinstance(made, str):
        return made
    name = next(it for it in map(partial(node_name, pod), count()) if it not in taken)
    pool = f"nap-{suffix(slice_name, length=8)}" if slice_name else made.pool
    labels = {**made.labels, _HOST_NAME: name, _POOL: pool}
    return replace(made, name=name, pool=pool, labels=labels)


def node_name(pod: Mapping[str, Any], before: int = 0) -> str:
    """The same in each process: the nodes are not stored. `before` is how many nodes were made for
    a pod of this name."""
    number = [str(before)] if before else []
    return f"gk3-{suffix(namespace_of(pod), name_of(pod), *number, length=8)}"
