"""Reads what the rules need of a job, and no more than the user may see."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any

from aistack.cluster import Cluster
from aistack.errors import ForbiddenError, VerbError
from aistack.events import events_of, workload_of
from aistack.find import Found
from aistack.logs import Wanted
from aistack.members import DRIVER, LAUNCHER, Members, members_of
from aistack.ray_job_log import RayJobLog
from aistack.why.devices import Devices
from aistack.why.ends import bad_ends, runs_again
from aistack.why.run_rules import asks_for_log as speaks_rdma
from aistack.why.snapshot import Snapshot
from kube.jobs import State, condition
from kube.kinds import (
    CLUSTER_QUEUE,
    DEVICE_CLASS,
    LOCAL_QUEUE,
    NODE,
    PROVISIONING_REQUEST,
    RAY_CLUSTER,
    RAY_JOB,
    RESOURCE_CLAIM,
    RESOURCE_SLICE,
    WORKLOAD,
)
from kube.objects import JsonObject, dig, maps, name_of, namespace_of
from kube.reading import moment, read_moment, whole

_LINES = 200
# An hour or more of a program that prints every second.
_HABIT_LINES = 5000
# Of a line: a program may print for ever without ending one, and a rule looks at all of it.
_LONGEST = 2000
_PODS = 4
_PATIENCE = 5
# What Python's logging and Ray's begin a line with, in the time zone of the pod: UTC unless its
# image says otherwise.
_OWN_TIME = re.compile(r"\W{0,2}(?P<day>\d{4}-\d\d-\d\d)[ T](?P<time>\d\d:\d\d:\d\d)\b")
_CLOCKS_APART = timedelta(minutes=5)
# What a workload's shape has of a pod beside its containers.
_OF_A_POD = (
    "nodeSelector",
    "affinity",
    "tolerations",
    "runtimeClassName",
    "priority",
    "topologySpreadConstraints",
    "overhead",
    "resourceClaims",
    "resources",
)


def look(cluster: Cluster, found: Found) -> Snapshot:
    members = members_of(cluster, found)
    workload = workload_of(cluster, found)
    snapshot = Snapshot(
        found=found,
        members=members,
        now=datetime.now(UTC),
        workload=workload,
        events=events_of(cluster, found, members, workload),
        nodes=_allowed(lambda: cluster.pages(NODE)) if any(_without_node(members)) else None,
        devices=_devices(cluster, found, members),
    )
    snapshot = _with_logs(cluster, snapshot)
    return _with_queue(cluster, snapshot) if found.job.state is State.QUEUED else snapshot


def _with_queue(cluster: Cluster, it: Snapshot) -> Snapshot:
    queue = _cluster_queue(cluster, it)
    if queue is None:
        return it
    everywhere = _allowed(lambda: cluster.pages(WORKLOAD))
    all_ = everywhere or _allowed(lambda: cluster.pages(WORKLOAD, it.job.namespace))
    cohort = dig(queue, "spec", "cohortName")
    sharing = [queue]
    if cohort:
        others = _allowed(lambda: cluster.pages(CLUSTER_QUEUE)) or []
        sharing += [
            one
            for one in others
            if dig(one, "spec", "cohortName") == cohort and name_of(one) != name_of(queue)
        ]
    queues = set(map(name_of, sharing))
    return replace(
        it,
        cluster_queue=queue,
        admitted=[one for one in all_ or () if _has_quota(one, queues)],
        waiting=_before(all_ or (), it),
        cohort=None if everywhere is None or not dig(queue, "spec") else sharing,
        rivals=_rivals(cluster, everywhere or (), queues, it),
        alike=_alike(all_ or (), it),
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


def _rivals(
    cluster: Cluster, everywhere: Sequence[JsonObject], queues: set[str], it: Snapshot
) -> Sequence[JsonObject]:
    """Who else waits for the quota of these cluster queues, the first to ask first."""
    if it.workload is None or not everywhere:
        return ()
    local = _allowed(lambda: cluster.pages(LOCAL_QUEUE)) or ()
    ways = {
        (namespace_of(one), name_of(one))
        for one in local
        if dig(one, "spec", "clusterQueue") in queues
    }
    waits = [
        one
        for one in everywhere
        if (namespace_of(one), dig(one, "spec", "queueName")) in ways
        and _waits(one)
        and dig(one, "metadata", "uid") != dig(it.workload, "metadata", "uid")
    ]
    return sorted(waits, key=_place)


def _waits(workload: JsonObject) -> bool:
    return (
        not condition(workload, "QuotaReserved")
        and not condition(workload, "Finished")
        and dig(workload, "spec", "active") is not False
    )


def _before(all_: Sequence[JsonObject], it: Snapshot) -> Sequence[JsonObject]:
    """Who waits in the same LocalQueue's line and is before it: by priority, then by age."""
    if it.workload is None:
        return ()
    own = _place(it.workload)
    waits = [
        one
        for one in all_
        if dig(one, "spec", "queueName") == dig(it.workload, "spec", "queueName")
        and _waits(one)
        and _place(one) < own
    ]
    return sorted(waits, key=_place)


def _alike(all_: Sequence[JsonObject], it: Snapshot) -> Sequence[JsonObject]:
    """Workloads of any queue that ask for the same as the job's, and of which Kueue has said why
    they wait: those of the same queue first."""
    if it.workload is None:
        return ()
    own, queue = shape_of(it.workload), dig(it.workload, "spec", "queueName")
    found = [
        one
        for one in all_
        if dig(one, "metadata", "uid") != dig(it.workload, "metadata", "uid")
        and any(
            each["type"] == "QuotaReserved" and each["status"] == "False"
            for each in maps(dig(one, "status", "conditions"))
        )
        and shape_of(one) == own
    ]
    return sorted(found, key=lambda one: dig(one, "spec", "queueName") != queue)


def shape_of(workload: JsonObject) -> Any:
    """What Kueue compares of two (sigs.k8s.io/kueue v0.19.2 pkg/workload/workload.go,
    computeSchedulingHash, and pkg/util/pod/pod.go, SpecShape)."""
    return dig(workload, "spec", "priority"), [
        (
            one.get("name"),
            one.get("count"),
            one.get("minCount"),
            one.get("topologyRequest"),
            [dig(one, "template", "spec", key) for key in _OF_A_POD],
            [
                (dig(each, "resources", "requests"), each.get("ports"))
                for key in ("initContainers", "containers")
                for each in maps(dig(one, "template", "spec", key))
            ],
        )
        for one in maps(dig(workload, "spec", "podSets"))
    ]


def _place(workload: JsonObject) -> tuple[int, str, str]:
    priority = -whole(dig(workload, "spec", "priority"))
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


def _with_logs(cluster: Cluster, it: Snapshot) -> Snapshot:
    """The last lines of the few pods that rules ask: those that failed, the first to fail first;
    those that speak RDMA; of a job that runs, its first and its last rank, one of which prints."""
    failed = list(dict.fromkeys(member.name for member, _, _ in bad_ends(it)))
    rdma = [member.name for member in it.pods if speaks_rdma(member.pod)]
    printing = _printing(it)
    logs: dict[str, Sequence[str]] = {}
    times: dict[str, Sequence[datetime]] = {}
    by_name = {member.name: member for member in it.members.pods}
    for name in list(dict.fromkeys((*printing, *failed[:_PODS], *rdma[:_PODS])))[:_PODS]:
        member = by_name[name]
        tail = _HABIT_LINES if name in printing else _LINES
        try:
            lines = list(
                cluster.log(
                    it.job.namespace,
                    name,
                    member.container,
                    previous=name in failed and runs_again(member),
                    tail=tail,
                    seconds=_PATIENCE,
                )
            )
        except VerbError:
            # Without logs the other rules still hold.
            continue
        logs[name] = [line.partition(" ")[2][:_LONGEST] for line in lines]
        if name in printing:
            times[name] = [when for line in lines if (when := _time_of(line)) is not None]
    driver = _driver_lines(cluster, it)
    if driver:
        logs[DRIVER] = driver[-_HABIT_LINES:]
        times[DRIVER] = own_times(driver, it.found)[-_HABIT_LINES:]
    return replace(it, logs=logs, line_times=times)


def _driver_lines(cluster: Cluster, it: Snapshot) -> Sequence[str]:
    """What a RayJob prints that has no launcher to repeat it; nothing where Ray cannot be asked."""
    if it.job.state is not State.RUNNING or not Wanted().is_of_driver(it.found):
        return ()
    log = RayJobLog.of(cluster, it.found, seconds=_PATIENCE)
    try:
        lines = log.lines(tail=None) if log.has_begun else ()
        return [line.text[:_LONGEST] for line in lines]
    except VerbError:
        return ()


def own_times(lines: Sequence[str], found: Found) -> list[datetime]:
    """When lines were printed, by what they begin with; none where the last has no time, for it may
    be of now, or where the program's clock is not that of the cluster."""
    said = [line for line in lines if line.strip()]
    if not said or _OWN_TIME.match(said[-1]) is None:
        return []
    heads = [head for line in said if (head := _OWN_TIME.match(line)) is not None]
    times = [moment(f"{it['day']}T{it['time']}") for it in heads]
    began = dig(found.obj, "status", "startTime") or found.job.created.isoformat()
    is_before = times[0] < moment(began) - _CLOCKS_APART
    return [] if is_before else times


def _printing(it: Snapshot) -> Sequence[str]:
    """Pods whose program prints its progress. What runs on Ray prints to files of the head."""
    if it.job.state is not State.RUNNING:
        return ()
    if it.found.kind in (RAY_CLUSTER, RAY_JOB):
        return [member.name for member in it.pods if member.role == LAUNCHER]
    running = [member for member in it.pods if dig(member.pod, "status", "phase") == "Running"]
    return list(dict.fromkeys(member.name for member in (*running[:1], *running[-1:])))


def _time_of(line: str) -> datetime | None:
    """A kubelet's own words come without a time."""
    return read_moment(line.partition(" ")[0])


def _allowed(read: Callable[[], Iterable[JsonObject | None]]) -> list[JsonObject] | None:
    """What the user may see of it; None where that is nothing."""
    try:
        return [it for it in read() if it is not None]
    except ForbiddenError:
        return None
