"""Workload objects: one for each job, with what it claims and how that stands, and one more that is
to replace it for a job that scales and wants more.

Left out of them: the pod templates, which stand in the job.
"""

from __future__ import annotations

from fractions import Fraction

from sandbox.kube import quantity
from sandbox.kube.objects import JsonObject, dig, maps, name_of, namespace_of
from sandbox.kube.pods import suffix
from sandbox.kube.store import Store
from sandbox.memory_kube.kueue.manager import workload_api
from sandbox.memory_kube.kueue.model import Assignment, Claim, Fit, PodSet
from sandbox.memory_kube.kueue.quota import FlavorResource

_REPLACES = "kueue.x-k8s.io/workload-slice-replacement-for"


def workload_of(store: Store, job: JsonObject) -> JsonObject | None:
    return next(iter(store.owned_by(job, "Workload")), None)


def keep_workload(
    store: Store, job: JsonObject, queue: str, sets: tuple[PodSet, ...], rank: tuple[str, int]
) -> JsonObject:
    """The job's Workload; one whose pods changed is made anew, without the quota that it had."""
    spec = _spec(queue, sets, rank)
    live = workload_of(store, job)
    if live is not None and dig(live, "spec", "podSets") == spec["podSets"]:
        return store.patch(live, spec=spec)
    for each in store.owned_by(job, "Workload"):
        store.remove(each)
    return _made(store, job, spec)


def keep_slices(
    store: Store, job: JsonObject, queue: str, sets: tuple[PodSet, ...], rank: tuple[str, int]
) -> tuple[JsonObject, JsonObject | None]:
    """The Workload of a job that scales, and where it is admitted with fewer pods the one that is
    to replace it. Without a replacement it is changed in place, and keeps its quota."""
    found = store.owned_by(job, "Workload")
    live = next((each for each in found if dig(each, "status", "admission")), None)
    if live is None:
        return keep_workload(store, job, queue, sets, rank), None
    spec = _spec(queue, sets, rank)
    waiting = next((each for each in found if each is not live), None)
    if any(each.count > counts_of(live).get(each.name, 0) for each in sets):
        if waiting is not None:
            return live, store.patch(waiting, spec=spec)
        return live, _made(store, job, spec, replaced=live)
    if waiting is not None:
        store.remove(waiting)
    return store.patch(live, spec=spec), None


def counts_of(workload: JsonObject) -> dict[str, int]:
    return {each["name"]: each["count"] for each in maps(dig(workload, "spec", "podSets"))}


def _spec(queue: str, sets: tuple[PodSet, ...], rank: tuple[str, int]) -> JsonObject:
    name, priority = rank
    return {
        "active": True,
        "queueName": queue,
        "priority": priority,
        "podSets": [
            {"name": each.name, "count": each.count, "requests": _rendered(each)} for each in sets
        ],
        **({"priorityClassName": name} if name else {}),
    }


def _made(
    store: Store, job: JsonObject, spec: JsonObject, replaced: JsonObject | None = None
) -> JsonObject:
    uid, start = job["metadata"]["uid"], f"{job['kind'].lower()}-{name_of(job)}"
    names = [f"{start}-{suffix(uid)}", f"{start}-{suffix(uid, 'more')}"]
    metadata: JsonObject = {"name": names[0], "namespace": namespace_of(job)}
    if replaced is not None:
        metadata["name"] = names[1] if name_of(replaced) == names[0] else names[0]
        metadata["annotations"] = {_REPLACES: f"{namespace_of(job)}/{name_of(replaced)}"}
    manifest = {
        "apiVersion": workload_api(store),
        "kind": "Workload",
        "metadata": metadata,
        "spec": spec,
    }
    return store.add(manifest, owner=job)


def _rendered(pods: PodSet) -> dict[str, str]:
    return {name: quantity.render(amount) for name, amount in sorted(pods.requests.items())}


def read_admission(workload: JsonObject, sets: tuple[PodSet, ...]) -> tuple[str, Assignment] | None:
    """The queue and the flavors that a Workload has; None while it waits."""
    admission = dig(workload, "status", "admission")
    if not admission:
        return None
    flavors = {each["name"]: each["flavors"] for each in maps(admission["podSetAssignments"])}
    usage = dict[FlavorResource, Fraction]()
    for pods in sets:
        for resource, flavor in flavors.get(pods.name, {}).items():
            key = flavor, resource
            usage[key] = usage.get(key, Fraction(0)) + pods.requests[resource]
    assignment = Assignment(fit=Fit.FREE, flavors=flavors, usage=usage)
    return admission["clusterQueue"], assignment


def status_of(workload: JsonObject, claim: Claim) -> JsonObject:
    if claim.admitted:
        return {"admission": _admission(claim, claim.admitted), "conditions": _admitted(claim)}
    evicted = claim.evicted or _still_evicted(workload)
    conditions = [_condition("QuotaReserved", claim.reason, claim.message, met=False)]
    if evicted:
        reason, message = evicted
        gone = "The workload has no reservation"
        conditions += [
            _condition("Evicted", "Preempted", message),
            _condition("Preempted", reason, message),
            _condition("Admitted", "NoReservation", gone, met=False),
        ]
    return {"conditions": conditions}


def finished_status(workload: JsonObject) -> JsonObject:
    """The status of a job that has ended: it is admitted no more and holds nothing."""
    conditions = [each for each in _conditions(workload) if each["type"] != "Finished"]
    ended = _condition("Finished", "Succeeded", "Job finished successfully")
    return {"conditions": [*conditions, ended]}


def _admission(claim: Claim, assignment: Assignment) -> JsonObject:
    return {
        "clusterQueue": claim.queue,
        "podSetAssignments": [
            {
                "name": pods.name,
                "count": pods.count,
                "flavors": dict(assignment.flavors[pods.name]),
                "resourceUsage": _rendered(pods),
            }
            for pods in claim.pod_sets
        ],
    }


def _admitted(claim: Claim) -> list[JsonObject]:
    reserved = f"Quota reserved in ClusterQueue {claim.queue}"
    return [
        _condition("QuotaReserved", "QuotaReserved", reserved),
        _condition("Admitted", "Admitted", "The workload is admitted"),
    ]


def _still_evicted(workload: JsonObject) -> tuple[str, str] | None:
    for each in _conditions(workload):
        if each["type"] == "Preempted" and each["status"] == "True":
            return each["reason"], each["message"]
    return None


def _conditions(workload: JsonObject) -> list[JsonObject]:
    return maps(dig(workload, "status", "conditions"))


def _condition(kind: str, reason: str, message: str, *, met: bool = True) -> JsonObject:
    status = "True" if met else "False"
    return {"type": kind, "status": status, "reason": reason, "message": message}
