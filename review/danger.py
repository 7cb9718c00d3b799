"""The guard: which changes take away what is hard to get back, and whether that was agreed to."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from catalog import Catalog
from components.capacity import CapacityMode
from review.change import Change, Verb
from review.node_pool_facts import pool_facts
from stacks.acknowledge import Acknowledge
from stacks.data_loss import data_lost
from stacks.refusal import (
    CLUSTER,
    KUBERNETES,
    NAMESPACE,
    NEW_NODES,
    NODE_POOL,
    RELEASE,
    is_guarded,
)
from stacks.running_work import Stop

_AGAIN = {
    CapacityMode.ON_DEMAND: "on-demand machines may not be had again",
    CapacityMode.SPOT: "spot machines may not be had again",
    CapacityMode.RESERVATION: "the reservation {reservation} keeps the machines",
    CapacityMode.ANY_RESERVATION: "had again only as far as an open reservation fits",
    CapacityMode.FLEX_START: "flex-start machines have to be waited for again",
    CapacityMode.QUEUED: "queued machines have to be waited for again",
}
_GRANT = "IAMMember"


@dataclass(frozen=True)
class Danger:
    """A replace or delete of a guarded resource; `properties` are what causes it."""

    resource: str
    type: str
    verb: Verb
    properties: tuple[str, ...]
    cause: str
    radius: str
    acknowledged: bool


def dangers_of(
    changes: Iterable[Change],
    acknowledged: Sequence[Acknowledge],
    catalog: Catalog,
    standing: Sequence[str] = (),
) -> list[Danger]:
    """Every destructive change of a guarded resource, what is not agreed to first; `standing` are
    the other stacks on the cluster."""
    agreed = {(one.resource, one.property) for one in acknowledged}
    every = list(changes)
    found = [
        Danger(
            resource=change.name,
            type=change.type,
            verb=change.verb,
            properties=tuple(cause.property for cause in change.causes),
            cause="; ".join(map(str, change.causes)),
            radius=_radius(change, catalog) + _of_others(change, standing),
            acknowledged=bool(change.causes)
            and all((change.name, it.property) in agreed for it in change.causes),
        )
        for change in every
        if change.destructive and is_guarded(change.type, change.old or {}, catalog)
        if not _with_its_cluster(change, every)
    ]
    return sorted(found, key=lambda it: it.acknowledged)


def _with_its_cluster(change: Change, all_changes: Iterable[Change]) -> bool:
    """Whether an object goes because its cluster does, which is a danger of its own."""
    if not change.type.startswith(KUBERNETES) or change.removed:
        return False
    return any(it.destructive and it.type == CLUSTER for it in all_changes)


def stale(
    acknowledged: Sequence[Acknowledge], dangers: Iterable[Danger], stops: Iterable[Stop]
) -> list[Acknowledge]:
    """Acknowledgements that nothing in the change matches."""
    causes = {(danger.resource, it) for danger in dangers for it in danger.properties}
    causes |= {(stop.resource, stop.agreement or "") for stop in stops}
    return [one for one in acknowledged if (one.resource, one.property) not in causes]


def warnings_of(changes: Iterable[Change], catalog: Catalog) -> list[str]:
    """Updates that make the nodes of an accelerator pool anew, and rights that are lost."""
    lines: list[str] = []
    for change in changes:
        if change.destructive and change.type.endswith(_GRANT):
            old = change.old or {}
            lines.append(
                f"{change.name}: {old.get('member', 'a member')} loses {old.get('role', 'a role')} "
                f"on {old.get('bucket', 'what it was given on')}, and what runs as it fails there"
            )
        if change.verb != "update" or change.type != NODE_POOL:
            continue
        pool = pool_facts(change.old or {}, catalog)
        causes = [it for it in change.causes if it.property.startswith(NEW_NODES)]
        if pool.accelerated and causes:
            why = "; ".join(map(str, causes))
            lines.append(
                f"{change.name} is updated in place, and its nodes with {pool.devices} are made "
                f"anew ({why}): {_again(pool.capacity, pool.reservation)}"
            )
    return lines


def _again(capacity: CapacityMode, reservation: str) -> str:
    return _AGAIN[capacity].format(reservation=reservation or "(not named)")


def _radius(change: Change, catalog: Catalog) -> str:
    inputs = change.old or {}
    if change.type == NODE_POOL:
        pool = pool_facts(inputs, catalog)
        return f"{pool.devices} taken away; {_again(pool.capacity, pool.reservation)}"
    if (lost := data_lost(change.type, inputs)) is not None:
        return lost
    match change.type:
        case "gcp:container/cluster:Cluster":
            return "every node, pod and object of the cluster lost; data outside of it kept"
        case _ if change.type == NAMESPACE:
            return "every object in it is deleted: workloads, claims, secrets"
        case _ if change.type == RELEASE:
            return "Kueue's definitions go, and with them every queue and workload in the cluster"
        case "gcp:compute/network:Network" if inputs.get("networkProfile"):
            return "RDMA between all nodes on it lost; the pools on it go too; no data lost"
        case _:
            return "what is attached to it goes too, or the delete fails; no data of its own"


def _of_others(change: Change, standing: Sequence[str]) -> str:
    """What goes of the stacks that stand on a platform."""
    if not standing or change.type not in (CLUSTER, RELEASE):
        return ""
    named = ", ".join(standing)
    if change.type == RELEASE:
        return f"; of other stacks those of {named}"
    return f"; with it all that other stacks have there is lost: {named}"
