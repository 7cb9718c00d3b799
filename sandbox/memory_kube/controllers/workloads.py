"""Deployment, DaemonSet and Job: their pods and their status."""

from collections.abc import Sequence

from kube.objects import JsonObject, Node, dig, name_of, namespace_of
from sandbox.kube.kueue import queue_of
from sandbox.kube.pods import (
    FINISHED,
    is_running,
    phase,
    pod_from,
    suffix,
    template_hash,
)
from sandbox.kube.scheduler import admits
from sandbox.kube.store import Store, owner_of
from sandbox.memory_kube.owned_pods import keep_pods


def run_deployments(store: Store, nodes: Sequence[Node]) -> None:
    del nodes
    for deployment in store.all("Deployment"):
        spec, name = deployment["spec"], name_of(deployment)
        hashed = template_hash(spec["template"])
        wanted: dict[str, JsonObject] = {}
        for index in range(spec["replicas"]):
            pod_name = f"{name}-{hashed}-{suffix(name, hashed, index)}"
            wanted[pod_name] = pod_from(
                spec["template"],
                name=pod_name,
                namespace=namespace_of(deployment),
                labels={"pod-template-hash": hashed},
            )
        keep_pods(store, deployment, wanted)
        pods = store.owned_by(deployment, "Pod")
        ready = len([pod for pod in pods if is_running(pod)])
        store.patch(deployment, status=_deployment_status(deployment, ready))


def _deployment_status(deployment: JsonObject, ready: int) -> JsonObject:
    wanted = deployment["spec"]["replicas"]
    available = "True" if ready >= wanted else "False"
    return {
        "observedGeneration": deployment["metadata"]["generation"],
        "replicas": wanted,
        "updatedReplicas": wanted,
        "readyReplicas": ready,
        "availableReplicas": ready,
        "unavailableReplicas": wanted - ready,
        "conditions": [{"type": "Available", "status": available}],
    }


def run_daemon_sets(store: Store, nodes: Sequence[Node]) -> None:
    for daemon_set in store.all("DaemonSet"):
        template, name = daemon_set["spec"]["template"], name_of(daemon_set)
        hashed = template_hash(template)
        wanted: dict[str, JsonObject] = {}
        for node in nodes:
            if not admits(template["spec"], node):
                continue
            pod_name = f"{name}-{suffix(name, hashed, node.name)}"
            pod = pod_from(
                template,
                name=pod_name,
                namespace=namespace_of(daemon_set),
                labels={"controller-revision-hash": hashed},
            )
            pod["spec"]["affinity"] = _pinned_to(node)
            wanted[pod_name] = pod
        keep_pods(store, daemon_set, wanted)
        pods = store.owned_by(daemon_set, "Pod")
        ready = len([pod for pod in pods if is_running(pod)])
        status = {
            "observedGeneration": daemon_set["metadata"]["generation"],
            "desiredNumberScheduled": len(wanted),
            "currentNumberScheduled": len(pods),
            "updatedNumberScheduled": len(pods),
            "numberReady": ready,
            "numberAvailable": ready,
        }
        store.patch(daemon_set, status=status)


def _pinned_to(node: Node) -> JsonObject:
    field = {"key": "metadata.name", "operator": "In", "values": [node.name]}
    terms = {"nodeSelectorTerms": [{"matchFields": [field]}]}
    return {"nodeAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": terms}}


def finish_job_pods(store: Store) -> None:
    """There is no time here: a Job's pod that ran in one reconcile has succeeded in the next.

    A queued Job is a training, and goes on.
    """
    for job in store.all("Job"):
        if queue_of(job) or _is_of_queued(store, job):
            continue
        for pod in store.owned_by(job, "Pod"):
            if is_running(pod):
                store.patch(pod, status={"phase": "Succeeded", "conditions": []})


def _is_of_queued(store: Store, job: JsonObject) -> bool:
    """Whether the Job is one of a JobSet with a queue."""
    uid = owner_of(job).get("uid")
    return any(queue_of(it) for it in store.all("JobSet") if it["metadata"]["uid"] == uid)


def run_jobs(store: Store, nodes: Sequence[Node]) -> None:
    del nodes
    for job in store.all("Job"):
        spec = job["spec"]
        done = [pod for pod in store.owned_by(job, "Pod") if phase(pod) in FINISHED]
        total = _completions(job, done)
        at_once = 0 if spec.get("suspend") else spec["parallelism"]
        active = min(at_once, max(total - len(done), 0))
        wanted = {name_of(pod): pod for pod in done}
        indexes = [i for i in range(total) if _pod_name(job, i) not in wanted]
        for index in indexes[:active]:
            pod_name = _pod_name(job, index)
            labels = {"batch.kubernetes.io/job-name": name_of(job), "job-name": name_of(job)}
            if spec["completionMode"] == "Indexed":
                labels["batch.kubernetes.io/job-completion-index"] = str(index)
            wanted[pod_name] = pod_from(
                spec["template"], name=pod_name, namespace=namespace_of(job), labels=labels
            )
        keep_pods(store, job, wanted)
        store.patch(job, status=_job_status(job, active, len(done), total))


def _completions(job: JsonObject, done: list[JsonObject]) -> int:
    # A work queue (no completions) starts nothing new once one of its pods has succeeded.
    completions = dig(job, "spec", "completions")
    if completions is not None:
        return completions
    return job["spec"]["parallelism"] if not done else len(done)


def _pod_name(job: JsonObject, index: int) -> str:
    middle = f"{index}-" if job["spec"]["completionMode"] == "Indexed" else ""
    return f"{name_of(job)}-{middle}{suffix(job['metadata']['uid'], index)}"


def _job_status(job: JsonObject, active: int, succeeded: int, total: int) -> JsonObject:
    conditions: list[JsonObject] = []
    if job["spec"].get("suspend"):
        conditions = [{"type": "Suspended", "status": "True", "reason": "JobSuspended"}]
    elif succeeded >= total:
        conditions = [{"type": "Complete", "status": "True", "reason": "CompletionsReached"}]
    status: JsonObject = {"active": active, "succeeded": succeeded, "conditions": conditions}
    if not job["spec"].get("suspend"):
        status["startTime"] = job["metadata"]["creationTimestamp"]
    return status
