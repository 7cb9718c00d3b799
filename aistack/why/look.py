"""Reads what the rules need of a job, and no more than the user may see."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from datetime import UTC, datetime

from aistack.cluster import Cluster
from aistack.errors import ForbiddenError, VerbError
from aistack.events import events_of, workload_of
from aistack.find import Found
from aistack.job import State, condition
from aistack.kinds import (
    CLUSTER_QUEUE,
    DEVICE_CLASS,
    LOCAL_QUEUE,
    NODE,
    PROVISIONING_REQUEST,
    RESOURCE_CLAIM,
    RESOURCE_SLICE,
    WORKLOAD,
)
from aistack.members import Members, members_of
from aistack.why.container_rules import asks_for_log as ended
from aistack.why.devices import Devices
from aistack.why.run_rules import asks_for_log as speaks_rdma
from aistack.why.snapshot import Snapshot
from sandbox.kube.objects import JsonObject, dig, maps, name_of

_LINES = 200
_PODS = 4
_PATIENCE = 5


def look(cluster: Cluster, found: Found) -> Snapshot:
    members = members_of(cluster, found)
    workload = workload_of(cluster, found)
    snapshot = Snapshot(
        found=found,
        members=members,
        now=datetime.now(UTC),
        workload=workload,
        events=events_of(cluster, found, members, workload),
        logs=_logs(cluster, found, members),
        nodes=_allowed(lambda: cluster.pages(NODE)) if any(_without_node(members)) else None,
        devices=_devices(cluster, found, members),
    )
    return _with_queue(cluster, snapshot) if found.job.state is State.QUEUED else snapshot


def _with_queue(cluster: Cluster, it: Snapshot) -> Snapshot:
    queue = _cluster_queue(cluster, it)
    if queue is None:
        return it
    all_ = _allowed(lambda: cluster.pages(WORKLOAD)) or _allowed(
        lambda: cluster.pages(WORKLOAD, it.job.namespace)
    )
    cohort = dig(queue, "spec", "cohortName")
    queues = {name_of(queue)}
    if cohort:
        others = _allowed(lambda: cluster.pages(CLUSTER_QUEUE)) or []
        queues |= {name_of(one) for one in others if dig(one, "spec", "cohortName") == cohort}
    return Snapshot(
        found=it.found,
        members=it.members,
        now=it.now,
        workload=it.workload,
        events=it.events,
        cluster_queue=queue,
        admitted=[one for one in all_ or () if _has_quota(one, queues)],
        waiting=_before(all_ or (), it),
        requests=_requests(cluster, it),
    )


def _cluster_queue(cluster: Cluster, it: Snapshot) -> JsonObject | None:
    local = cluster.get(LOCAL_QUEUE, it.job.namespace, it.job.queue)
    name = dig(local, "spec", "clusterQueue")
    found = _allowed(lambda: [cluster.get(CLUSTER_QUEUE, "", name)]) if name else None
    # A member of a team sees no cluster queue: its name is enough to know who has quota of it.
    return found[0] if found else (None if name is None else {"metadata": {"name": name}})


def _has_quota(workload: JsonObject, queues: set[str]) -> bool:
    has = dig(workload, "status", "admission", "clusterQueue") in queues
    return has and condition(workload, "Finished") is None


def _before(all_: Sequence[JsonObject], it: Snapshot) -> Sequence[JsonObject]:
    """Who waits in the same LocalQueue's line and is before it: by priority, then by age."""
    if it.workload is None:
        return ()
    own = _place(it.workload)
    waits = [
        one
        for one in all_
        if dig(one, "spec", "queueName") == dig(it.workload, "spec", "queueName")
        and not condition(one, "QuotaReserved")
        and not condition(one, "Finished")
        and dig(one, "spec", "active") is not False
        and _place(one) < own
    ]
    return sorted(waits, key=_place)


def _place(workload: JsonObject) -> tuple[int, str, str]:
    priority = -int(dig(workload, "spec", "priority") or 0)
    return priority, workload["metadata"]["creationTimestamp"], name_of(workload)


def _requests(cluster: Cluster, it: Snapshot) -> Sequence[JsonObject]:
    """Kueue owns them by the workload (sigs.k8s.io/kueue v0.19.2
    pkg/controller/admissionchecks/provisioning/controller.go)."""
    if it.workload is None:
        return ()
    uid = it.workload["metadata"]["uid"]
    found = _allowed(lambda: cluster.pages(PROVISIONING_REQUEST, it.job.namespace))
    own = maps(found)
    return [
        one
        for one in own
        if any(each["uid"] == uid for each in maps(dig(one, "metadata", "ownerReferences")))
    ]


def _devices(cluster: Cluster, found: Found, members: Members) -> Devices | None:
    if not any(dig(pod, "spec", "resourceClaims") for pod in _without_node(members)):
        return None
    everywhere = _allowed(lambda: cluster.pages(RESOURCE_CLAIM))
    here = found.job.namespace
    return Devices(
        claims=_allowed(lambda: cluster.pages(RESOURCE_CLAIM, here)) or ()
        if everywhere is None
        else everywhere,
        classes=_allowed(lambda: cluster.pages(DEVICE_CLASS)),
        slices=_allowed(lambda: cluster.pages(RESOURCE_SLICE)),
    )


def _without_node(members: Members) -> Iterator[JsonObject]:
    return (it.pod for it in members.pods if not dig(it.pod, "spec", "nodeName"))


def _logs(cluster: Cluster, found: Found, members: Members) -> Mapping[str, Sequence[str]]:
    """Of what rules ask: the last lines of a few pods."""
    logs: dict[str, Sequence[str]] = {}
    for member in [it for it in members.pods if ended(it.pod) or speaks_rdma(it.pod)][:_PODS]:
        where = (found.job.namespace, member.name, member.container)
        try:
            lines = cluster.log(*where, tail=_LINES, seconds=_PATIENCE)
            logs[member.name] = [line.partition(" ")[2] for line in lines]
        except VerbError:
            # Without logs the other rules still hold.
            continue
    return logs


def _allowed(read: Callable[[], Iterable[JsonObject | None]]) -> list[JsonObject] | None:
    """What the user may see of it; None where that is nothing."""
    try:
        return [it for it in read() if it is not None]
    except ForbiddenError:
        return None
