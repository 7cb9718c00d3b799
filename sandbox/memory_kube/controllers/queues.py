"""Kueue's manager: a Workload for each job that it holds, admitted as its queue's quotas allow.

While the manager does not run nothing is admitted, and what runs goes on. The real manager keeps a
Workload that another one of the same job has replaced, as a finished one.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

from sandbox.kube.kueue_configuration import Configuration
from sandbox.kube.objects import JsonObject, Node, maps, matches_labels, name_of, namespace_of
from sandbox.kube.store import Store
from sandbox.memory_kube.field_owners import GROUPS, OWNERS
from sandbox.memory_kube.kueue.flavored import pod_set_of, with_flavors
from sandbox.memory_kube.kueue.jobs import HEAD, is_finished, managed_jobs, pod_sets, priority_of
from sandbox.memory_kube.kueue.manager import ELASTIC, GATE, is_elastic, queue_of, running
from sandbox.memory_kube.kueue.model import Claim, PodSet, Queue
from sandbox.memory_kube.kueue.queue_status import keep_queue_statuses
from sandbox.memory_kube.kueue.read import read_flavors, read_queues
from sandbox.memory_kube.kueue.schedule import Schedule
from sandbox.memory_kube.kueue.workloads import (
    counts_of,
    finished_status,
    keep_slices,
    keep_workload,
    read_admission,
    status_of,
)

_MISCONFIGURED = "Misconfigured"
_SUSPENDED = "Suspended"
_NO_MATCH = "workload namespace doesn't match ClusterQueue selector"


def run_queues(store: Store, nodes: Sequence[Node]) -> None:
    del nodes
    config = running(store)
    if config is None:
        return
    queues, flavors = read_queues(store), read_flavors(store)
    jobs = dict[str, JsonObject]()
    workloads = dict[str, JsonObject]()
    claims: list[Claim] = []
    for order, job in enumerate(managed_jobs(store, config)):
        for claim, workload in _claims(store, config, queues, job, order):
            if is_finished(job):
                store.patch(workload, status=finished_status(workload))
                continue
            claims.append(claim)
            jobs[claim.key], workloads[claim.key] = job, workload
    _drop_others(store, jobs.values())
    Schedule(queues, flavors, claims).run()
    for claim in claims:
        workload = workloads[claim.key]
        if claim.replaced:
            store.remove(workload)
            continue
        store.patch(workload, status=status_of(workload, claim))
        if claim.held is not None:
            continue
        _start_or_stop(store, jobs[claim.key], claim)
        if is_elastic(config, jobs[claim.key]) and claim.admitted:
            _ungate(store, jobs[claim.key], claim)
    keep_queue_statuses(store, queues, [claim for claim in claims if not claim.replaced])


def _claims(
    store: Store, config: Configuration, queues: Mapping[str, Queue], job: JsonObject, order: int
) -> Iterator[tuple[Claim, JsonObject]]:
    """A job's claim, and where it scales and has been admitted one for what it wants more."""
    sets = pod_sets(store, config, job)
    class_name, priority = priority_of(store, job)
    rank = class_name, priority or 0
    if not is_elastic(config, job):
        workload = keep_workload(store, job, queue_of(job), sets, rank)
        yield _claim(store, queues, job, workload, sets, order), workload
        return
    workload, more = keep_slices(store, job, queue_of(job), sets, rank)
    had = sets if more is None else pod_sets(store, config, job, counts_of(workload))
    first = _claim(store, queues, job, workload, had, order)
    yield first, workload
    if more is not None:
        claim = _claim(store, queues, job, more, sets, order)
        claim.replaces = first
        yield claim, more


def _claim(
    store: Store,
    queues: Mapping[str, Queue],
    job: JsonObject,
    workload: JsonObject,
    sets: tuple[PodSet, ...],
    order: int,
) -> Claim:
    class_name, priority = priority_of(store, job)
    local, blocked = _why_blocked(store, queues, job)
    claim = Claim(
        key=f"{namespace_of(job)}/{name_of(workload)}",
        queue=local,
        priority=priority or 0,
        order=order,
        pod_sets=sets,
    )
    if (held := read_admission(workload, sets)) and held[0] in queues:
        claim.queue, claim.admitted = held
    elif priority is None:
        blocked = _MISCONFIGURED, f'workloadpriorityclass "{class_name}" not found'
    if claim.admitted is None and blocked:
        claim.blocked, (claim.reason, claim.message) = True, blocked
    return claim


def _why_blocked(
    store: Store, queues: Mapping[str, Queue], job: JsonObject
) -> tuple[str, tuple[str, str] | None]:
    """The ClusterQueue of a job, and why it cannot admit anything of its."""
    name, namespace = queue_of(job), namespace_of(job)
    found = (
        q for q in store.all("LocalQueue") if (namespace_of(q), name_of(q)) == (namespace, name)
    )
    local = next(found, None)
    if local is None:
        return "", (_MISCONFIGURED, f"LocalQueue {name} doesn't exist")
    if (local["spec"].get("stopPolicy") or "None") != "None":
        return "", (_SUSPENDED, f"LocalQueue {name} is inactive")
    target = local["spec"]["clusterQueue"]
    if target not in queues:
        return "", (_MISCONFIGURED, f"ClusterQueue {target} doesn't exist")
    if queues[target].inactive:
        return target, (_SUSPENDED, f"ClusterQueue {target} is inactive")
    objects = {name_of(each): each for each in store.all("ClusterQueue")}
    selector = objects[target]["spec"].get("namespaceSelector")
    if not matches_labels(selector, store.namespace_labels(namespace)):
        return target, (_MISCONFIGURED, _NO_MATCH)
    return target, None


def _drop_others(store: Store, jobs: Iterable[JsonObject]) -> None:
    """Workloads of jobs that left their queue; those of ended jobs stay."""
    uids = {job["metadata"]["uid"] for job in jobs}
    for workload in store.all("Workload"):
        owners = {each["uid"] for each in workload["metadata"].get("ownerReferences") or []}
        ended = any(
            c["type"] == "Finished" for c in maps(workload.get("status", {}).get("conditions"))
        )
        if not owners & uids and not ended:
            store.remove(workload)


def _ungate(store: Store, job: JsonObject, claim: Claim) -> None:
    """Pods of a job that scales start, as many of each set as it has the quota for.

    Kueue knows them by what it has written into their templates when the job started.
    """
    room = {each.name: each.count for each in claim.pod_sets}
    if GROUPS in (job.get(OWNERS) or {}):
        room = {HEAD: room[HEAD]}
    pods = [(pod, pod_set_of(pod)) for pod in store.owned_by(job, "Pod")]
    for pod, name in sorted(pods, key=lambda each: _is_gated(each[0])):
        if room.get(name, 0) > 0:
            room[name] -= 1
            _without_gate(store, pod)


def _is_gated(pod: JsonObject) -> bool:
    return any(gate["name"] == ELASTIC for gate in maps(pod["spec"].get("schedulingGates")))


def _without_gate(store: Store, pod: JsonObject) -> None:
    if _is_gated(pod):
        left = [gate for gate in maps(pod["spec"]["schedulingGates"]) if gate["name"] != ELASTIC]
        spec = {key: value for key, value in pod["spec"].items() if key != "schedulingGates"}
        store.patch(pod, spec=spec | ({"schedulingGates": left} if left else {}))


def _start_or_stop(store: Store, job: JsonObject, claim: Claim) -> None:
    spec = job["spec"]
    if job["kind"] != "Pod":
        owners = job.get(OWNERS) or {}
        if claim.admitted is None and GROUPS in owners:
            # When it starts again Kueue writes all anew.
            job = store.patch(job, **{OWNERS: {k: v for k, v in owners.items() if k != GROUPS}})
        store.patch(job, spec={**spec, "suspend": claim.admitted is None})
        return
    gates = [each for each in maps(spec.get("schedulingGates")) if each["name"] != GATE]
    held = len(gates) < len(spec.get("schedulingGates") or [])
    if claim.admitted is None and not held:
        # Kueue cannot suspend a pod that has started: it deletes it.
        store.remove(job)
    elif claim.admitted and held:
        (flavors,) = claim.admitted.flavors.values()
        free = {key: value for key, value in spec.items() if key != "schedulingGates"}
        free |= {"schedulingGates": gates} if gates else {}
        store.patch(job, spec=with_flavors(store, free, sorted({*flavors.values()})))
