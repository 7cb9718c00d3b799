"""Queues: what they may give out, what of it is had, and who waits. Pure.

kubernetes-sigs/kueue v0.19.2 apis/kueue/v1beta2/clusterqueue_types.go and localqueue_types.go.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from aistack.status.snapshot import Snapshot
from kube.jobs import condition
from kube.kinds import CLUSTER_QUEUE
from kube.objects import JsonObject, dig, maps, name_of, namespace_of
from kube.reading import whole

_NO_LIMIT = "no limit"


@dataclass(frozen=True, kw_only=True)
class Quota:
    """`most` is the nominal quota, and `may_borrow` what the queue may have of its cohort past
    that: "no limit" where none is set. Both are empty where the user sees the door to the queue and
    not the queue."""

    flavor: str
    resource: str
    most: str
    may_borrow: str
    used: str
    borrowed: str


@dataclass(frozen=True, kw_only=True)
class Queue:
    name: str
    active: bool
    admitted: int
    waiting: int
    quotas: Sequence[Quota]


def queues(it: Snapshot) -> Sequence[Queue]:
    """The cluster's; of those of a team's doors who sees no others."""
    if it.sees(CLUSTER_QUEUE):
        return [_queue(queue, name_of(queue)) for queue in it.seen(CLUSTER_QUEUE)]
    return [_queue(queue, door(queue)) for queue in it.local_queues]


def door(local_queue: JsonObject) -> str:
    return f"{namespace_of(local_queue)}/{name_of(local_queue)}"


def _queue(queue: JsonObject, name: str) -> Queue:
    status = queue.get("status") or {}
    return Queue(
        name=name,
        active=condition(queue, "Active") is not None,
        admitted=whole(status.get("admittedWorkloads")),
        waiting=whole(status.get("pendingWorkloads")),
        quotas=list(_quotas(queue)),
    )


def _quotas(queue: JsonObject) -> Iterator[Quota]:
    """By flavor and resource; of a door only what is had is known."""
    alone = "0" if dig(queue, "spec", "cohortName") is None else _NO_LIMIT
    most = {
        (flavor["name"], each["name"]): (
            str(each.get("nominalQuota", "")),
            str(each.get("borrowingLimit", alone)),
        )
        for group in maps(dig(queue, "spec", "resourceGroups"))
        for flavor in maps(group.get("flavors"))
        for each in maps(flavor.get("resources"))
    }
    used = {
        (flavor["name"], each["name"]): each
        for flavor in maps(dig(queue, "status", "flavorsReservation"))
        for each in maps(flavor.get("resources"))
    }
    for flavor, resource in most or used:
        had = used.get((flavor, resource), {})
        nominal, may_borrow = most.get((flavor, resource), ("", ""))
        yield Quota(
            flavor=flavor,
            resource=resource,
            most=nominal,
            may_borrow=may_borrow,
            used=str(had.get("total") or "0"),
            borrowed=str(had.get("borrowed") or "0"),
        )
