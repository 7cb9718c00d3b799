"""What people have put into a cluster themselves, beside stacks, operators and GKE. Pure.

An object is somebody's own where no engine has it on record, no chart and no part of GKE brought
it, and no other object made it. A kind that is not among `READ` is known by the pods, Jobs and
StatefulSets that it controls, and so named, too; and by a finalizer, which its namespace waits for.
"""

from __future__ import annotations

import shlex
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

from components.base.labels import SUBMITTED_BY, owner_of
from components.base.pod_access import TEAM_LABEL
from components.queues.labels import QUEUE_LABEL
from kube.jobs import accelerators, is_own, pod_groups, state_of
from kube.kinds import (
    API_SERVICE,
    CLAIM,
    CRON_JOB,
    DAEMON_SET,
    DEPLOYMENT,
    GATEWAY,
    INGRESS,
    JOB,
    JOB_SET,
    LOCAL_QUEUE,
    MANAGED_CERTIFICATE,
    NAMESPACE,
    NETWORK,
    NETWORK_PARAMETERS,
    PERSISTENT_VOLUME,
    POD,
    RAY_CLUSTER,
    RAY_JOB,
    RAY_SERVICE,
    REPLICA_SET,
    SERVICE,
    SERVICE_ATTACHMENT,
    STATEFUL_SET,
    VOLUME_SNAPSHOT,
    WORK,
    WORKLOAD,
    Kind,
)
from kube.objects import JsonObject, dig, labels_of, maps, name_of, namespace_of
from kube.people.leftovers import CONFIG_CONNECTOR, Leftover, leftover_of
from kube.people.uses import CLUSTER_WIDE, Used, uses
from kube.reading import whole

# Of these a person's own object is work; a Service only where it has something in Google Cloud.
_OWN: tuple[Kind, ...] = (
    JOB_SET,
    JOB,
    CRON_JOB,
    RAY_JOB,
    RAY_CLUSTER,
    RAY_SERVICE,
    DEPLOYMENT,
    STATEFUL_SET,
    DAEMON_SET,
    REPLICA_SET,
    POD,
    SERVICE,
    INGRESS,
    GATEWAY,
    CLAIM,
    VOLUME_SNAPSHOT,
    SERVICE_ATTACHMENT,
    MANAGED_CERTIFICATE,
    API_SERVICE,
    *CLUSTER_WIDE,
)
READ: tuple[Kind, ...] = (*_OWN, NAMESPACE, LOCAL_QUEUE, WORKLOAD)
_HAS_PODS = (DEPLOYMENT, STATEFUL_SET, REPLICA_SET)
_HELM = "app.kubernetes.io/managed-by", "app.kubernetes.io/instance"
_CHART = "app.kubernetes.io/name"
# Operators, which somebody else may have installed.
_OPERATORS = ("jobset", "kuberay-operator", "kueue", "kueueviz")
# GKE's and Kubernetes' own (the namespaces that `kubectl get namespaces` has on a new cluster; GKE
# publishes no list, and its managed drivers have theirs below one prefix: Qovery/engine,
# src/cloud_provider/gcp/kubernetes/mod.rs, read 2026-11-22). Anybody may begin a name so.
_SYSTEM_NAMESPACES = frozenset(
    {"kube-system", "kube-public", "kube-node-lease", "gke-gmp-system", "gmp-system", "gmp-public"}
)
_MANAGED_NAMESPACES = "gke-managed-"
# GKE's own objects where a cluster has more than one network for pods, by kind (GKE documentation,
# "Set up multi-network support for Pods").
_SYSTEM_NETWORKS = frozenset({"default", "pod-network"})
# Finalizers that are taken off while a namespace goes. Kubernetes' own; load balancers by GKE
# (kubernetes/ingress-gce pkg/utils/common/finalizer.go, ffd5b5d20, and the finalizer that GKE's
# Gateways have); of queued work by Kueue; of RayJobs by KubeRay, whether or not the job could be
# stopped (ray-operator v1.4.2 controllers/ray/rayjob_controller.go:127). Not KubeRay's for a Ray
# cluster that keeps its state in Redis: it makes a Job first, which a namespace that goes refuses
# (raycluster_controller.go:283). Of claims of devices by Kubernetes (kubernetes/kubernetes v1.35.4
# staging/src/k8s.io/api/resource/v1/types.go, Finalizer); of snapshots by the controller that GKE
# runs (kubernetes-csi/external-snapshotter pkg/utils/util.go).
_SERVED = (
    "batch.kubernetes.io/job-tracking",
    "foregroundDeletion",
    "gateway.finalizer.networking.gke.io",
    "gke.networking.io/",
    "kubernetes.io/",
    "kueue.x-k8s.io/",
    "networking.gke.io/",
    "orphan",
    "ray.io/rayjob-finalizer",
    "resource.kubernetes.io/",
    "service.kubernetes.io/load-balancer-cleanup",
    "snapshot.storage.kubernetes.io/",
)

_KUBERAY = "ray.io/"
_UNHELD = '{"metadata": {"finalizers": null}}'

Key = tuple[str, str, str, str]


@dataclass(frozen=True, kw_only=True)
class Work:
    """One object of a person's, or of another `stack`, whose engine may have it `on_record`.

    `namespace` is empty for a kind without namespaces. `submitter` is as `aistack submit` labels
    it, `queue` its LocalQueue and `cluster_queue` what is behind that, `runs_on` a RayCluster that
    others may use, `pools` the node pools under its pods, `uses` the objects that it and its pods
    name, and `finalizers` those that nobody takes off while its namespace goes. With `disk`, its
    data goes with it; `leftover` is what it has in Google Cloud. An object that is `ending` was
    deleted, and what it has in Google Cloud is not gone; one that is `stuck` was deleted, and has
    finalizers of which nobody knows whose they are. One that is `idle` does nothing: nobody would
    miss it in a namespace that stays until the cluster goes.
    """

    api_version: str
    kind: str
    namespace: str
    name: str
    team: str = ""
    stack: str = ""
    on_record: bool = False
    submitter: str = ""
    queue: str = ""
    cluster_queue: str = ""
    accelerators: int = 0
    runs_on: str = ""
    pools: frozenset[str] = frozenset()
    # Of each pod, by the pool that it runs on.
    tolerations: Mapping[str, Sequence[Sequence[JsonObject]]] = field(
        default_factory=dict[str, Sequence[Sequence[JsonObject]]], compare=False, repr=False
    )
    uses: frozenset[Used] = frozenset()
    finalizers: tuple[str, ...] = ()
    disk: bool = False
    leftover: Leftover | None = None
    ending: bool = False
    stuck: bool = False
    idle: bool = False

    @property
    def group(self) -> str:
        return _group(self.api_version)

    def command(self, kubectl: str) -> str:
        """What takes it away, by `kubectl` with the options for its cluster; of what is on record
        its stack's own `up` or `destroy` does."""
        kind = self.kind.lower() + (f".{self.group}" if self.group else "")
        place = ["--namespace", self.namespace] if self.namespace else []
        what = [f"{kind}/{self.name}", *place]
        if self.stuck:
            unheld = ["--type", "merge", "--patch", _UNHELD]
            return f"{kubectl} {shlex.join(['patch', *what, *unheld])}"
        return f"{kubectl} {shlex.join(['delete', *what])}"

    @property
    def place(self) -> str:
        return f"{self.namespace}/{self.name}" if self.namespace else self.name

    def __str__(self) -> str:
        count = "1 accelerator" if self.accelerators == 1 else f"{self.accelerators} accelerators"
        said = [
            f"{self.kind} {self.place}",
            f"of the team {self.team}" if self.team else "",
            f"of the stack {self.stack}" if self.stack else "",
            f"submitted by {self.submitter}" if self.submitter else "",
            f"with {count}" if self.accelerators else "",
        ]
        return ", ".join(filter(None, said))


@dataclass(frozen=True)
class Record:
    """What engines and charts have in the cluster: objects, and Helm releases by namespace and
    name."""

    objects: frozenset[Key] = frozenset()
    releases: frozenset[tuple[str, str]] = frozenset()

    @classmethod
    def of(cls, resources: Iterable[Mapping[str, Any]]) -> Record:
        """Of the engine's records, of one stack or of several."""
        objects, releases = set[Key](), set[tuple[str, str]]()
        for it in resources:
            outputs = {**(it.get("inputs") or {}), **(it.get("outputs") or {})}
            token = str(it["type"])
            if token == "kubernetes:helm.sh/v3:Release":
                releases.add((str(outputs.get("namespace")), str(outputs.get("name"))))
            elif token.startswith("kubernetes:") and dig(outputs, "metadata", "name"):
                _, api_version, kind = token.split(":")
                # The engine has `core/v1` for the group without a name.
                objects.add(_key(api_version.removeprefix("core/"), kind, outputs))
        return cls(frozenset(objects), frozenset(releases))

    def has(self, kind: Kind, obj: JsonObject) -> bool:
        if _key(kind.api_version, kind.name, obj) in self.objects:
            return True
        manager, release = (labels_of(obj).get(it, "") for it in _HELM)
        installed = manager == "Helm" or namespace_of(obj).endswith("-system")
        if installed and labels_of(obj).get(_CHART) in _OPERATORS:
            return True
        return manager == "Helm" and (namespace_of(obj), release) in self.releases


@dataclass(frozen=True)
class Seen:
    """What a cluster holds, by kind, and the node pool of each node. `finalized` are objects in
    namespaces that have finalizers, of every kind."""

    objects: Mapping[Kind, Sequence[JsonObject]]
    pools: Mapping[str, str] = field(default_factory=dict[str, str])
    finalized: Sequence[JsonObject] = ()

    @classmethod
    def read(
        cls,
        kind_by_kind: Callable[[Kind], Iterable[JsonObject]],
        pools: Mapping[str, str],
        finalized: Iterable[JsonObject] = (),
    ) -> Seen:
        objects = {kind: list(kind_by_kind(kind)) for kind in READ}
        return cls(objects, pools, list(finalized))

    @cached_property
    def by_uid(self) -> Mapping[str, tuple[Kind, JsonObject]]:
        return {
            it["metadata"]["uid"]: (kind, it) for kind in _OWN for it in self.objects.get(kind, ())
        }

    @cached_property
    def teams(self) -> Mapping[str, str]:
        found = self.objects.get(NAMESPACE, ())
        return {name_of(it): labels_of(it).get(TEAM_LABEL, "") for it in found}

    @cached_property
    def cluster_queues(self) -> Mapping[tuple[str, str], str]:
        """What is behind each LocalQueue."""
        found = self.objects.get(LOCAL_QUEUE, ())
        return {
            (namespace_of(it), name_of(it)): str(dig(it, "spec", "clusterQueue")) for it in found
        }

    @cached_property
    def admitted(self) -> Mapping[str, str]:
        """The ClusterQueue that each object has quota in, by its uid: also where its LocalQueue is
        gone."""
        return {
            str(owner["uid"]): str(queue)
            for it in self.objects.get(WORKLOAD, ())
            if (queue := dig(it, "status", "admission", "clusterQueue"))
            for owner in maps(it["metadata"].get("ownerReferences"))
        }

    @cached_property
    def volumes(self) -> Mapping[tuple[str, str], JsonObject]:
        """By namespace and name of the claim that each is bound to."""
        return {
            (
                str(dig(it, "spec", "claimRef", "namespace")),
                str(dig(it, "spec", "claimRef", "name")),
            ): it
            for it in self.objects.get(PERSISTENT_VOLUME, ())
            if dig(it, "spec", "claimRef")
        }

    @cached_property
    def claims(self) -> Collection[tuple[str, str]]:
        return {(namespace_of(it), name_of(it)) for it in self.objects.get(CLAIM, ())}


@dataclass(frozen=True)
class _Root:
    """What nothing else controls; `obj` is None of a kind that is not read."""

    work: Work
    kind: Kind | None = None
    obj: JsonObject | None = None

    def is_object_of(self, record: Record) -> bool:
        work = self.work
        metadata = {"namespace": work.namespace, "name": work.name}
        return _key(work.api_version, work.kind, {"metadata": metadata}) in record.objects

    def is_left_out(self, record: Record) -> bool:
        """What is on record, has ended, or is on its way out."""
        work = self.work
        if self.kind is None or self.obj is None:
            return self.is_object_of(record)
        held = work.finalizers or work.ending
        if dig(self.obj, "metadata", "deletionTimestamp") and not held:
            return True
        return record.has(self.kind, self.obj) or _has_ended(self.kind, self.obj)


_BEHIND_API = "spec", "service", "namespace"


def _is_systems(namespace: str) -> bool:
    return namespace in _SYSTEM_NAMESPACES or namespace.startswith(_MANAGED_NAMESPACES)


def people_work(
    seen: Seen, record: Record, others: Mapping[str, Record] | None = None
) -> list[Work]:
    """All that somebody would miss, in the order of namespaces and names; what has ended is not.
    `others` are the records of the other stacks in the cluster, by name."""
    roots: dict[Key, _Root] = {}
    pods: dict[Key, list[JsonObject]] = {}
    for kind, obj in seen.by_uid.values():
        root = None if _is_systems(namespace_of(obj)) else _root(kind, obj, seen)
        if root is None:
            continue
        work = root.work
        key = (work.api_version, work.kind, work.namespace, work.name)
        roots.setdefault(key, root)
        if kind == POD and not _has_ended(kind, obj):
            pods.setdefault(key, []).append(obj)
    for obj in seen.finalized:
        if root := _finalized(obj, seen):
            work = root.work
            roots.setdefault((work.api_version, work.kind, work.namespace, work.name), root)
    found = [
        _with_pods(work, pods.get(key, []), seen)
        for key, root in roots.items()
        if (work := _missed(root, record, others or {})) is not None
    ]
    return sorted(found, key=lambda it: (it.namespace, it.name, it.kind))


def _missed(root: _Root, record: Record, others: Mapping[str, Record]) -> Work | None:
    """What somebody else than the stack of that record would miss."""
    if root.is_left_out(record):
        return None
    owner = next((name for name, it in others.items() if root.is_object_of(it)), None)
    if owner is not None:
        # It serves the nodes of its stack, and is nobody's work.
        serves = root.kind == DAEMON_SET
        return None if serves else replace(root.work, stack=owner, on_record=True)
    return None if any(root.is_left_out(it) for it in others.values()) else root.work


def _finalized(obj: JsonObject, seen: Seen) -> _Root | None:
    """An object that its namespace would wait for: of a kind that is no work, or a part of work."""
    api_version = str(obj["apiVersion"])
    kind = Kind(str(obj["kind"]), api_version, "")
    work = _work(kind, obj, seen)
    if not work.finalizers or _is_systems(work.namespace):
        return None
    return _Root(replace(work, idle=not _group(api_version).endswith(CONFIG_CONNECTOR)), kind, obj)


def _root(kind: Kind, obj: JsonObject, seen: Seen) -> _Root | None:
    """What an object is part of; None where that is no one's work. Who may write an object may
    write its owner: where owners go round in a circle, the object is its own."""
    below = set[str]()
    while not is_own(obj):
        owner = next(it for it in maps(obj["metadata"]["ownerReferences"]) if it.get("controller"))
        above = seen.by_uid.get(owner["uid"])
        if above is None:
            return _of_unknown(owner, obj, seen)
        if owner["uid"] in below:
            break
        below.add(owner["uid"])
        kind, obj = above
    work = _work(kind, obj, seen)
    return None if _is_nothing(kind, obj, work, seen) else _Root(work, kind, obj)


def _is_nothing(kind: Kind, obj: JsonObject, work: Work, seen: Seen) -> bool:
    """Whether nobody would miss the object, and nothing waits for it."""
    if kind == SERVICE:
        return work.leftover is None
    if kind == PERSISTENT_VOLUME:
        claim = (str(dig(obj, "spec", "claimRef", part)) for part in ("namespace", "name"))
        return tuple(claim) in seen.claims or work.leftover is None
    if kind in (NETWORK, NETWORK_PARAMETERS):
        return work.name in _SYSTEM_NETWORKS
    if kind == API_SERVICE:
        return not _is_silent(obj)
    return False


def _is_silent(service: JsonObject) -> bool:
    """An API that some server in the cluster was to serve, and does not."""
    if not dig(service, "spec", "service") or _is_systems(str(dig(service, *_BEHIND_API))):
        return False
    conditions = maps(dig(service, "status", "conditions"))
    return any(it["type"] == "Available" and it["status"] == "False" for it in conditions)


def _of_unknown(owner: Mapping[str, Any], obj: JsonObject, seen: Seen) -> _Root | None:
    """Of a kind that is not read: a node's own pods, and what a chart owns, are no one's."""
    if owner["kind"] in ("Node", "Release"):
        return None
    namespace = namespace_of(obj)
    return _Root(
        Work(
            api_version=str(owner["apiVersion"]),
            kind=str(owner["kind"]),
            namespace=namespace,
            name=str(owner["name"]),
            team=seen.teams.get(namespace, ""),
        )
    )


def _work(kind: Kind, obj: JsonObject, seen: Seen) -> Work:
    namespace, name = namespace_of(obj), name_of(obj)
    queue = labels_of(obj).get(QUEUE_LABEL) or _queue_of_pods(obj)
    finalizers: list[str] = obj["metadata"].get("finalizers") or []
    volume = seen.volumes.get((namespace, name)) if kind == CLAIM else None
    leftover = leftover_of(kind, obj, volume)
    deleted = bool(dig(obj, "metadata", "deletionTimestamp"))
    foreign = tuple(it for it in finalizers if not it.startswith(_SERVED))
    return Work(
        api_version=kind.api_version,
        kind=kind.name,
        namespace=namespace,
        name=name,
        team=seen.teams.get(namespace, ""),
        stack=owner_of(labels_of(obj)) or "",
        submitter=labels_of(obj).get(SUBMITTED_BY, ""),
        queue=queue,
        cluster_queue=seen.admitted.get(obj["metadata"]["uid"])
        or seen.cluster_queues.get((namespace, queue), ""),
        accelerators=_accelerators(kind, obj),
        runs_on=str(dig(obj, "spec", "clusterSelector", "ray.io/cluster") or ""),
        finalizers=foreign,
        uses=frozenset(uses(kind, obj)),
        disk=dig(volume, "spec", "persistentVolumeReclaimPolicy") == "Delete",
        leftover=leftover,
        ending=deleted and leftover is not None and bool(finalizers) and not foreign,
        stuck=deleted and any(not it.startswith(_KUBERAY) for it in foreign),
        idle=not namespace,
    )


def _with_pods(work: Work, pods: Sequence[JsonObject], seen: Seen) -> Work:
    """Where its pods are, what they use, and what they have where the object does not say it."""
    nodes = {str(dig(it, "spec", "nodeName") or "") for it in pods}
    held = sum(accelerators(it["spec"]) for it in pods)
    return replace(
        work,
        accelerators=work.accelerators or held,
        pools=frozenset(seen.pools[it] for it in nodes if it in seen.pools),
        tolerations=_tolerations(pods, seen),
        uses=work.uses.union(*(uses(POD, it) for it in pods)),
    )


def _tolerations(pods: Sequence[JsonObject], seen: Seen) -> dict[str, list[list[JsonObject]]]:
    found = dict[str, list[list[JsonObject]]]()
    for pod in pods:
        node = str(dig(pod, "spec", "nodeName") or "")
        if node in seen.pools:
            found.setdefault(seen.pools[node], []).append(
                list(maps(pod["spec"].get("tolerations")))
            )
    return found


def _has_ended(kind: Kind, obj: JsonObject) -> bool:
    if kind == POD:
        return dig(obj, "status", "phase") in ("Succeeded", "Failed")
    return kind in WORK and state_of(kind, obj).has_ended


def _accelerators(kind: Kind, obj: JsonObject) -> int:
    return sum(count * accelerators(pod) for count, pod in _groups(kind, obj))


def _groups(kind: Kind, obj: JsonObject) -> Iterator[tuple[int, JsonObject]]:
    """How many pods it asks for of each template's spec, as far as it says so itself."""
    if kind in WORK:
        yield from pod_groups(kind, obj)
    elif kind == RAY_SERVICE:
        yield from pod_groups(RAY_CLUSTER, {"spec": dig(obj, "spec", "rayClusterConfig")})
    elif kind == POD:
        yield 1, obj["spec"]
    elif kind in _HAS_PODS:
        yield whole(dig(obj, "spec", "replicas"), 1), dig(obj, "spec", "template", "spec") or {}


def _queue_of_pods(obj: JsonObject) -> str:
    labels = dig(obj, "spec", "template", "metadata", "labels") or {}
    return str(labels.get(QUEUE_LABEL, ""))


def _key(api_version: str, kind: str, obj: Mapping[str, Any]) -> Key:
    metadata = obj["metadata"]
    return _group(api_version), kind, metadata.get("namespace") or "default", metadata["name"]


def _group(api_version: str) -> str:
    return api_version.rpartition("/")[0]
