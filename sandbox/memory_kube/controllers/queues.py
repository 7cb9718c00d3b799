"""Kueue's manager: whether a queue can admit anything, and what it has admitted."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from kube.objects import JsonObject, Node, dig, name_of
from sandbox.kube.kueue import running
from sandbox.kube.store import Store
from sandbox.memory_kube.kueue.queues import (
    WORK,
    cluster_queue_of,
    missing_references,
    running_work,
)


def run_queues(store: Store, nodes: Sequence[Node]) -> None:
    del nodes
    if running(store) is None:
        return
    missing = {
        name_of(it): next(missing_references(store, it), None) for it in store.all("ClusterQueue")
    }
    work = running_work(store)
    for queue in store.all("ClusterQueue"):
        active = _active("Ready", "Can admit new workloads")
        if why := missing[name_of(queue)]:
            reason, text = why
            active = _inactive(reason, f"Can't admit new workloads: {text}.")
        store.patch(queue, status={"conditions": [active], WORK: _admitted(store, queue, work)})
    for local in store.all("LocalQueue"):
        target = local["spec"]["clusterQueue"]
        active = _active("Ready", "Can submit new workloads to localQueue")
        if missing.get(target, ()) is not None:
            reason = f"ClusterQueue{'IsInactive' if target in missing else 'DoesNotExist'}"
            active = _inactive(reason, reason)
        store.patch(local, status={"conditions": [active]})


def _admitted(store: Store, queue: JsonObject, work: Mapping[str, JsonObject]) -> list[str]:
    """Work stays in the queue that admitted it when its LocalQueue goes."""
    before = dig(queue, "status", WORK) or ()
    targets = {uid: cluster_queue_of(store, it) for uid, it in work.items()}
    return sorted(uid for uid, target in targets.items() if target == queue or uid in before)


def _active(reason: str, message: str) -> JsonObject:
    return {"type": "Active", "status": "True", "reason": reason, "message": message}


def _inactive(reason: str, message: str) -> JsonObject:
    return {**_active(reason, message), "status": "False"}
