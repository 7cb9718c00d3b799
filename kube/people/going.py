"""What a run of the engine takes away, and what becomes of people's work then. Pure."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from kube.kinds import API_SERVICE, COMPUTE_CLASS
from kube.names import chart_name
from kube.objects import Taint, dig
from kube.people.uses import CLUSTER_WIDE, NEED_KUEUE
from kube.people.work import Work
from kube.taints import is_evicted

_POOL = "gcp:container/nodePool:NodePool"
_CLUSTER = "gcp:container/cluster:Cluster"
_RELEASE = "kubernetes:helm.sh/v3:Release"
# By the name of a chart, the group of the kinds that nobody looks after without it.
_SERVED_BY = {"kueue": "kueue.x-k8s.io", "kuberay-operator": "ray.io", "jobset": "jobset.x-k8s.io"}
_KUEUE = _SERVED_BY["kueue"]
_WITHOUT_NAMESPACE = frozenset(it.name for it in (*CLUSTER_WIDE, COMPUTE_CLASS))
_KEPT_BY_KUEUE = frozenset(it.name for it in NEED_KUEUE)


@dataclass(frozen=True, kw_only=True)
class Going:
    """Names of what goes: whether the whole `cluster` does, and `operators` by the group of the
    kinds that they serve. `objects` are all that go, by kind, namespace and name. `renewed` are
    the pools whose nodes are made anew while the pool stays, `shrunk` are those that get fewer, and
    with an `upgrade` GKE makes all nodes anew. `changed_operators` (as `operators`) and
    `changed_queues` are changed in place. `taints` are those that evict pods and that nodes of a
    pool get while they stay."""

    cluster: bool = False
    objects: frozenset[tuple[str, str, str]] = frozenset()
    renewed: frozenset[str] = frozenset()
    shrunk: frozenset[str] = frozenset()
    upgrade: bool = False
    changed_operators: frozenset[str] = frozenset()
    changed_queues: frozenset[str] = frozenset()
    taints: Mapping[str, Sequence[Taint]] = field(default_factory=dict[str, Sequence[Taint]])
    namespaces: frozenset[str] = frozenset()
    cluster_queues: frozenset[str] = frozenset()
    local_queues: frozenset[tuple[str, str]] = frozenset()
    ray_clusters: frozenset[tuple[str, str]] = frozenset()
    pools: frozenset[str] = frozenset()
    operators: frozenset[str] = frozenset()

    @classmethod
    def of(
        cls,
        resources: Iterable[Mapping[str, Any]],
        renewed: Iterable[str] = (),
        *,
        shrunk: Iterable[str] = (),
        upgrade: bool = False,
        changed: Iterable[Mapping[str, Any]] = (),
        taints: Mapping[str, Sequence[Taint]] | None = None,
    ) -> Going:
        """Of the engine's records of what is deleted or replaced, and what is changed in place."""
        each = [(str(it["type"]), _said(it)) for it in resources]
        stay = [(str(it["type"]), _said(it)) for it in changed]
        return cls(
            cluster=any(token == _CLUSTER for token, _ in each),
            objects=frozenset(_keys(each)),
            renewed=frozenset(renewed),
            shrunk=frozenset(shrunk),
            upgrade=upgrade,
            changed_operators=_operators(stay),
            changed_queues=frozenset(name for _, name in _objects(stay, "ClusterQueue")),
            taints=taints or {},
            namespaces=frozenset(name for _, name in _objects(each, "Namespace")),
            cluster_queues=frozenset(name for _, name in _objects(each, "ClusterQueue")),
            local_queues=frozenset(_objects(each, "LocalQueue")),
            ray_clusters=frozenset(_objects(each, "RayCluster")),
            pools=frozenset(str(said.get("name")) for token, said in each if token == _POOL),
            operators=_operators(each),
        )


@dataclass(frozen=True)
class Effect:
    """What becomes of one object. With `holds`, the run cannot come to its end, or would leave the
    work without its end, until somebody has stopped it."""

    work: Work
    what: str
    holds: bool = False

    def __str__(self) -> str:
        return f"{self.work}: {self.what}"


def effects(works: Sequence[Work], going: Going) -> list[Effect]:
    """Of those that the run reaches."""
    found = (next(_effects(it, going), None) for it in works)
    return [it for it in found if it is not None]


def _effects(work: Work, going: Going) -> Iterator[Effect]:
    """The first is what counts."""
    if work.namespace in going.namespaces:
        yield _with_the_namespace(work)
    yield from _held_by(work, going)
    if going.cluster:
        yield _with_the_cluster(work)
    yield from _without_operators(work, going)
    yield from _losses(work, going)


def _with_the_namespace(work: Work) -> Effect:
    place, names = work.namespace, ", ".join(work.finalizers)
    if work.stuck:
        what = f"was deleted, and nobody has taken its finalizer {names} off"
        return Effect(work, what, holds=True)
    if work.finalizers:
        what = f"nobody takes its finalizer {names} off while the namespace {place} goes"
        return Effect(work, what, holds=True)
    data = " and the data on its disk" if work.disk else ""
    kept = work.leftover is not None and work.leftover.retained
    left = f"; {work.leftover.sentence}" if work.leftover and kept else ""
    return Effect(work, f"goes with the namespace {place}{data}{left}")


def _held_by(work: Work, going: Going) -> Iterator[Effect]:
    """What of a stack cannot go before the work."""
    if work.kind == API_SERVICE.name and going.namespaces:
        what = "does not answer, and no namespace goes before every API does"
        yield Effect(work, what, holds=True)
    if work.queue and work.cluster_queue in going.cluster_queues:
        what = f"is in the ClusterQueue {work.cluster_queue}, which cannot go while it is in use"
        yield Effect(work, what, holds=True)
    for it in sorted(work.uses):
        if it.held and it.key in going.objects:
            yield Effect(work, f"uses the {it}, which cannot go while it is in use", holds=True)
    if work.kind in _KEPT_BY_KUEUE and _KUEUE in going.operators:
        yield Effect(work, "needs the operator kueue, which goes", holds=True)


def _without_operators(work: Work, going: Going) -> Iterator[Effect]:
    for chart in _needed(work, going.operators):
        yield Effect(work, f"needs the operator {chart}, which goes", holds=True)


def _needed(work: Work, operators: Collection[str]) -> list[str]:
    """Those of the operators that look after it, by the names of their charts."""
    groups = {work.group, *((_KUEUE,) if work.queue else ())} & {*operators}
    return sorted(name for name, it in _SERVED_BY.items() if it in groups)


def _losses(work: Work, going: Going) -> Iterator[Effect]:
    """What the work lives through, or is started again after."""
    place = work.namespace
    if work.queue and (place, work.queue) in going.local_queues:
        yield Effect(work, f"loses its queue {work.queue}")
    if (place, work.runs_on) in going.ray_clusters:
        yield Effect(work, f"loses the RayCluster {work.runs_on} that it runs on")
    if pools := sorted(work.pools & going.pools):
        yield Effect(work, f"loses the nodes of {', '.join(pools)}")
    for pool, taint in _evicting(work, going):
        said = f"{taint.key}={taint.value}:{taint.effect}"
        yield Effect(work, f"is evicted from the nodes of {pool}: it does not tolerate {said}")
    if pools := sorted(work.pools & going.renewed):
        what = f"is interrupted: the nodes of {', '.join(pools)} are made anew, one after the other"
        yield Effect(work, what)
    if pools := sorted(work.pools & going.shrunk):
        yield Effect(work, f"may lose nodes of {', '.join(pools)}, which get fewer")
    if going.upgrade and work.pools:
        names = ", ".join(sorted(work.pools))
        what = f"is interrupted when GKE upgrades the nodes of {names}, one after the other"
        yield Effect(work, what)
    if used := [str(it) for it in sorted(work.uses) if it.key in going.objects]:
        yield Effect(work, f"loses the {', '.join(used)} that it names")
    yield from _changes(work, going)


def _changes(work: Work, going: Going) -> Iterator[Effect]:
    if not work.idle and (charts := _needed(work, going.changed_operators)):
        verb = "change" if len(charts) > 1 else "changes"
        yield Effect(work, f"is looked after by {' and '.join(charts)}, which {verb} in place")
    if work.queue and work.cluster_queue in going.changed_queues:
        yield Effect(work, f"is in the ClusterQueue {work.cluster_queue}, which changes in place")


def _evicting(work: Work, going: Going) -> Iterator[tuple[str, Taint]]:
    for pool in sorted(going.taints):
        for taint in going.taints[pool]:
            if any(is_evicted(it, taint) for it in work.tolerations.get(pool, ())):
                yield pool, taint


def _with_the_cluster(work: Work) -> Effect:
    left = "" if work.leftover is None else f"; {work.leftover.sentence}"
    if work.ending:
        return Effect(work, f"is being deleted, and GKE has not ended that{left}", holds=True)
    if work.idle:
        return Effect(work, f"goes with the cluster{left}")
    what = f"would be lost with the cluster: the namespace {work.namespace} is none of the stack's"
    return Effect(work, f"{what} own{left}", holds=True)


def _operators(each: Sequence[tuple[str, Mapping[str, Any]]]) -> frozenset[str]:
    charts = (chart_name(str(said.get("chart"))) for token, said in each if token == _RELEASE)
    return frozenset(_SERVED_BY[it] for it in charts if it in _SERVED_BY)


def _keys(each: Sequence[tuple[str, Mapping[str, Any]]]) -> Iterator[tuple[str, str, str]]:
    for token, said in each:
        if token.startswith("kubernetes:") and dig(said, "metadata", "name"):
            kind = token.rpartition(":")[2]
            namespace = str(dig(said, "metadata", "namespace") or "default")
            place = "" if kind in _WITHOUT_NAMESPACE else namespace
            yield kind, place, str(dig(said, "metadata", "name"))


def _objects(each: Sequence[tuple[str, Mapping[str, Any]]], kind: str) -> Iterator[tuple[str, str]]:
    """Namespaces and names."""
    for token, said in each:
        if token.startswith("kubernetes:") and token.endswith(f":{kind}"):
            namespace = str(dig(said, "metadata", "namespace") or "default")
            yield namespace, str(dig(said, "metadata", "name"))


def _said(resource: Mapping[str, Any]) -> Mapping[str, Any]:
    return {**(resource.get("inputs") or {}), **(resource.get("outputs") or {})}
