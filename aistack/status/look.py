"""Reads what the status of a stack is made of, all at once, and no more than the user may see."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime
from typing import TypeVar

from aistack.cluster import Cluster
from aistack.errors import ForbiddenError
from aistack.stack import Stack
from aistack.status.holdings import holdings, waiting
from aistack.status.readers import readers
from aistack.status.snapshot import Snapshot, records
from aistack.status.teams import notes_of_teams
from aistack.status.trials import TRIALS
from kube.discovery import METADATA
from kube.kinds import (
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
    RAY_CLUSTER,
    RESOURCE_QUOTA,
    RESOURCE_SLICE,
    SECRET,
    Kind,
)
from kube.objects import JsonObject

_AT_ONCE = 8
_UNFINISHED = "status.phase!=Succeeded,status.phase!=Failed"
_WHOLE = {
    NODE: "nodes",
    CLUSTER_QUEUE: "cluster queues",
    DEPLOYMENT: "controllers",
    DAEMON_SET: "drivers on nodes",
    CSI_DRIVER: "drivers of volumes",
    NETWORK: "networks",
    RESOURCE_SLICE: "devices of nodes",
    RAY_CLUSTER: "Ray clusters",
}
_Seen = TypeVar("_Seen")


def look(stack: Stack, cluster: Cluster) -> Snapshot:
    namespaces = stack.namespaces
    with ThreadPoolExecutor(_AT_ONCE) as pool:
        unfinished = pool.submit(_unfinished, cluster, namespaces)
        refusals = pool.submit(_refusals, cluster, namespaces)
        version = pool.submit(cluster.version)
        whole = {kind: pool.submit(_allowed, _all(cluster, kind)) for kind in _WHOLE}
        claims = pool.submit(_in_namespaces, cluster, CLAIM, namespaces)
        doors = pool.submit(_in_namespaces, cluster, LOCAL_QUEUE, namespaces)
        bounded = [it for it in namespaces if it in notes_of_teams(stack.outputs)]
        quotas = pool.submit(_in_namespaces, cluster, RESOURCE_QUOTA, bounded)
        secrets = pool.submit(_in_namespaces, cluster, SECRET, namespaces, accept=METADATA)
        requests = pool.submit(_in_namespaces, cluster, PROVISIONING_REQUEST, namespaces)
    objects = {kind: it.result() for kind, it in whole.items()}
    pods, elsewhere = unfinished.result()
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
        quotas=_joined(quotas.result()),
        requests=_joined(requests.result()),
        holdings=holdings(pods),
        waiting=waiting(pods),
        readers=readers(pods),
        secrets=_joined(secrets.result()),
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
    cluster: Cluster, kind: Kind, namespaces: Sequence[str], *, accept: str = "application/json"
) -> Mapping[str, Sequence[JsonObject]]:
    """By namespace, without those where the user may see none."""

    def own(namespace: str) -> Callable[[], Sequence[JsonObject]]:
        return lambda: list(cluster.pages(kind, namespace, accept=accept))

    tried = {it: _allowed(own(it)) for it in namespaces}
    return {namespace: found for namespace, found in tried.items() if found is not None}


def _joined(found: Mapping[str, Sequence[JsonObject]]) -> Sequence[JsonObject]:
    return [one for each in found.values() for one in each]


def _unfinished(
    cluster: Cluster, namespaces: Sequence[str]
) -> tuple[Sequence[JsonObject], Sequence[str]]:
    """Everybody's pods, else those of the namespaces that the user may see, and which he may
    not."""

    def own(namespace: str) -> Callable[[], Sequence[JsonObject]]:
        return lambda: list(cluster.pages(POD, namespace, fields=_UNFINISHED))

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
