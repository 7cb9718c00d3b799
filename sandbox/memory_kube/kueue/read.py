"""Reads Kueue's objects into the model that it schedules by."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from sandbox.kube import quantity
from sandbox.kube.objects import JsonObject, Taint, dig, maps, name_of
from sandbox.kube.store import Store
from sandbox.memory_kube.kueue.model import Flavor, Group, Policy, Queue
from sandbox.memory_kube.kueue.quota import FlavorResource, Holder, Limits

Inactive = tuple[str, str]


def read_flavors(store: Store) -> dict[str, Flavor]:
    found: dict[str, Flavor] = {}
    for each in store.all("ResourceFlavor"):
        spec, name = each["spec"], name_of(each)
        found[name] = Flavor(
            name=name,
            labels=spec.get("nodeLabels") or {},
            taints=tuple(
                Taint(key=t["key"], value=t.get("value") or "", effect=t["effect"])
                for t in maps(spec.get("nodeTaints"))
            ),
            tolerations=tuple(maps(spec.get("tolerations"))),
        )
    return found


def read_queues(store: Store) -> dict[str, Queue]:
    """ClusterQueues in their cohorts; a cohort needs no object of its own."""
    objects = store.all("ClusterQueue")
    cohorts = {name_of(each): _holder(each) for each in store.all("Cohort")}
    holders = {name_of(each): _holder(each) for each in objects}
    parents = [(holders[name_of(each)], cohort_of(each)) for each in objects]
    parents += [
        (cohorts[name_of(each)], each["spec"].get("parentName")) for each in store.all("Cohort")
    ]
    for holder, parent in parents:
        if parent:
            holder.join(cohorts.setdefault(parent, Holder(name=parent)))
    return {
        name_of(each): Queue(
            name=name_of(each),
            holder=holders[name_of(each)],
            groups=tuple(_groups(each)),
            policy=_policy(each["spec"]),
            inactive=_why_inactive(store, each),
        )
        for each in objects
    }


def cohort_of(queue: Mapping[str, Any]) -> str:
    spec = queue["spec"]
    return spec.get("cohortName") or spec.get("cohort") or ""


def flavors_of(queue: Mapping[str, Any]) -> list[str]:
    return [name for group in _groups(queue) for name in group.flavors]


def checks_of(queue: Mapping[str, Any]) -> list[str]:
    spec = queue["spec"]
    checks = maps(dig(spec, "admissionChecksStrategy", "admissionChecks"))
    return [each["name"] for each in checks] + (spec.get("admissionChecks") or [])


def _groups(queue: Mapping[str, Any]) -> list[Group]:
    return [
        Group(
            resources=tuple(group["coveredResources"]),
            flavors=tuple(flavor["name"] for flavor in maps(group["flavors"])),
        )
        for group in maps(queue["spec"].get("resourceGroups"))
    ]


def _holder(obj: JsonObject) -> Holder:
    limits: dict[FlavorResource, Limits] = {}
    for group in maps(obj["spec"].get("resourceGroups")):
        for flavor in maps(group["flavors"]):
            for quota in maps(flavor["resources"]):
                key = flavor["name"], quota["name"]
                limits[key] = Limits(
                    nominal=quantity.parse(quota["nominalQuota"]),
                    borrowing=_amount(quota.get("borrowingLimit")),
                    lending=_amount(quota.get("lendingLimit")),
                )
    return Holder(name=name_of(obj), limits=limits)


def _amount(given: Any) -> Any:
    return None if given is None else quantity.parse(given)


def _policy(spec: JsonObject) -> Policy:
    preemption = spec.get("preemption") or {}
    borrows = preemption.get("borrowWithinCohort") or {}
    fungibility = spec.get("flavorFungibility") or {}
    return Policy(
        within_queue=preemption.get("withinClusterQueue") or "Never",
        within_cohort=preemption.get("reclaimWithinCohort") or "Never",
        preempts_to_borrow=(borrows.get("policy") or "Never") != "Never",
        borrows_below=borrows.get("maxPriorityThreshold"),
        strict_order=spec.get("queueingStrategy") == "StrictFIFO",
        tries_next_to_borrow=fungibility.get("whenCanBorrow") == "TryNextFlavor",
        tries_next_to_preempt=(fungibility.get("whenCanPreempt") or "TryNextFlavor")
        == "TryNextFlavor",
    )


def _why_inactive(store: Store, queue: JsonObject) -> Inactive | None:
    """The reason and text of the condition Active; None for a queue that admits."""
    spec, found = queue["spec"], list[Inactive]()
    if (spec.get("stopPolicy") or "None") != "None":
        found.append(("Stopped", "is stopped"))
    have = {name_of(each) for each in store.all("ResourceFlavor")}
    if missing := [name for name in flavors_of(queue) if name not in have]:
        text = f"references missing ResourceFlavor(s): {','.join(missing)}"
        found.append(("FlavorNotFound", text))
    found += _why_unchecked(store, queue)
    found += _why_unplaced(store, queue)
    if not found:
        return None
    texts = ", ".join(text for _, text in found)
    return found[0][0], f"Can't admit new workloads: {texts}."


def _why_unchecked(store: Store, queue: JsonObject) -> Iterator[Inactive]:
    names = checks_of(queue)
    have = {name_of(each) for each in store.all("AdmissionCheck")}
    if missing := [name for name in names if name not in have]:
        text = f"references missing AdmissionCheck(s): {','.join(missing)}"
        yield "AdmissionCheckNotFound", text
    elif names:
        # Nothing here makes Kueue's requests, so what waits for an answer would wait for ever.
        yield "NotSimulated", f"the sandbox answers no AdmissionCheck: {','.join(names)}"


def _why_unplaced(store: Store, queue: JsonObject) -> Iterator[Inactive]:
    have = {name_of(each) for each in store.all("Topology")}
    used = flavors_of(queue)
    for each in store.all("ResourceFlavor"):
        flavor, topology = name_of(each), each["spec"].get("topologyName")
        if flavor in used and topology and topology not in have:
            yield "TopologyNotFound", f'there is no Topology "{topology}" for TAS flavor "{flavor}"'
