"""What a workload gets of its queue: the first flavor of each resource in which its pods fit into
what is left of the nominal quota, and of that of the queues of its cohort.

The words are those of kubernetes-sigs/kueue pkg/scheduler/flavorassigner/flavorassigner.go and
pkg/cache/scheduler/clusterqueue.go, v0.19.2.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping
from fractions import Fraction
from typing import Any

from sandbox.kube import quantity
from sandbox.kube.kueue import cohort_of, flavors_of
from sandbox.kube.objects import JsonObject, Node, Taint, dig, maps, name_of
from sandbox.kube.scheduler import admits, selects
from sandbox.kube.store import Store
from sandbox.memory_kube.kueue.jobs import PodSet

# Said wherever the real Kueue might do more than is done here.
NOT_SIMULATED = (
    "queues are not simulated beyond what is free; run `make kube-tools`, then --kube real"
)
_LACKS = "insufficient "
Why = tuple[str, str]
Flavors = dict[str, str]
_Amounts = defaultdict[tuple[str, str], Fraction]


class Quota:
    """A ClusterQueue's flavors, and what is used of them."""

    def __init__(self, store: Store, queue: JsonObject) -> None:
        self.queue = queue
        self.inactive = next(_why_inactive(store, queue), None)
        self._flavors = {name_of(each): each["spec"] for each in store.all("ResourceFlavor")}
        self._used = _Amounts(Fraction)
        self._quotas = {
            (flavor["name"], one["name"]): one
            for flavor in flavors_of(queue)
            for one in maps(flavor["resources"])
        }
        # The others of its cohort; those of the cohorts above are not simulated.
        self.lenders: Collection[Quota] = ()

    def take(self, admission: Mapping[str, Any]) -> None:
        for one in maps(admission["podSetAssignments"]):
            for resource, flavor in one["flavors"].items():
                self._used[flavor, resource] += quantity.parse(one["resourceUsage"][resource])

    def assign(self, sets: Collection[PodSet]) -> dict[str, Flavors] | str:
        """The flavors by pod set and resource, or why there are none."""
        found: dict[str, Flavors] = {}
        taken = _Amounts(Fraction)
        for pods in sets:
            found[pods.name] = {}
            for group in self._groups(pods):
                flavor = self._flavor_of(group, pods, taken)
                if flavor is None:
                    why = self._why_none(group, pods, taken)
                    return f"couldn't assign flavors to pod set {pods.name}: {why}"
                for resource in {*group["coveredResources"]} & {*pods.requests}:
                    found[pods.name][resource] = flavor
                    taken[flavor, resource] += pods.requests[resource]
        return found

    def _groups(self, pods: PodSet) -> list[JsonObject]:
        """Those that the pods need something of; one without flavors for what no queue covers."""
        groups = maps(self.queue["spec"].get("resourceGroups"))
        covered = {name for group in groups for name in group["coveredResources"]}
        lacking = {name for name, amount in pods.requests.items() if amount} - {"pods", *covered}
        missing = [{"coveredResources": [it], "flavors": []} for it in sorted(lacking)]
        return missing + [it for it in groups if {*it["coveredResources"]} & {*pods.requests}]

    def _flavor_of(self, group: JsonObject, pods: PodSet, taken: _Amounts) -> str | None:
        flavors = maps(group["flavors"])
        free = [it["name"] for it in flavors if not any(self._obstacles(group, it, pods, taken))]
        borrows = dig(self.queue, "spec", "flavorFungibility", "whenCanBorrow")
        own = (it for it in free if not self._borrows(it, group, pods, taken))
        first = next(iter(free), None)
        return next(own, first) if borrows == "TryNextFlavor" else first

    def _borrows(self, flavor: str, group: JsonObject, pods: PodSet, taken: _Amounts) -> bool:
        keys = [(flavor, it) for it in group["coveredResources"]]
        return any(
            self._used[key] + taken[key] + pods.requests.get(key[1], Fraction(0))
            > quantity.parse(self._quotas[key]["nominalQuota"])
            for key in keys
        )

    def _why_none(self, group: JsonObject, pods: PodSet, taken: _Amounts) -> str:
        if not group["flavors"]:
            (resource,) = group["coveredResources"]
            return f"resource {resource} unavailable in ClusterQueue"
        flavors = maps(group["flavors"])
        whys = sorted(why for it in flavors for why in self._obstacles(group, it, pods, taken))
        lacks = any(why.startswith(_LACKS) for why in whys)
        return ", ".join(whys + ([NOT_SIMULATED] if lacks and _does_more(self.queue) else []))

    def _obstacles(
        self, group: JsonObject, flavor: JsonObject, pods: PodSet, taken: _Amounts
    ) -> Iterator[str]:
        keys = {key for it in group["flavors"] for key in self._labels(it["name"])}
        mismatches = [*self._mismatches(flavor["name"], pods, keys)]
        yield from mismatches or self._lacks(flavor, pods, taken)

    def _labels(self, flavor: str) -> Mapping[str, str]:
        return self._flavors[flavor].get("nodeLabels") or {}

    def _mismatches(self, name: str, pods: PodSet, keys: Collection[str]) -> Iterator[str]:
        """Why no node of the flavor takes the pods; only labels that some flavor has are asked."""
        flavor = self._flavors[name]
        tolerations = maps(pods.spec.get("tolerations")) + maps(flavor.get("tolerations"))
        for taint in maps(flavor.get("nodeTaints")):
            own = Taint(key=taint["key"], value=taint.get("value") or "", effect=taint["effect"])
            if not admits({"tolerations": tolerations}, Node(name="", pool="", taints=(own,))):
                named = f"{own.key}={own.value}:{own.effect}"
                yield f"untolerated taint {named} in flavor {name}"
        node = Node(name="", pool="", labels=self._labels(name))
        if not selects(_only(pods.spec, keys), node):
            yield f"flavor {name} doesn't match node affinity"

    def _lacks(self, flavor: JsonObject, pods: PodSet, taken: _Amounts) -> Iterator[str]:
        for one in maps(flavor["resources"]):
            key = (flavor["name"], one["name"])
            most, free = self._room(key)
            asked, before = pods.requests.get(one["name"], Fraction(0)), taken[key]
            which = f"for {one['name']} in flavor {flavor['name']}"
            if before + asked > most:
                yield (
                    f"insufficient quota {which}, previously considered podsets requests "
                    f"({quantity.render(before)}) + current podset request "
                    f"({quantity.render(asked)}) > maximum capacity ({quantity.render(most)})"
                )
            elif asked and (more := before + asked - max(free, 0)) > 0:
                yield f"insufficient unused quota {which}, {quantity.render(more)} more needed"

    def _room(self, key: tuple[str, str]) -> tuple[Fraction, Fraction]:
        """The most that the queue could ever have, and what it could have now."""
        nominal = quantity.parse(self._quotas[key]["nominalQuota"])
        most = nominal + sum(it._lent(key, Fraction(0)) for it in self.lenders)
        free = nominal - self._used[key] + sum(it._lent(key, it._used[key]) for it in self.lenders)
        if (limit := self._quotas[key].get("borrowingLimit")) is not None:
            own = nominal + quantity.parse(limit)
            most, free = min(most, own), min(free, own - self._used[key])
        return most, free

    def _lent(self, key: tuple[str, str], used: Fraction) -> Fraction:
        """What others may have of the queue's quota; below zero what it has of theirs."""
        if (one := self._quotas.get(key)) is None:
            return Fraction(0)
        left = quantity.parse(one["nominalQuota"]) - used
        limit = one.get("lendingLimit")
        return left if limit is None else min(left, quantity.parse(limit))

    def usage(self) -> list[JsonObject]:
        return [
            {
                "name": flavor["name"],
                "resources": [
                    self._use(flavor["name"], one["name"]) for one in maps(flavor["resources"])
                ],
            }
            for flavor in flavors_of(self.queue)
        ]

    def _use(self, flavor: str, resource: str) -> JsonObject:
        used = self._used[flavor, resource]
        borrowed = used - quantity.parse(self._quotas[flavor, resource]["nominalQuota"])
        return {
            "name": resource,
            "total": quantity.render(used),
            "borrowed": quantity.render(max(borrowed, Fraction(0))),
        }


def checks_of(queue: Mapping[str, Any]) -> list[str]:
    spec = queue["spec"]
    checks = maps(dig(spec, "admissionChecksStrategy", "admissionChecks"))
    return [each["name"] for each in checks] + (spec.get("admissionChecks") or [])


def _does_more(queue: JsonObject) -> bool:
    """Whether the real Kueue might borrow from further up for the queue, or stop others."""
    preemption: Mapping[str, Any] = queue["spec"].get("preemption") or {}
    return bool(cohort_of(queue)) or any(it not in ("Never", None) for it in preemption.values())


def _why_inactive(store: Store, queue: JsonObject) -> Iterator[Why]:
    if (queue["spec"].get("stopPolicy") or "None") != "None":
        yield "Stopped", "is stopped"
    flavors = [each["name"] for each in flavors_of(queue)]
    named = {"ResourceFlavor": flavors, "AdmissionCheck": checks_of(queue)}
    for kind, names in named.items():
        have = {name_of(each) for each in store.all(kind)}
        if missing := [name for name in names if name not in have]:
            reason = f"{kind.removeprefix('Resource')}NotFound"
            yield reason, f"references missing {kind}(s): {','.join(missing)}"
    # Nothing here makes Kueue's requests, so what waits for an answer would wait for ever.
    if checks_of(queue):
        yield "NotSimulated", f"admission checks: {NOT_SIMULATED}"
    topologies = {name_of(each) for each in store.all("Topology")}
    for each in store.all("ResourceFlavor"):
        flavor, topology = name_of(each), each["spec"].get("topologyName")
        if flavor in flavors and topology and topology not in topologies:
            yield "TopologyNotFound", f'there is no Topology "{topology}" for TAS flavor "{flavor}"'


def _only(spec: Mapping[str, Any], keys: Collection[str]) -> JsonObject:
    """What a pod's spec asks of nodes by these labels (flavorassigner.go, flavorSelector)."""
    selector = {key: it for key, it in (spec.get("nodeSelector") or {}).items() if key in keys}
    path = ("affinity", "nodeAffinity", "requiredDuringSchedulingIgnoredDuringExecution")
    terms = [
        {
            "matchExpressions": [
                one for one in maps(it.get("matchExpressions")) if one["key"] in keys
            ]
        }
        for it in maps(dig(spec, *path, "nodeSelectorTerms"))
    ]
    # Terms are alternatives, and one that asks nothing lets every flavor through.
    if not terms or not all(it["matchExpressions"] for it in terms):
        return {"nodeSelector": selector}
    required = {path[-1]: {"nodeSelectorTerms": terms}}
    return {"nodeSelector": selector, "affinity": {"nodeAffinity": required}}
