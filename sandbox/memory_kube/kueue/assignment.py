"""Which flavors a workload would get from its queue now, and what is in the way of them.

A pure model of kubernetes-sigs/kueue pkg/scheduler/flavorassigner, v0.19.0 (read 2026-11-21), with
its texts. Left out: which of two flavors has the better workloads to preempt, partial admission,
and affinity of pods (their node selectors count).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from fractions import Fraction

from sandbox.kube import quantity
from sandbox.kube.objects import Node, maps
from sandbox.kube.scheduler import admits
from sandbox.memory_kube.kueue.model import Assignment, Fit, Flavor, Group, PodSet, Queue
from sandbox.memory_kube.kueue.quota import FlavorResource

_Usage = dict[FlavorResource, Fraction]
_ZERO = Fraction(0)
Flavors = Mapping[str, Flavor]
_Names = Mapping[str, str]


def assign(
    queue: Queue,
    pod_sets: tuple[PodSet, ...],
    flavors: Flavors,
    held: Mapping[str, _Names] | None = None,
) -> Assignment:
    """`held` are the flavors, by pod set and resource, that the workload has and has to stay with;
    its pod sets have them though they are of no pods."""
    used: _Usage = {}
    chosen: dict[str, Mapping[str, str]] = {}
    messages: list[str] = []
    fit = Fit.FREE
    for pods in pod_sets:
        mode, names, reasons = _of_pods(queue, pods, flavors, used, (held or {}).get(pods.name, {}))
        fit, chosen[pods.name] = min(fit, mode), names
        for resource, flavor in names.items():
            key = flavor, resource
            used[key] = used.get(key, _ZERO) + pods.requests[resource]
        if mode is not Fit.FREE:
            text = ", ".join(sorted(reasons))
            messages.append(f"couldn't assign flavors to pod set {pods.name}: {text}")
        if mode is Fit.NONE:
            break
    return Assignment(fit=fit, flavors=chosen, usage=used, message="; ".join(messages))


def _of_pods(
    queue: Queue, pods: PodSet, flavors: Flavors, used: _Usage, held: _Names
) -> tuple[Fit, dict[str, str], list[str]]:
    names: dict[str, str] = {}
    fit, reasons = Fit.FREE, list[str]()
    for resource, amount in sorted(pods.requests.items()):
        group = queue.group_of(resource)
        if resource in names or (group is None and (not amount or resource == "pods")):
            continue
        if group is None:
            return Fit.NONE, {}, [f"resource {resource} unavailable in ClusterQueue"]
        mode, flavor, why = _of_group(queue, group, pods, flavors, used, held)
        reasons += why
        if mode is Fit.NONE:
            return mode, {}, reasons
        fit = min(fit, mode)
        names |= {name: flavor for name in group.resources if name in pods.requests}
    return fit, names, reasons


def _of_group(
    queue: Queue, group: Group, pods: PodSet, flavors: Flavors, used: _Usage, held: _Names
) -> tuple[Fit, str, list[str]]:
    best, chosen = (Fit.NONE, False), ""
    reasons: list[str] = []
    for name in group.flavors:
        if why := _mismatch(
            flavors[name], pods, {k for f in group.flavors for k in flavors[f].labels}
        ):
            reasons.append(why)
            continue
        if other := next((held[it] for it in group.resources if held.get(it, name) != name), ""):
            why = f"could not assign {name} flavor since the original workload is assigned: {other}"
            reasons.append(why)
            continue
        fit, borrows = Fit.FREE, False
        for resource in set(group.resources) & set(pods.requests):
            key = name, resource
            amount = used.get(key, _ZERO) + pods.requests[resource]
            mode, why = _of_resource(queue, key, amount, used.get(key, _ZERO))
            fit, borrows = min(fit, mode), borrows or _borrows(queue, key, amount)
            reasons += [why] if why else []
        if (fit, not borrows) > best or not chosen:
            best, chosen = (fit, not borrows), name
        if _settles(queue, fit, borrows=borrows):
            break
    return best[0], chosen, [] if best[0] is Fit.FREE else reasons


def _settles(queue: Queue, fit: Fit, *, borrows: bool) -> bool:
    """Whether the search ends with this flavor."""
    if fit is Fit.FREE:
        return not (borrows and queue.policy.tries_next_to_borrow)
    return fit is Fit.PREEMPT and not queue.policy.tries_next_to_preempt


def _borrows(queue: Queue, key: FlavorResource, amount: Fraction) -> bool:
    return queue.holder.usage(key) + amount > queue.holder.quota(key)


def _of_resource(
    queue: Queue, key: FlavorResource, amount: Fraction, before: Fraction
) -> tuple[Fit, str]:
    (flavor, resource), holder = key, queue.holder
    free, capacity = holder.free(key), holder.capacity(key)
    if amount > capacity:
        return Fit.NONE, (
            f"insufficient quota for {resource} in flavor {flavor}, previously considered podsets "
            f"requests ({quantity.render(before)}) + current podset request "
            f"({quantity.render(amount - before)}) > maximum capacity ({quantity.render(capacity)})"
        )
    if amount <= free:
        return Fit.FREE, ""
    more = quantity.render(amount - free)
    why = f"insufficient unused quota for {resource} in flavor {flavor}, {more} more needed"
    may = holder.quota(key) >= amount or holder.parent or queue.policy.preempts_to_borrow
    return (Fit.PREEMPT if may else Fit.NONE), why


def _mismatch(flavor: Flavor, pods: PodSet, keys: set[str]) -> str:
    """Why no node of the flavor takes the pods; only labels that some flavor has are looked at."""
    tolerations = [*maps(pods.spec.get("tolerations")), *flavor.tolerations]
    for taint in flavor.taints:
        node = Node(name="", pool="", taints=(taint,))
        if not admits({"tolerations": tolerations}, node):
            named = f"{taint.key}={taint.value}:{taint.effect}"
            return f"untolerated taint {named} in flavor {flavor.name}"
    selector = dict(_selected(pods, keys))
    if any(flavor.labels.get(key) != value for key, value in selector.items()):
        return f"flavor {flavor.name} doesn't match node affinity"
    return ""


def _selected(pods: PodSet, keys: set[str]) -> Iterator[tuple[str, str]]:
    selector: Mapping[str, str] = pods.spec.get("nodeSelector") or {}
    return ((key, value) for key, value in selector.items() if key in keys)
