"""Whether an object is up, and whether Pulumi's provider would still wait for it.

The two differ for custom resources: the provider waits for them only if `pulumi.com/waitFor` says
what for. Semantics of the waits: pulumi-kubernetes 4.x `provider/pkg/await`.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from kube.names import CLUSTER_SELECTOR_KEY
from kube.objects import JsonObject, Readiness, annotations_of, dig, name_of, namespace_of
from sandbox.gke.networks import not_ready
from sandbox.gke.queued_machines import why_waiting
from sandbox.kube import registry
from sandbox.kube.helm import job_set_controller_runs, ray_operator_runs
from sandbox.kube.pods import FINISHED, endpoints, is_running, phase, why_pending
from sandbox.kube.store import Store
from sandbox.kube.volumes import waits_because
from sandbox.kube.waits import satisfied

_NO_RAY_OPERATOR = (
    "no Ray operator runs; nearest: the cluster's add-on or the chart kuberay-operator"
)
_NO_JOB_SET_CONTROLLER = "JobSet's controller does not run; nearest: the chart jobset"
_UP = Readiness(ready=True, reason="exists")


def awaited(store: Store, obj: JsonObject) -> Readiness:
    annotations = annotations_of(obj)
    if annotations.get("pulumi.com/skipAwait") == "true":
        return Readiness(ready=True, reason="pulumi.com/skipAwait is set")
    if wait := annotations.get("pulumi.com/waitFor"):
        answer = satisfied(wait, obj)
        why = "" if answer.ready else health(store, obj).reason
        return Readiness(ready=answer.ready, reason=": ".join(filter(None, (answer.reason, why))))
    # Helm waits for a release's pods; for other kinds of somebody else's nobody waits.
    if registry.lookup(obj["apiVersion"], obj["kind"]).custom and obj["kind"] != "Release":
        reason = "exists; the provider waits for more only with pulumi.com/waitFor"
        return Readiness(ready=True, reason=reason)
    return health(store, obj)


def on_read(store: Store, obj: JsonObject) -> Readiness:
    """What the provider says of an object that it reads, as at a refresh: it heeds
    `pulumi.com/skipAwait` then and not `pulumi.com/waitFor` (await.go:405, commit 94977969)."""
    if annotations_of(obj).get("pulumi.com/skipAwait") == "true" or obj["kind"] not in _READ:
        return _UP
    return health(store, obj)


def health(store: Store, obj: JsonObject) -> Readiness:
    check = _CHECKS.get(obj["kind"])
    return check(store, obj) if check else _UP


def _answer(why_not: str, reason: str) -> Readiness:
    return Readiness(ready=not why_not, reason=why_not or reason)


def _volume(store: Store, obj: JsonObject) -> Readiness:
    del store
    state = dig(obj, "status", "phase")
    return Readiness(ready=state in ("Available", "Bound"), reason=f"volume is {state}")


def _claim(store: Store, obj: JsonObject) -> Readiness:
    state = dig(obj, "status", "phase")
    late = store.binding_mode(obj["spec"].get("storageClassName") or "") == "WaitForFirstConsumer"
    if state == "Pending" and late and not obj["spec"].get("volumeName"):
        return Readiness(ready=True, reason="Pending until a pod uses it, as its class says")
    return _answer(waits_because(store, obj), "claim is Bound")


def _pod(store: Store, obj: JsonObject) -> Readiness:
    del store
    state = phase(obj)
    ready = state in ("Running", "Succeeded")
    return Readiness(ready=ready, reason=f"pod is {state}" if ready else _pending(obj))


def _pending(pod: Mapping[str, Any]) -> str:
    placed = "it has a node, and its containers are not ready"
    why = why_pending(pod) or (placed if dig(pod, "spec", "nodeName") else "it has no node yet")
    return f"{name_of(pod)} is {phase(pod)}: {why}"


def _pods_up(store: Store, owners: Sequence[JsonObject], wanted: int) -> Readiness:
    pods = [pod for owner in owners for pod in store.owned_by(owner, "Pod")]
    up = len([pod for pod in pods if is_running(pod)])
    counts = f"{up}/{wanted} pods are Running"
    waiting = [pod for pod in pods if phase(pod) not in ("Running", *FINISHED)]
    if up == wanted and not waiting:
        return Readiness(ready=True, reason=counts)
    refusals = [it for owner in owners for it in _refused(store, owner)]
    whys = [*refusals, *(_pending(pod) for pod in waiting)]
    return Readiness(ready=False, reason="; ".join([counts, *whys[:1]]))


def _refused(store: Store, owner: JsonObject) -> list[str]:
    """Why the owner's controller could not make a pod."""
    why = store.refused.get(owner["metadata"]["uid"])
    return [why] if why else []


def _deployment(store: Store, obj: JsonObject) -> Readiness:
    return _pods_up(store, [obj], obj["spec"]["replicas"])


def _daemon_set(store: Store, obj: JsonObject) -> Readiness:
    wanted = dig(obj, "status", "desiredNumberScheduled") or 0
    return _pods_up(store, [obj], wanted)


def _job(store: Store, obj: JsonObject) -> Readiness:
    conditions = {c["type"]: c["status"] for c in dig(obj, "status", "conditions") or []}
    if conditions.get("Complete") == "True":
        return Readiness(ready=True, reason="job is Complete")
    if conditions.get("Suspended") == "True":
        return Readiness(ready=False, reason="job is suspended")
    status = obj.get("status") or {}
    counts = f"job has {status.get('active', 0)} active and {status.get('succeeded', 0)} succeeded"
    waiting = [pod for pod in store.owned_by(obj, "Pod") if phase(pod) == "Pending"]
    whys = [*_refused(store, obj), *(_pending(pod) for pod in waiting)]
    return Readiness(ready=False, reason="; ".join([counts, *whys[:1]]))


def _quota(store: Store, obj: JsonObject) -> Readiness:
    # Until then the API server refuses every pod that the quota would count (k8s.io/apiserver
    # v0.35.4 pkg/admission/plugin/resourcequota/controller.go:473), so the provider waits
    # (pulumi/pulumi-kubernetes provider/pkg/await/awaiters.go:400, 94977969).
    del store
    counted = dig(obj, "status", "hard") == dig(obj, "spec", "hard")
    return _answer("" if counted else "quota is not counted yet", "quota is counted")


def _job_set(store: Store, obj: JsonObject) -> Readiness:
    """Up once its pods are: how long they run is not the cluster's matter."""
    if not job_set_controller_runs(store):
        return Readiness(ready=False, reason=_NO_JOB_SET_CONTROLLER)
    if dig(obj, "status", "terminalState") == "Completed":
        return Readiness(ready=True, reason="job set is Completed")
    if obj["spec"].get("suspend"):
        return Readiness(ready=False, reason="job set is suspended")
    jobs = store.owned_by(obj, "Job")
    return _pods_up(store, jobs, sum(job["spec"]["parallelism"] for job in jobs))


def _service(store: Store, obj: JsonObject) -> Readiness:
    spec = obj["spec"]
    if (
        spec["type"] == "ExternalName"
        or spec.get("clusterIP") == "None"
        or not spec.get("selector")
    ):
        return Readiness(ready=True, reason="needs no endpoints")
    # A Service that selects no pod at all is ready for the provider: nothing is pending.
    waiting = [pod for pod in endpoints(store, obj) if phase(pod) == "Pending"]
    selected = len(endpoints(store, obj))
    return _answer(_pending(waiting[0]) if waiting else "", f"{selected} endpoints")


def _ray_cluster(store: Store, obj: JsonObject) -> Readiness:
    return _gets_no_ray_pods(store, obj) or _pods_up(store, [obj], _ray_pods(obj))


def _gets_no_ray_pods(store: Store, cluster: JsonObject) -> Readiness | None:
    """None where KubeRay is to make them."""
    if not ray_operator_runs(store):
        return Readiness(ready=False, reason=_NO_RAY_OPERATOR)
    if dig(cluster, "status", "state") == "suspended":
        return Readiness(ready=False, reason="cluster is suspended")
    return None


def _ray_pods(cluster: JsonObject) -> int:
    return (dig(cluster, "status", "desiredWorkerReplicas") or 0) + 1


def lacks_ray_pods(store: Store, obj: JsonObject) -> bool:
    """Whether KubeRay has pods of a Ray cluster to make that it has not come to: after one of the
    same name it first waits 30 seconds for pods of that one, and then to look again, which it does
    every 5 minutes (ray-project/kuberay v1.4.2 ray-operator/controllers/ray:
    raycluster_controller.go:137 and :354, expectations/scale_expectations.go:36; mended in
    feeaf72fa)."""
    if obj["kind"] != "RayCluster" or _gets_no_ray_pods(store, obj):
        return False
    return len(store.owned_by(obj, "Pod")) < _ray_pods(obj)


def _ray_job(store: Store, obj: JsonObject) -> Readiness:
    if not ray_operator_runs(store):
        return Readiness(ready=False, reason=_NO_RAY_OPERATOR)
    state = dig(obj, "status", "jobDeploymentStatus") or "New"
    if state == "Complete":
        return Readiness(ready=True, reason="job is Complete")
    name = dig(obj, "status", "rayClusterName") or ""
    cluster = store.get("ray.io/v1", "RayCluster", namespace_of(obj), name)
    chosen = (dig(obj, "spec", "clusterSelector") or {}).get(CLUSTER_SELECTOR_KEY)
    if cluster is None:
        why = f'RayCluster "{chosen or name}" not found' if state != "Suspended" else "suspended"
    elif state == "Running":
        submitters = store.owned_by(obj, "Job")
        why = _job(store, submitters[0]).reason if submitters else "submitted"
        pods = health(store, cluster)
        why = why if pods.ready else f"waits for its machines: {pods.reason}"
    else:
        why = f"RayCluster {name}: {health(store, cluster).reason}"
    # A job that runs is up: how long it takes is not the cluster's matter.
    running = dig(obj, "status", "jobStatus") == "RUNNING"
    return Readiness(ready=running, reason=f"job is {state}; {why}")


def _network(store: Store, obj: JsonObject) -> Readiness:
    del store
    return _answer(not_ready(obj), f"{obj['kind']} is Ready")


def _release(store: Store, obj: JsonObject) -> Readiness:
    if obj["spec"].get("skipAwait"):
        return Readiness(ready=True, reason="skipAwait is set")
    deployments = store.owned_by(obj, "Deployment")
    waiting = [each for each in (_deployment(store, d) for d in deployments) if not each.ready]
    return _answer(waiting[0].reason if waiting else "", "release is deployed")


def _cluster_queue(store: Store, obj: JsonObject) -> Readiness:
    del store
    active = next(iter(dig(obj, "status", "conditions") or []), None)
    if active is None:
        return Readiness(ready=False, reason="Kueue's manager has not looked at it")
    return Readiness(ready=active["status"] == "True", reason=active["message"])


def _provisioning_request(store: Store, obj: JsonObject) -> Readiness:
    del store
    return _answer(why_waiting(obj), "its machines are there")


# Those for which the provider has a check when it reads (awaiters.go, awaitRead).
_READ = frozenset({"DaemonSet", "Deployment", "Job", "Pod", "Service"})
_CHECKS: dict[str, Callable[[Store, JsonObject], Readiness]] = {
    "PersistentVolume": _volume,
    "PersistentVolumeClaim": _claim,
    "Pod": _pod,
    "ClusterQueue": _cluster_queue,
    "Deployment": _deployment,
    "DaemonSet": _daemon_set,
    "Job": _job,
    "JobSet": _job_set,
    "LocalQueue": _cluster_queue,
    "Release": _release,
    "ResourceQuota": _quota,
    "Service": _service,
    "GKENetworkParamSet": _network,
    "Network": _network,
    "ProvisioningRequest": _provisioning_request,
    "RayCluster": _ray_cluster,
    "RayJob": _ray_job,
}
