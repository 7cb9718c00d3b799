"""The status of queues: what is reserved, how many workloads are admitted, and how many wait."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from sandbox.kube import quantity
from sandbox.kube.objects import JsonObject, dig, name_of, namespace_of
from sandbox.kube.store import Store
from sandbox.memory_kube.kueue.model import Claim, Queue


def keep_queue_statuses(store: Store, queues: Mapping[str, Queue], claims: Sequence[Claim]) -> None:
    for obj in store.all("ClusterQueue"):
        queue = queues[name_of(obj)]
        mine = [claim for claim in claims if claim.queue == queue.name]
        usage = _usage(queue)
        reserved = {"flavorsReservation": usage, "flavorsUsage": usage}
        status = {"conditions": [_cluster_active(queue)], **_counts(mine), **reserved}
        store.patch(obj, status=status)
    for obj in store.all("LocalQueue"):
        queue = queues.get(obj["spec"]["clusterQueue"])
        mine = [claim for claim in claims if _is_in(store, claim, obj)]
        store.patch(obj, status={"conditions": [_local_active(queue)], **_counts(mine)})


def _is_in(store: Store, claim: Claim, queue: JsonObject) -> bool:
    namespace, _, name = claim.key.partition("/")
    if namespace != namespace_of(queue):
        return False
    found = [w for w in store.all("Workload") if (namespace_of(w), name_of(w)) == (namespace, name)]
    return any(dig(each, "spec", "queueName") == name_of(queue) for each in found)


def _counts(claims: Sequence[Claim]) -> JsonObject:
    admitted = len([claim for claim in claims if claim.admitted])
    return {
        "admittedWorkloads": admitted,
        "reservingWorkloads": admitted,
        "pendingWorkloads": len(claims) - admitted,
    }


def _usage(queue: Queue) -> list[JsonObject]:
    holder = queue.holder
    return [
        {
            "name": flavor,
            "resources": [
                {
                    "name": resource,
                    "total": quantity.render(holder.usage((flavor, resource))),
                    "borrowed": quantity.render(holder.borrowed((flavor, resource))),
                }
                for resource in group.resources
            ],
        }
        for group in queue.groups
        for flavor in group.flavors
    ]


def _cluster_active(queue: Queue) -> JsonObject:
    if queue.inactive:
        reason, message = queue.inactive
        return {"type": "Active", "status": "False", "reason": reason, "message": message}
    message = "Can admit new workloads"
    return {"type": "Active", "status": "True", "reason": "Ready", "message": message}


def _local_active(queue: Queue | None) -> JsonObject:
    if queue is None or queue.inactive:
        message = "Can't submit new workloads to clusterQueue"
        reason = "ClusterQueueIsInactive" if queue else "ClusterQueueDoesNotExist"
        return {"type": "Active", "status": "False", "reason": reason, "message": message}
    message = "Can submit new workloads to localQueue"
    return {"type": "Active", "status": "True", "reason": "Ready", "message": message}
