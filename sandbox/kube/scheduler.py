"""Which node takes which pod. A pure function: pods and nodes in, places and reasons out.

Left out of what kube-scheduler does: preemption, affinity between pods other than that of one TPU
slice, topology spread, host ports.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from typing import Any

from kube import quantity
from kube.objects import DeviceRequest, Node, Taint, dig, maps, matches_expression
from kube.pod_requests import Amounts, requests_of
from kube.taints import tolerates

_DEFAULT_PODS = "110"
_NOT_SELECTED = "node(s) didn't match Pod's node affinity/selector"


@dataclass(frozen=True, kw_only=True)
class Candidate:
    """A pod that wants a node or has one; `blocked` says why no node may take it yet, and `only`
    names the one node that may. `choices` are other specs of it, of which the first that finds a
    node counts. Pods of one `slice` share a node pool with no other slice; `claims` are devices of
    the node. No node is made for one `of_every_node`, a DaemonSet's."""

    key: str
    spec: Mapping[str, Any]
    choices: tuple[Mapping[str, Any], ...] = ()
    priority: int = 0
    node: str = ""
    blocked: str = ""
    only: str = ""
    slice: str = ""
    claims: tuple[DeviceRequest, ...] = ()
    of_every_node: bool = False


@dataclass(frozen=True, kw_only=True)
class Place:
    node: str = ""
    reason: str = ""


@dataclass
class _Room:
    node: Node
    stands: bool = False
    free: dict[str, Fraction] = field(default_factory=dict[str, Fraction])
    devices: dict[str, int] = field(default_factory=dict[str, int])

    def __post_init__(self) -> None:
        self.stands = not self.node.comes
        self.devices = dict(self.node.devices)
        given = {"pods": _DEFAULT_PODS, **self.node.allocatable}
        self.free = {name: quantity.parse(amount) for name, amount in given.items()}

    def lacks(self, wanted: Amounts) -> list[str]:
        return [name for name, amount in wanted.items() if amount and amount > self._free(name)]

    def _free(self, name: str) -> Fraction:
        if name == "ephemeral-storage" and name not in self.free:
            return Fraction(2**62)
        return self.free.get(name, Fraction(0))

    def take(self, pod: Candidate) -> None:
        self.stands = self.stands or not pod.of_every_node
        for name, amount in requests_of(pod.spec).items():
            if name in self.free:
                self.free[name] -= amount
        left = self.after(pod.claims)
        assert left is not None, "a pod is placed where its claims can be allocated"
        self.devices = left

    def after(self, claims: Sequence[DeviceRequest]) -> dict[str, int] | None:
        """The devices that are left; None where not all claims can be allocated."""
        left = dict(self.devices)
        for claim in claims:
            name = claim.device_class
            count = self.node.devices.get(name, 0) if claim.count is None else claim.count
            if not 0 < count <= left.get(name, 0):
                return None
            left[name] -= count
        return left

    def emptiness(self) -> Fraction:
        """The mean free share of cpu and memory: the emptiest node is taken first."""
        shares = [self._share(name) for name in ("cpu", "memory")]
        return sum(shares, Fraction(0)) / len(shares)

    def _share(self, name: str) -> Fraction:
        total = quantity.parse(self.node.allocatable.get(name, "0"))
        return self._free(name) / total if total else Fraction(0)


@dataclass
class _Slices:
    """Which slice is on which node pool."""

    homes: dict[str, str] = field(default_factory=dict[str, str])

    # kubernetes/kubernetes pkg/scheduler/framework/plugins/interpodaffinity/filtering.go:39-41,
    # v1.35.4.
    def against(self, pod: Candidate, node: Node) -> str:
        if pod.slice and self.homes.get(pod.slice, node.pool) != node.pool:
            return "node(s) didn't match pod affinity rules"
        others = {pool for name, pool in self.homes.items() if name != pod.slice}
        if pod.slice and node.pool in others:
            return "node(s) didn't match pod anti-affinity rules"
        return ""

    def take(self, pod: Candidate, node: Node) -> None:
        if pod.slice:
            self.homes[pod.slice] = node.pool


def place(pods: Iterable[Candidate], nodes: Sequence[Node]) -> dict[str, Place]:
    """Pods keep a node that still holds them; then the others by priority, oldest first."""
    rooms = {node.name: _Room(node) for node in nodes}
    slices, places = _Slices(), dict[str, Place]()
    waiting: list[Candidate] = []
    for pod in pods:
        room = rooms.get(pod.node)
        if room and _stays(pod, room) and not slices.against(pod, room.node):
            room.take(pod)
            slices.take(pod, room.node)
            places[pod.key] = Place(node=pod.node)
        else:
            waiting.append(pod)
    for pod in sorted(waiting, key=lambda pod: -pod.priority):
        places[pod.key] = _choose(pod, list(rooms.values()), slices)
    return places


def _stays(pod: Candidate, room: _Room) -> bool:
    held = not room.lacks(requests_of(pod.spec)) and room.after(pod.claims) is not None
    specs = pod.choices or (pod.spec,)
    return held and not all(_repelling(it, room.node, ("NoExecute",)) for it in specs)


def _choose(pod: Candidate, rooms: list[_Room], slices: _Slices) -> Place:
    if pod.blocked:
        return Place(reason=pod.blocked)
    rooms = [room for room in rooms if pod.only in ("", room.node.name)]
    if not rooms:
        return Place(reason="no nodes available to schedule pods")
    reasons: list[str] = []
    for spec in pod.choices or (pod.spec,):
        found = _choose_for(replace(pod, spec=spec), rooms, slices)
        if found.node:
            return found
        reasons.append(found.reason)
    return Place(reason="; ".join(dict.fromkeys(reasons)))


def _choose_for(pod: Candidate, rooms: list[_Room], slices: _Slices) -> Place:
    wanted = requests_of(pod.spec)
    against: Counter[str] = Counter()
    open_rooms: list[_Room] = []
    for room in rooms:
        if reasons := _against(pod, wanted, room, slices):
            against.update(reasons)
        else:
            open_rooms.append(room)
    if not open_rooms:
        counts = ", ".join(sorted(f"{count} {text}" for text, count in against.items()))
        return Place(reason=f"0/{len(rooms)} nodes are available: {counts}.")
    # The autoscaler makes a node for a pod that has room on none that stands. max takes the first
    # of equals, so the order of the nodes decides.
    best = max(
        open_rooms,
        key=lambda room: (room.stands, -_unwelcome(pod.spec, room.node), room.emptiness()),
    )
    best.take(pod)
    slices.take(pod, best.node)
    return Place(node=best.node.name)


def _against(pod: Candidate, wanted: Amounts, room: _Room, slices: _Slices) -> list[str]:
    # One plugin after the other, as kube-scheduler: the first that refuses speaks.
    if taint := _repelling(pod.spec, room.node, ("NoSchedule", "NoExecute")):
        return [f"node(s) had untolerated taint {{{taint.key}: {taint.value}}}"]
    if not selects(pod.spec, room.node):
        return [_NOT_SELECTED]
    if lacking := room.lacks(wanted):
        return ["Too many pods" if name == "pods" else f"Insufficient {name}" for name in lacking]
    if apart := slices.against(pod, room.node):
        return [apart]
    return [] if room.after(pod.claims) is not None else ["cannot allocate all claims"]


def fits(spec: Mapping[str, Any], room: Mapping[str, str]) -> bool:
    """Whether a pod alone finds room, counting only what `room` names."""
    wanted = requests_of(spec)
    return all(wanted.get(name, 0) <= quantity.parse(amount) for name, amount in room.items())


def admits(spec: Mapping[str, Any], node: Node) -> bool:
    """Whether a node is one for the pod at all, whatever room it has (a DaemonSet's question)."""
    return selects(spec, node) and not _repelling(spec, node, ("NoSchedule", "NoExecute"))


def _repelling(spec: Mapping[str, Any], node: Node, effects: tuple[str, ...]) -> Taint | None:
    return next(_untolerated(spec, node, effects), None)


def _unwelcome(spec: Mapping[str, Any], node: Node) -> int:
    """Of how many taints the node would rather not have the pod."""
    return len(list(_untolerated(spec, node, ("PreferNoSchedule",))))


def _untolerated(spec: Mapping[str, Any], node: Node, effects: tuple[str, ...]) -> Iterator[Taint]:
    tolerations = maps(spec.get("tolerations"))
    for taint in node.taints:
        if taint.effect in effects and not any(tolerates(t, taint) for t in tolerations):
            yield taint


def selects(spec: Mapping[str, Any], node: Node) -> bool:
    selector = spec.get("nodeSelector") or {}
    labels = dict(node.labels)
    if any(labels.get(key) != value for key, value in selector.items()):
        return False
    path = ("affinity", "nodeAffinity", "requiredDuringSchedulingIgnoredDuringExecution")
    required = dig(spec, *path)
    if required is None:
        return True
    return any(_term_selects(t, labels, node.name) for t in maps(required.get("nodeSelectorTerms")))


def _term_selects(term: Mapping[str, Any], labels: dict[str, str], name: str) -> bool:
    by_label, by_field = maps(term.get("matchExpressions")), maps(term.get("matchFields"))
    if not by_label and not by_field:
        return False
    fields = {"metadata.name": name}
    return all(matches_expression(e, labels) for e in by_label) and all(
        matches_expression(e, fields) for e in by_field
    )
