"""Which queue decides about an object, and what that queue's objects refer to."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from kube.objects import (
    JsonObject,
    dig,
    labels_of,
    maps,
    matches_labels,
    name_of,
    namespace_of,
)
from sandbox.kube.kueue import flavors_of, installed, queue_of
from sandbox.kube.kueue_configuration import Configuration
from sandbox.kube.pods import FINISHED, phase
from sandbox.kube.store import Store, owner_of

PRIORITY = "kueue.x-k8s.io/priority-class"
FRAMEWORKS = {
    "Pod": "pod",
    "Job": "batch/job",
    "JobSet": "jobset.x-k8s.io/jobset",
    "RayCluster": "ray.io/raycluster",
    "RayJob": "ray.io/rayjob",
}
# In a ClusterQueue's status: the uids of the work that it has admitted.
WORK = "sandboxWork"
_MACHINES = "kueue.x-k8s.io/provisioning-request"
Why = tuple[str, str]


def queued_work(
    store: Store, obj: JsonObject, owner: JsonObject | None = None
) -> JsonObject | None:
    """The object by whose queue Kueue decides when `obj` starts: `obj` or what owns it; None where
    Kueue leaves it alone. `owner` is that of an object which is not stored yet."""
    config = installed(store)
    if config is None:
        return None
    above = [owner, *_owners(store, owner)] if owner else [*_owners(store, obj)]
    return next((it for it in (*reversed(above), obj) if _is_queued(store, config, it)), None)


def running_work(store: Store) -> dict[str, JsonObject]:
    """Queued work with pods that have not ended, by uid."""
    pods = [pod for pod in store.all("Pod") if phase(pod) not in FINISHED]
    found = [work for pod in pods if (work := queued_work(store, pod))]
    return {work["metadata"]["uid"]: work for work in found}


def _is_queued(store: Store, config: Configuration, obj: JsonObject) -> bool:
    if FRAMEWORKS.get(obj["kind"]) not in config.frameworks or not queue_of(obj):
        return False
    if obj["kind"] != "Pod":
        return True
    namespace = store.namespace_labels(namespace_of(obj))
    return config.takes_pods_of(namespace) and config.takes_pod(labels_of(obj))


def _owners(store: Store, obj: Mapping[str, Any]) -> Iterator[JsonObject]:
    """The controller of an object, then the controller of that."""
    above = owner_of(obj)
    while above:
        found = store.get(above["apiVersion"], above["kind"], namespace_of(obj), above["name"])
        if found is None:
            return
        yield found
        above = owner_of(found)


def cluster_queue_of(store: Store, work: JsonObject) -> JsonObject | str:
    """The ClusterQueue that admits the work, or why none does.

    The words are those of kubernetes-sigs/kueue pkg/controller/core/workload_controller.go and
    pkg/scheduler/scheduler.go, v0.19.2.
    """
    name, namespace = queue_of(work), namespace_of(work)
    ranks = {name_of(it) for it in store.all("WorkloadPriorityClass")}
    if (rank := labels_of(work).get(PRIORITY)) and rank not in ranks:
        return "the job's priority class is not found"
    local = next((it for it in store.all("LocalQueue") if _is_at(it, namespace, name)), None)
    if local is None:
        return f"LocalQueue {name} doesn't exist"
    target = local["spec"]["clusterQueue"]
    queue = next((it for it in store.all("ClusterQueue") if name_of(it) == target), None)
    if queue is None:
        return f"ClusterQueue {target} doesn't exist"
    if next(missing_references(store, queue), None):
        return f"ClusterQueue {target} is inactive"
    selector = queue["spec"].get("namespaceSelector")
    fits = matches_labels(selector, store.namespace_labels(namespace))
    return queue if fits else "workload namespace doesn't match ClusterQueue selector"


def _is_at(obj: JsonObject, namespace: str, name: str) -> bool:
    return (namespace_of(obj), name_of(obj)) == (namespace, name)


def missing_references(store: Store, queue: JsonObject) -> Iterator[Why]:
    """Reason and message of each reference without an object, which makes the queue inactive
    (kubernetes-sigs/kueue pkg/cache/scheduler/clusterqueue.go, v0.19.2)."""
    flavors = [each["name"] for each in flavors_of(queue)]
    for kind, names in {"ResourceFlavor": flavors, "AdmissionCheck": checks_of(queue)}.items():
        have = {name_of(each) for each in store.all(kind)}
        if missing := [name for name in names if name not in have]:
            reason = f"{kind.removeprefix('Resource')}NotFound"
            yield reason, f"references missing {kind}(s): {','.join(missing)}"
    topologies = {name_of(each) for each in store.all("Topology")}
    for each in store.all("ResourceFlavor"):
        flavor, topology = name_of(each), each["spec"].get("topologyName")
        if flavor in flavors and topology and topology not in topologies:
            yield "TopologyNotFound", f'there is no Topology "{topology}" for TAS flavor "{flavor}"'


def checks_of(queue: Mapping[str, Any]) -> list[str]:
    spec = queue["spec"]
    checks = maps(dig(spec, "admissionChecksStrategy", "admissionChecks"))
    return [each["name"] for each in checks] + (spec.get("admissionChecks") or [])


def requests_machines(store: Store) -> bool:
    """Whether Kueue requests the machines of queued node pools for its work."""
    return any(it["spec"]["controllerName"] == _MACHINES for it in store.all("AdmissionCheck"))
