"""Reads people's work in a stack's cluster, and no more of it than the user may see."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace

from aistack.cluster import Cluster
from aistack.errors import ForbiddenError
from aistack.stack import Stack
from kube.discovery import METADATA
from kube.kinds import NODE, Kind
from kube.objects import JsonObject, labels_of, name_of
from kube.people.going import Effect, Going, effects
from kube.people.networks import looking
from kube.people.uses import CLUSTER_WIDE
from kube.people.work import Record, Seen, Work, people_work

_AT_ONCE = 8
_JSON = "application/json"
_POOL = "cloud.google.com/gke-nodepool"


@dataclass(frozen=True)
class Look:
    """`works` with what a destroy of the stack does with each, None where it does not reach it.
    With `partly`, the user may see the stack's namespaces alone. `networks` are the commands that
    list what others made in the stack's VPC networks."""

    works: Sequence[tuple[Work, Effect | None]]
    partly: bool
    networks: Sequence[str] = ()

    @property
    def stop_first(self) -> Sequence[Work]:
        """What a destroy of the stack does not end."""
        return [work for work, effect in self.works if effect is not None and effect.holds]


def look(stack: Stack, cluster: Cluster) -> Look:
    found = _Reader(cluster, stack.namespaces)
    with ThreadPoolExecutor(_AT_ONCE) as pool:
        nodes = pool.submit(found.read, NODE)
        finalized = pool.map(found.finalized, found.kinds())
        seen = Seen.read(found.read, {}, [one for each in finalized for one in each])
    seen = replace(seen, pools=_pools(nodes.result()))
    works = people_work(seen, Record.of(stack.resources))
    becomes = {id(it.work): it for it in effects(works, Going.of(stack.resources))}
    listed = [(it, becomes.get(id(it))) for it in works]
    return Look(listed, found.partly, list(looking(stack.resources)))


class _Reader:
    def __init__(self, cluster: Cluster, namespaces: Sequence[str]) -> None:
        self._cluster = cluster
        self._namespaces = namespaces
        self.partly = False

    def read(self, kind: Kind) -> Iterable[JsonObject]:
        """Everybody's, else those in the namespaces that the user may see."""
        try:
            return list(self._cluster.pages(kind))
        except ForbiddenError:
            self.partly = True
        if kind in CLUSTER_WIDE:
            return ()
        return [one for it in self._namespaces for one in self._in(kind, it)]

    def kinds(self) -> Sequence[Kind]:
        try:
            return list(self._cluster.kinds())
        except ForbiddenError:
            self.partly = True
            return ()

    def finalized(self, kind: Kind) -> Sequence[JsonObject]:
        """The metadata of those objects of the kind that have finalizers. Many who may see all work
        may not see Secrets and roles, which are none."""
        try:
            found = list(self._cluster.pages(kind, accept=METADATA))
        except ForbiddenError:
            found = [one for it in self._namespaces for one in self._in(kind, it, METADATA)]
        names = {"apiVersion": kind.api_version, "kind": kind.name}
        return [{**it, **names} for it in found if it["metadata"].get("finalizers")]

    def _in(self, kind: Kind, namespace: str, accept: str = _JSON) -> Sequence[JsonObject]:
        try:
            return list(self._cluster.pages(kind, namespace, accept=accept))
        except ForbiddenError:
            return ()


def _pools(nodes: Iterable[JsonObject]) -> Mapping[str, str]:
    return {name_of(it): pool for it in nodes if (pool := labels_of(it).get(_POOL))}
