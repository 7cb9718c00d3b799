"""Why a pod's claims of devices cannot be met. Pure.

The scheduler says only that it cannot allocate all claims, of whichever claim and for whichever
reason (kubernetes/kubernetes pkg/scheduler/framework/plugins/dynamicresources/dynamicresources.go,
00d3750): what is in the way is found as it looks for devices, class, then number, then who has
them, then what they must have in common.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from aistack.offered import kubectl
from aistack.why.devices import Device, Devices, Request, Together, Wanted, most_together
from aistack.why.snapshot import Reason, Snapshot, listed, unscheduled
from kube.objects import JsonObject, dig, labels_of, name_of

_REFUSED = re.compile(r"cannot allocate all claims|device class (?P<name>\S+) does not exist")
_WAIT = "Wait until they are given back, or claim fewer."


def claim_not_met(it: Snapshot) -> Reason | None:
    for member, message in unscheduled(it):
        if (refused := _REFUSED.search(message)) is None:
            continue
        devices = it.devices or Devices()
        requests, together = devices.asked(member.pod)
        if not requests:
            return _unknown(refused["name"])
        search = _Search(devices, requests, together, _nodes(it, member.pod))
        return search.reason() or _not_allocated(requests)
    return None


def _nodes(it: Snapshot, pod: JsonObject) -> Sequence[str] | None:
    """Names of the nodes that the pod selects; None where nodes may not be seen."""
    if it.nodes is None:
        return None
    selector: JsonObject = dig(pod, "spec", "nodeSelector") or {}
    return [name_of(one) for one in it.nodes if selector.items() <= labels_of(one).items()]


def _unknown(device_class: str | None) -> Reason:
    if device_class is None:
        return _not_allocated(())
    return Reason(
        "device-class-missing",
        f"It claims devices of class {device_class}, which the cluster does not have.",
        "Install the driver that brings the class, or claim of one that is there.",
    )


def _not_allocated(requests: Sequence[Request]) -> Reason:
    what = " and ".join(_asks(requests, it) for it in _kinds(requests)) or "the devices"
    return Reason(
        "claim-not-allocated", f"No node has {what} free, which {_claims(requests)} for.", _WAIT
    )


@dataclass(frozen=True)
class _Search:
    devices: Devices
    requests: Sequence[Request]
    together: Sequence[Together]
    nodes: Sequence[str] | None

    def reason(self) -> Reason | None:
        steps: Sequence[Callable[[], Reason | None]] = (
            self._no_class,
            self._none_published,
            self._too_few,
            self._given_to_others,
            self._apart,
        )
        return next((found for step in steps if (found := step()) is not None), None)

    def _no_class(self) -> Reason | None:
        known = self.devices.classes
        for wanted in _kinds(self.requests):
            if known is not None and wanted.device_class not in {name_of(it) for it in known}:
                near = f": {listed(sorted(name_of(it) for it in known))}" if known else ""
                return Reason(
                    "device-class-missing",
                    f"{self._subject(wanted)}, and the cluster has no such class.",
                    f"Install the driver that brings it, or claim of a class that is there{near}.",
                )
        return None

    def _none_published(self) -> Reason | None:
        for wanted in _kinds(self.requests):
            if self.devices.slices is not None and not self._most(wanted, self._usable):
                whose = "no node publishes any"
                if self.devices.of(wanted, self.devices.published):
                    whose = "none of the nodes that it selects publishes any"
                return Reason(
                    "no-devices",
                    f"{self._subject(wanted)}, and {whose}.",
                    "See whether the driver of that class runs on the nodes, and whether they have "
                    f"the label that it asks for: `{kubectl('get', 'resourceslices')}`.",
                )
        return None

    def _too_few(self) -> Reason | None:
        """On one node, for all of a pod's devices are in the same."""
        for wanted in self._lacking(self._usable):
            most = self._most(wanted, self._usable)
            return Reason(
                "too-few-devices",
                f"{self._subject(wanted)}, and a node publishes {most} at the most.",
                f"Claim {most} at the most for a pod, and let more pods share the work.",
            )
        return None

    def _given_to_others(self) -> Reason | None:
        for wanted in self._lacking(self._free):
            left = self._most(wanted, self._free)
            return Reason(
                "devices-taken",
                f"{self._subject(wanted)}, and a node has {left} free at the most: "
                f"{self._holders([wanted])}.",
                _WAIT,
            )
        return None

    def _apart(self) -> Reason | None:
        groups = self.together
        if not groups or self.devices.slices is None:
            return None
        free = max(most_together(groups, self.devices, it) for it in self._by_node(self._free))
        if free == len(groups):
            return None
        ever = max(most_together(groups, self.devices, it) for it in self._by_node(self._usable))
        kinds = list(dict.fromkeys(kind for it in groups for kind in it.counts))
        asks, short = _asks_together(groups, kinds), groups[0].attribute.rpartition("/")[2]
        if ever < len(groups):
            return Reason(
                "devices-apart",
                f"{asks}, and a node publishes {ever or 'none'} such at the most.",
                f"Claim {ever} at the most for a pod, or take that condition out of the claim."
                if ever
                else f"Take that condition out, or see whether the drivers publish {short}.",
            )
        return Reason(
            "devices-taken",
            f"{asks}, and a node has {free or 'none'} such free at the most: "
            f"{self._holders(kinds)}.",
            _WAIT,
        )

    # -- what is there

    @property
    def _usable(self) -> list[Device]:
        nodes = self.nodes
        return [it for it in self.devices.published if nodes is None or it.node in (*nodes, "")]

    @property
    def _free(self) -> list[Device]:
        return [it for it in self._usable if it.id not in self.devices.holders]

    def _by_node(self, among: Sequence[Device]) -> list[list[Device]]:
        nodes = dict.fromkeys(it.node for it in self._usable)
        return [[it for it in among if it.node in (node, "")] for node in nodes] or [[]]

    def _most(self, wanted: Wanted, among: Sequence[Device]) -> int:
        return max(len(self.devices.of(wanted, it)) for it in self._by_node(among))

    def _lacking(self, among: Sequence[Device]) -> list[Wanted]:
        """The kinds that the node lacks that lacks the fewest; none where one has all."""
        if self.devices.slices is None:
            return []
        kinds = _kinds(self.requests)
        lacking = [
            [kind for kind in kinds if len(self.devices.of(kind, it)) < self._count(kind)]
            for it in self._by_node(among)
        ]
        return min(lacking, key=len)

    # -- in words

    def _count(self, wanted: Wanted) -> int:
        return sum(it.count for it in self.requests if it.wanted == wanted)

    def _subject(self, wanted: Wanted) -> str:
        own = [it for it in self.requests if it.wanted == wanted]
        claims = _claims(own)
        return f"{claims[0].upper()}{claims[1:]} for {_asks(self.requests, wanted)}"

    def _holders(self, kinds: Sequence[Wanted]) -> str:
        given = self.devices.holders
        of_kind = {it.id for kind in kinds for it in self.devices.of(kind, self._usable)}
        found = Counter(given[it] for it in sorted(of_kind) if it in given)
        if not found:
            return "others have them"
        return listed([f"{name} has {count}" for name, count in found.most_common()])


def _asks_together(groups: Sequence[Together], kinds: Sequence[Wanted]) -> str:
    classes = " and ".join(dict.fromkeys(it.device_class for it in kinds))
    times = f" {len(groups)} times" if len(groups) > 1 else ""
    short = groups[0].attribute.rpartition("/")[2]
    return f"The claim {groups[0].claim} asks{times} for devices of {classes} at one {short}"


def _kinds(requests: Sequence[Request]) -> list[Wanted]:
    return list(dict.fromkeys(it.wanted for it in requests))


def _claims(requests: Sequence[Request]) -> str:
    names = list(dict.fromkeys(it.claim for it in requests))
    match names:
        case []:
            return "its claims ask"
        case [name]:
            return f"the claim {name} asks"
        case _:
            return f"the claims {' and '.join(names)} ask"


def _asks(requests: Sequence[Request], wanted: Wanted) -> str:
    count = sum(it.count for it in requests if it.wanted == wanted)
    devices = "a device" if count == 1 else f"{count} devices"
    return f"{devices} of class {wanted.device_class}"
