"""A ClusterQueue as people look at it: what it may use, what it uses, who runs and who waits."""

from __future__ import annotations

from dataclasses import dataclass

from kube import quantity
from kube.objects import JsonObject, dig, maps, name_of, namespace_of
from sandbox.kube.kueue import cohort_of, flavors_of, installed
from sandbox.kube.pods import FINISHED, is_running, phase
from sandbox.kube.store import Store, owner_of


@dataclass(frozen=True, kw_only=True)
class QuotaView:
    """Amounts are Kubernetes quantities; `borrowed` is the part of `used` above `quota`."""

    flavor: str
    resource: str
    quota: str
    used: str
    borrowed: str


@dataclass(frozen=True, kw_only=True)
class WorkloadView:
    """`name` is namespace/name; `reason` is why it waits, or of one that is admitted when Kueue
    would stop it again, and empty for one that is admitted and ready."""

    name: str
    priority: int
    reason: str = ""


@dataclass(frozen=True, kw_only=True)
class QueueView:
    """`inactive` is why the queue admits nothing; empty for one that does."""

    name: str
    cohort: str
    inactive: str
    quotas: tuple[QuotaView, ...]
    admitted: tuple[WorkloadView, ...]
    waiting: tuple[WorkloadView, ...]


def queue_views(store: Store) -> list[QueueView]:
    return [_view(store, queue) for queue in sorted(store.all("ClusterQueue"), key=name_of)]


def _view(store: Store, queue: JsonObject) -> QueueView:
    name = name_of(queue)
    active = next(iter(maps(dig(queue, "status", "conditions"))), {})
    workloads = [each for each in store.all("Workload") if _queue_of(store, each) == name]
    admitted = [each for each in workloads if dig(each, "status", "admission")]
    waiting = [each for each in workloads if _condition(each, "QuotaReserved")["status"] == "False"]
    return QueueView(
        name=name,
        cohort=cohort_of(queue),
        inactive="" if active.get("status") == "True" else active.get("message", ""),
        quotas=tuple(_quotas(queue)),
        admitted=tuple(_workload(store, each) for each in admitted),
        waiting=tuple(_workload(store, each) for each in waiting),
    )


def _quotas(queue: JsonObject) -> list[QuotaView]:
    used = {
        (flavor["name"], each["name"]): each
        for flavor in maps(dig(queue, "status", "flavorsUsage"))
        for each in maps(flavor["resources"])
    }
    none = {"total": "0", "borrowed": "0"}
    return [
        QuotaView(
            flavor=flavor["name"],
            resource=quota["name"],
            quota=quantity.render(quantity.parse(quota["nominalQuota"])),
            used=used.get((flavor["name"], quota["name"]), none)["total"],
            borrowed=used.get((flavor["name"], quota["name"]), none)["borrowed"],
        )
        for flavor in flavors_of(queue)
        for quota in maps(flavor["resources"])
    ]


def _queue_of(store: Store, workload: JsonObject) -> str:
    """The queue that it has quota of, or the one that its LocalQueue points at."""
    if reserved := dig(workload, "status", "admission", "clusterQueue"):
        return reserved
    here = (namespace_of(workload), workload["spec"]["queueName"])
    locals_ = {(namespace_of(q), name_of(q)): q for q in store.all("LocalQueue")}
    return dig(locals_.get(here), "spec", "clusterQueue") or ""


def _condition(workload: JsonObject, kind: str) -> JsonObject:
    found = (c for c in maps(dig(workload, "status", "conditions")) if c["type"] == kind)
    return next(found, {"status": "", "message": ""})


def _workload(store: Store, workload: JsonObject) -> WorkloadView:
    reserved = _condition(workload, "QuotaReserved")
    return WorkloadView(
        name=f"{namespace_of(workload)}/{name_of(workload)}",
        priority=workload["spec"]["priority"],
        reason=reserved["message"] if reserved["status"] == "False" else _unready(store, workload),
    )


def _unready(store: Store, workload: JsonObject) -> str:
    """What Kueue does after its timeout if the pods are not ready by then (kubernetes-sigs/kueue
    pkg/controller/core/workload_controller.go, v0.19.0)."""
    config, owner = installed(store), owner_of(workload)
    above = store.get(
        owner.get("apiVersion", ""),
        owner.get("kind", ""),
        namespace_of(workload),
        owner.get("name", ""),
    )
    if above is None or config is None or not config.ready_timeout:
        return ""
    pods = [above] if above["kind"] == "Pod" else store.owned_by(above, "Pod")
    pending = [pod for pod in pods if not is_running(pod) and phase(pod) not in FINISHED]
    if not pending:
        return ""
    many = f"{len(pending)} of {len(pods)} pods are"
    return f"admitted, but {many} not ready: Kueue stops it after {config.ready_timeout}"
