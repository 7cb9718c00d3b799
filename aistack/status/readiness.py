"""What of a stack can be used, and what is missing where it cannot. Pure.

Each rule yields a sentence for each thing that is missing. An area that the stack has no use for is
left out.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from aistack import offered as commands
from aistack.status.pools import (
    accelerated,
    facts,
    is_healthy,
    nodes_in,
    offered,
    pool_name,
    published,
)
from aistack.status.queues import door
from aistack.status.snapshot import Record, Snapshot
from aistack.status.software import controllers
from aistack.why.snapshot import listed
from catalog import Catalog
from kube.jobs import State as JobState
from kube.jobs import condition, is_server, pod_groups, state_of
from kube.kinds import (
    CLUSTER_QUEUE,
    CSI_DRIVER,
    DAEMON_SET,
    DEPLOYMENT,
    DRANET_DRIVER,
    NETWORK,
    NODE,
    RAY_CLUSTER,
    RESOURCE_SLICE,
    Kind,
)
from kube.node_pools import additional_networks, is_dranet
from kube.objects import JsonObject, dig, maps, name_of, namespace_of
from kube.reading import whole
from stacks.refusal import NODE_POOL

_CLAIM = "kubernetes:core/v1:PersistentVolumeClaim"
_VOLUME = "kubernetes:core/v1:PersistentVolume"
_DAEMON_SET = "kubernetes:apps/v1:DaemonSet"
_DEPLOYMENT = "kubernetes:apps/v1:Deployment"
_RAY_CLUSTER = "kubernetes:ray.io/v1:RayCluster"
_NETWORK = "kubernetes:networking.gke.io/v1:Network"
_OFFERED = "networking.gke.io.networks/"
_UNANSWERED = re.compile(r'failed calling webhook "(?P<hook>[^"]+)": (?P<why>.+)')


class State(StrEnum):
    READY = "ready"
    NOT_READY = "not ready"
    HIDDEN = "hidden"


@dataclass(frozen=True)
class Readiness:
    area: str
    state: State
    missing: Sequence[str]


@dataclass(frozen=True, kw_only=True)
class _Area:
    """`asked` says whether the stack has a use for it; without `needs` nothing is known of it."""

    name: str
    rule: Callable[[Snapshot], Iterator[str]]
    asked: Callable[[Snapshot], object] = lambda it: True
    needs: Sequence[Kind] = ()


def readiness(it: Snapshot) -> Sequence[Readiness]:
    return [_judged(area, it) for area in _AREAS if area.asked(it)]


def _judged(area: _Area, it: Snapshot) -> Readiness:
    if not it.sees(*area.needs) or (area.name == "webhooks" and it.refusals is None):
        return Readiness(area.name, State.HIDDEN, ())
    missing = tuple(area.rule(it))
    return Readiness(area.name, State.NOT_READY if missing else State.READY, missing)


def nodes(it: Snapshot) -> Iterator[str]:
    catalog = Catalog.load()
    for pool in it.made(NODE_POOL):
        name, least = pool_name(pool), facts(pool, catalog).low
        there = nodes_in(it, name)
        if len(there) < least:
            nodes_wanted = f"{least} node{'' if least == 1 else 's'} that it wants"
            yield f"The pool {name} has {len(there)} of the {nodes_wanted}."
    sick = [node for node in it.seen(NODE) if not is_healthy(node)]
    for node in sick:
        yield f"The node {name_of(node)} {_sickness(node)}."


def _sickness(node: JsonObject) -> str:
    if dig(node, "spec", "unschedulable"):
        return "is cordoned and takes no pods"
    found = (it for it in maps(dig(node, "status", "conditions")) if it["type"] == "Ready")
    said = str(next(found, {}).get("message") or "its kubelet says nothing").rstrip(".")
    return f"is not ready: {said}"


def devices(it: Snapshot) -> Iterator[str]:
    """A node offers them once their driver and their device plugin, or the driver for claims, are
    there."""
    for node in accelerated(it.seen(NODE)):
        if not offered(it, node):
            yield (
                f"The node {name_of(node)} offers none of its accelerators: their driver or device "
                "plugin is not there yet."
            )


def drivers(it: Snapshot) -> Iterator[str]:
    """What the stack installs on nodes, and what its volumes are mounted by."""
    there = {(namespace_of(one), name_of(one)): one for one in it.seen(DAEMON_SET)}
    for record in it.made(_DAEMON_SET):
        namespace, name = _place(record)
        found = there.get((namespace, name))
        if found is None:
            yield f"The DaemonSet {namespace}/{name} is not there."
            continue
        wanted = whole(dig(found, "status", "desiredNumberScheduled"))
        ready = whole(dig(found, "status", "numberReady"))
        if ready < wanted:
            yield f"{name} is installed on {ready} of {wanted} nodes."
    installed = {name_of(one) for one in it.seen(CSI_DRIVER)}
    wanted_drivers = {dig(one.inputs, "spec", "csi", "driver") for one in it.made(_VOLUME)}
    for driver in sorted(filter(None, wanted_drivers - installed)):
        yield f"The driver {driver}, which mounts volumes, is not installed."


def interfaces(it: Snapshot) -> Iterator[str]:
    there = {name_of(one): one for one in it.seen(NETWORK)}
    for _, name in map(_place, it.made(_NETWORK)):
        if name not in there:
            yield f"The network {name} is not there."
        elif condition(there[name], "Ready") is None:
            yield f"The network {name} is not ready{_said(there[name], 'Ready')}."
    for pool in _with_networks(it):
        wanted = len(list(additional_networks(pool.inputs)))
        for node in nodes_in(it, pool_name(pool)):
            found = (
                published(it, node, DRANET_DRIVER) if is_dranet(pool.inputs) else _networks(node)
            )
            if found < wanted:
                yield f"The node {name_of(node)} offers {found} of its {wanted} interfaces."


def _networks(node: JsonObject) -> int:
    amounts = dig(node, "status", "allocatable") or {}
    names = {it.removesuffix(".IP") for it in amounts if it.startswith(_OFFERED)}
    return len(names)


def _with_networks(it: Snapshot) -> Sequence[Record]:
    """Pools whose interfaces pods can ask for: by Network objects, or of DRANET."""
    named = any(it.made(_NETWORK))
    return [
        pool
        for pool in it.made(NODE_POOL)
        if any(additional_networks(pool.inputs)) and (named or is_dranet(pool.inputs))
    ]


def operators(it: Snapshot) -> Iterator[str]:
    there = {operator.value: one for operator, one in controllers(it).items()}
    for name in it.outputs.get("operators") or ():
        found = there.get(name)
        if found is None:
            yield f"The controller of {name} is not there."
        elif not dig(found, "status", "readyReplicas"):
            where = f"{namespace_of(found)}/{name_of(found)}"
            yield f"The controller of {name}, {where}, has no pod that is ready."


def webhooks(it: Snapshot) -> Iterator[str]:
    """Each once, with the kinds of objects that cannot be made without it."""
    away: dict[tuple[str, str], list[str]] = {}
    for kind, said in (it.refusals or {}).items():
        if match := _UNANSWERED.search(said):
            why = match["why"].rpartition(": ")[2]
            away.setdefault((match["hook"], why), []).append(kind)
    for (hook, why), kinds in away.items():
        yield f"The webhook {hook} does not answer ({why}): no {listed(kinds, 5)} can be made."


def queues(it: Snapshot) -> Iterator[str]:
    for queue in it.seen(CLUSTER_QUEUE):
        if condition(queue, "Active") is None:
            yield f"The cluster queue {name_of(queue)} admits nothing{_said(queue, 'Active')}."
    for queue in it.local_queues:
        if condition(queue, "Active") is None:
            yield f"The queue {door(queue)} lets nothing in{_said(queue, 'Active')}."


def storage(it: Snapshot) -> Iterator[str]:
    there = {(namespace_of(one), name_of(one)): one for one in it.claims}
    for record in it.made(_CLAIM):
        namespace, name = _place(record)
        if namespace not in it.namespaces:
            continue
        phase = dig(there.get((namespace, name)), "status", "phase")
        if phase is None:
            yield f"The volume claim {namespace}/{name} is not there."
        elif phase != "Bound":
            yield f"The volume claim {namespace}/{name} has no volume: it is {phase}."


def servers(it: Snapshot) -> Iterator[str]:
    """Model servers answer as many as the stack wants, by their own probe."""
    yield from _unusable(it, "model server", DEPLOYMENT, _servers(it))


def ray(it: Snapshot) -> Iterator[str]:
    yield from _unusable(it, "Ray cluster", RAY_CLUSTER, it.made(_RAY_CLUSTER))


def _unusable(it: Snapshot, noun: str, kind: Kind, records: Iterable[Record]) -> Iterator[str]:
    found = {(namespace_of(one), name_of(one)): one for one in it.seen(kind)}
    for record in records:
        namespace, name = _place(record)
        obj = found.get((namespace, name))
        if obj is None:
            yield f"The {noun} {namespace}/{name} is not there."
        elif (state := state_of(kind, obj)) is not JobState.RUNNING:
            why = commands.offered("why", f"{namespace}/{kind.name}/{name}")
            yield f"The {noun} {namespace}/{name} is {state}{_ready(kind, obj)}; `{why}` says why."


def _ready(kind: Kind, obj: JsonObject) -> str:
    if kind != DEPLOYMENT:
        return ""
    ready = whole(dig(obj, "status", "readyReplicas"))
    wanted = sum(count for count, _ in pod_groups(kind, obj))
    return f", with {ready} of {wanted} servers ready"


def _servers(it: Snapshot) -> Iterator[Record]:
    return (record for record in it.made(_DEPLOYMENT) if is_server({**record.inputs}))


def _place(record: Record) -> tuple[str, str]:
    metadata: Any = record.inputs.get("metadata") or {}
    return metadata.get("namespace") or "default", metadata.get("name") or ""


def _said(obj: JsonObject, kind: str) -> str:
    for it in maps(dig(obj, "status", "conditions")):
        if it["type"] == kind:
            return f": {str(it.get('message') or it.get('reason')).rstrip('.')}"
    return ": its controller has said nothing of it"


_AREAS = (
    _Area(name="nodes", rule=nodes, needs=(NODE,)),
    _Area(
        name="devices",
        rule=devices,
        asked=lambda it: not it.sees(NODE) or any(accelerated(it.seen(NODE))),
        needs=(NODE,),
    ),
    _Area(
        name="drivers",
        rule=drivers,
        asked=lambda it: any(it.made(_DAEMON_SET)) or any(it.made(_VOLUME)),
        needs=(DAEMON_SET, CSI_DRIVER),
    ),
    _Area(
        name="interfaces",
        rule=interfaces,
        asked=lambda it: any(it.made(_NETWORK)) or _with_networks(it),
        needs=(NODE, NETWORK, RESOURCE_SLICE),
    ),
    _Area(
        name="controllers",
        rule=operators,
        asked=lambda it: it.outputs.get("operators"),
        needs=(DEPLOYMENT,),
    ),
    _Area(name="webhooks", rule=webhooks),
    _Area(
        name="queues",
        rule=queues,
        asked=lambda it: it.local_queues or it.seen(CLUSTER_QUEUE),
    ),
    _Area(
        name="servers",
        rule=servers,
        asked=lambda it: any(_servers(it)),
        needs=(DEPLOYMENT,),
    ),
    _Area(
        name="ray",
        rule=ray,
        asked=lambda it: any(it.made(_RAY_CLUSTER)),
        needs=(RAY_CLUSTER,),
    ),
    _Area(name="storage", rule=storage, asked=lambda it: any(it.made(_CLAIM))),
)
