"""Kueue's manager: a Workload for each job that it holds, admitted as the quota of its queue
and cohort allows, by priority and age, for as long as it has the same pods.

While the manager does not run nothing is admitted, and what runs goes on.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from sandbox.kube import quantity
from sandbox.kube.custom_resources import served_versions
from sandbox.kube.kueue import cohort_of, queue_of, running
from sandbox.kube.objects import JsonObject, Node, dig, maps, matches_labels, name_of, namespace_of
from sandbox.kube.pods import suffix
from sandbox.kube.store import Store, owner_of
from sandbox.memory_kube.kueue.flavored import GATE, let_start
from sandbox.memory_kube.kueue.jobs import PodSet, is_finished, managed_jobs, pod_sets, priority_of
from sandbox.memory_kube.kueue.quota import Flavors, Quota

_NO_MATCH = "workload namespace doesn't match ClusterQueue selector"


def run_queues(store: Store, nodes: Sequence[Node]) -> None:
    del nodes
    config = running(store)
    if config is None:
        return
    quotas = {name_of(each): Quota(store, each) for each in store.all("ClusterQueue")}
    for each in quotas.values():
        cohort = cohort_of(each.queue)
        others = [it for it in quotas.values() if it is not each]
        each.lenders = [it for it in others if cohort and cohort_of(it.queue) == cohort]
    jobs = managed_jobs(store, config)
    _drop_others(store, jobs)
    waiting: list[tuple[int, JsonObject, JsonObject, list[PodSet]]] = []
    for job in jobs:
        sets, priority = pod_sets(store, config, job), priority_of(store, job)
        workload = _keep_workload(store, job, sets, priority)
        admission = dig(workload, "status", "admission")
        if is_finished(job):
            store.patch(workload, status={"conditions": [_condition("Finished", "Succeeded")]})
        elif admission and admission["clusterQueue"] in quotas:
            quotas[admission["clusterQueue"]].take(admission)
        else:
            waiting.append((-(priority or 0), job, workload, sets))
    for _, job, workload, sets in sorted(waiting, key=lambda it: it[0]):
        _consider(store, quotas, job, workload, sets)
    _keep_statuses(store, quotas)


def _keep_workload(
    store: Store, job: JsonObject, sets: Sequence[PodSet], priority: int | None
) -> JsonObject:
    """The job's Workload; one whose pods changed is made anew, without the quota that it had."""
    counted = [{"name": it.name, "count": it.count, "requests": _rendered(it)} for it in sets]
    spec = {"queueName": queue_of(job), "priority": priority or 0, "podSets": counted}
    for live in store.owned_by(job, "Workload"):
        if live["spec"]["podSets"] == counted:
            return store.patch(live, spec=spec)
        store.remove(live)
    name = f"{job['kind'].lower()}-{name_of(job)}-{suffix(job['metadata']['uid'])}"
    manifest = {
        "apiVersion": served_versions(store, "kueue.x-k8s.io", "Workload")[0],
        "kind": "Workload",
        "metadata": {"name": name, "namespace": namespace_of(job)},
        "spec": spec,
    }
    return store.add(manifest, owner=job)


def _drop_others(store: Store, jobs: Sequence[JsonObject]) -> None:
    """Workloads of jobs that left their queue."""
    uids = {job["metadata"]["uid"] for job in jobs}
    for workload in store.all("Workload"):
        if owner_of(workload).get("uid") not in uids:
            store.remove(workload)


def _consider(
    store: Store,
    quotas: Mapping[str, Quota],
    job: JsonObject,
    workload: JsonObject,
    sets: Sequence[PodSet],
) -> None:
    found, reason = _queue_of(store, quotas, job), "Inadmissible"
    if isinstance(found, Quota):
        flavors = found.assign(sets)
        if isinstance(flavors, dict):
            admission = _admission(found, sets, flavors)
            found.take(admission)
            conditions = [_condition(it, it) for it in ("QuotaReserved", "Admitted")]
            store.patch(workload, status={"admission": admission, "conditions": conditions})
            _start(store, job, flavors)
            return
        found, reason = flavors, "Pending"
    waits = {**_condition("QuotaReserved", reason, found), "status": "False"}
    store.patch(workload, status={"conditions": [waits]})
    _stop(store, job)


def _queue_of(store: Store, quotas: Mapping[str, Quota], job: JsonObject) -> Quota | str:
    """What the job waits for, or why that admits nothing of its."""
    name, namespace = queue_of(job), namespace_of(job)
    if priority_of(store, job) is None:
        return "the job's priority class is not found"
    here = [it for it in store.all("LocalQueue") if namespace_of(it) == namespace]
    local = next((it for it in here if name_of(it) == name), None)
    if local is None:
        return f"LocalQueue {name} doesn't exist"
    if (local["spec"].get("stopPolicy") or "None") != "None":
        return f"LocalQueue {name} is inactive"
    target = local["spec"]["clusterQueue"]
    if target not in quotas:
        return f"ClusterQueue {target} doesn't exist"
    if quotas[target].inactive:
        return f"ClusterQueue {target} is inactive"
    selector = quotas[target].queue["spec"].get("namespaceSelector")
    fits = matches_labels(selector, store.namespace_labels(namespace))
    return quotas[target] if fits else _NO_MATCH


def _admission(quota: Quota, sets: Sequence[PodSet], flavors: Mapping[str, Flavors]) -> JsonObject:
    assigned = [
        {
            "name": it.name,
            "count": it.count,
            "flavors": flavors[it.name],
            "resourceUsage": _rendered(it),
        }
        for it in sets
    ]
    return {"clusterQueue": name_of(quota.queue), "podSetAssignments": assigned}


def _start(store: Store, job: JsonObject, flavors: Mapping[str, Flavors]) -> None:
    if job["kind"] != "Pod":
        store.patch(job, spec={**job["spec"], "suspend": False})
        return
    (own,) = flavors.values()
    store.patch(job, spec=let_start(store, job["spec"], own.values()))


def _stop(store: Store, job: JsonObject) -> None:
    if job["kind"] != "Pod":
        store.patch(job, spec={**job["spec"], "suspend": True})
    elif GATE not in {it["name"] for it in maps(job["spec"].get("schedulingGates"))}:
        # Kueue cannot suspend a pod that has started: it deletes it.
        store.remove(job)


def _keep_statuses(store: Store, quotas: Mapping[str, Quota]) -> None:
    for quota in quotas.values():
        usage = {"flavorsReservation": quota.usage(), "flavorsUsage": quota.usage()}
        ready = _condition("Active", "Ready", "Can admit new workloads")
        active = _inactive(*quota.inactive) if quota.inactive else ready
        store.patch(quota.queue, status={"conditions": [active], **usage})
    for local in store.all("LocalQueue"):
        quota = quotas.get(local["spec"]["clusterQueue"])
        active = _condition("Active", "Ready", "Can submit new workloads to localQueue")
        if quota is None or quota.inactive:
            reason = f"ClusterQueue{'IsInactive' if quota else 'DoesNotExist'}"
            active = {**_condition("Active", reason, f"{reason}"), "status": "False"}
        store.patch(local, status={"conditions": [active]})


def _inactive(reason: str, text: str) -> JsonObject:
    message = f"Can't admit new workloads: {text}."
    return {**_condition("Active", reason, message), "status": "False"}


def _condition(kind: str, reason: str, message: str = "") -> JsonObject:
    return {"type": kind, "status": "True", "reason": reason, "message": message}


def _rendered(pods: PodSet) -> dict[str, str]:
    return {name: quantity.render(amount) for name, amount in sorted(pods.requests.items())}
