"""Reads what the status of a stack is made of, all at once, and no more than the user may see."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime
from typing import TypeVar

from aistack.cluster import Cluster
from aistack.errors import ForbiddenError
from aistack.kinds import (
    CLAIM,
    CLUSTER_QUEUE,
    CSI_DRIVER,
    DAEMON_SET,
    DEPLOYMENT,
    LOCAL_QUEUE,
    NETWORK,
    NODE,
    POD,
    PROVISIONING_REQUEST,
    RESOURCE_SLICE,
    Kind,
)
from aistack.stack import Stack
from aistack.status.holdings import Holding, holdings
from aistack.status.snapshot import Snapshot, records
from aistack.status.trials import TRIALS
from sandbox.kube.objects import JsonObject

_AT_ONCE = 8
_RUNNING = "status.phase!=Succeeded,status.phase!=Failed,spec.nodeName!="
_WHOLE = {
    NODE: "nodes",
    CLUSTER_QUEUE: "cluster queues",
    DEPLOYMENT: "controllers",
    DAEMON_SET: "drivers on nodes",
    CSI_DRIVER: "drivers of volumes",
    NETWORK: "networks",
    RESOURCE_SLICE: "devices of nodes",
}
_Seen = TypeVar("_Seen")


def look(stack: Stack, cluster: Cluster) -> Snapshot:
    namespaces = stack.namespaces
    with ThreadPoolExecutor(_AT_ONCE) as pool:
        held = pool.submit(_holdings, cluster, namespaces)
        refusals = pool.submit(_refusals, cluster, namespaces)
        version = pool.submit(cluster.version)
        whole = {kind: pool.submit(_allowed, _all(cluster, kind)) for kind in _WHOLE}
        claims = pool.submit(_in_namespaces, cluster, CLAIM, namespaces)
        doors = pool.submit(_in_namespaces, cluster, LOCAL_QUEUE, namespaces)
        requests = pool.submit(_in_namespaces, cluster, PROVISIONING_REQUEST, namespaces)
    objects = {kind: it.result() for kind, it in whole.items()}
    own, elsewhere = held.result()
    unseen = [_WHOLE[kind] for kind, found in objects.items() if found is None]
    unseen += [f"what runs in {it}" for it in elsewhere]
    unseen += ["webhooks"] if refusals.result() is None else []
    return Snapshot(
        now=datetime.now(UTC),
        records=records(stack.resources),
        outputs=stack.outputs,
        kubernetes=version.result(),
        namespaces=list(claims.result()),
        objects=objects,
        claims=_joined(claims.result()),
        local_queues=_joined(doors.result()),
        requests=_joined(requests.result()),
        holdings=own,
        refusals=refusals.result(),
        hidden=unseen,
    )


def _all(cluster: Cluster, kind: Kind) -> Callable[[], Sequence[JsonObject]]:
    return lambda: list(cluster.pages(kind))


def _allowed(read: Callable[[], _Seen]) -> _Seen | None:
    try:
        return read()
    except ForbiddenError:
        return None


def _in_namespaces(
    cluster: Cluster, kind: Kind, namespaces: Sequence[str]
) -> Mapping[str, Sequence[JsonObject]]:
    """By namespace, without those where the user may see none."""
    tried = {it: _allowed(lambda it=it: list(cluster.pages(kind, it))) for it in namespaces}
    return {namespace: found for namespace, found in tried.items() if found is not None}


def _joined(found: Mapping[str, Sequence[JsonObject]]) -> Sequence[JsonObject]:
    return [one for each in found.values() for one in each]


def _holdings(
    cluster: Cluster, namespaces: Sequence[str]
) -> tuple[Sequence[Holding], Sequence[str]]:
    """Everybody's, else those of the namespaces that the user may see, and which he may not."""

    def own(namespace: str) -> Callable[[], Sequence[Holding]]:
        return lambda: holdings(cluster.pages(POD, namespace, fields=_RUNNING))

    whole = _allowed(own(""))
    if whole is not None:
        return whole, ()
    tried = {namespace: _allowed(own(namespace)) for namespace in namespaces}
    seen = [one for found in tried.values() for one in found or ()]
    return seen, [*(it for it, found in tried.items() if found is None), "namespaces of others"]


def _refusals(cluster: Cluster, namespaces: Sequence[str]) -> Mapping[str, str] | None:
    """By kind of object, in the first namespace in which the user may make any."""
    for namespace in namespaces:
        found = dict(_tried(cluster, namespace))
        if not all("cannot create resource" in said for said in found.values()):
            return found
    return None


def _tried(cluster: Cluster, namespace: str) -> Iterator[tuple[str, str]]:
    for kind, obj in TRIALS.items():
        yield kind.name, cluster.refusal(kind, namespace, obj)
