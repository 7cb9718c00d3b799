"""Who took a pod away that its program did not end. Pure.

The condition DisruptionTarget and its reasons, kubernetes/kubernetes v1.35.4:
staging/src/k8s.io/api/core/v1/types.go (TerminationByKubelet, PreemptionByScheduler),
pkg/kubelet/nodeshutdown/nodeshutdown_manager.go, pkg/kubelet/preemption/preemption.go,
pkg/controller/tainteviction/taint_eviction.go, pkg/controller/podgc/gc_controller.go,
pkg/registry/core/pod/storage/eviction.go. Of Kueue: sigs.k8s.io/kueue v0.19.2
pkg/controller/tas/node_controller.go and pkg/controller/jobs/pod/pod_controller.go.
"""

from __future__ import annotations

from aistack.offered import kubectl, offered
from aistack.why.ends import last_checkpoint
from aistack.why.saying import capital, spoken
from aistack.why.snapshot import Reason, Snapshot, pod_words
from kube.jobs import State, condition
from kube.kinds import DEPLOYMENT, JOB, JOB_SET
from kube.objects import JsonObject, dig, labels_of, maps
from kube.reading import moment, whole

_DISRUPTED = "DisruptionTarget"
_BY_KUEUE = ("TerminatedByKueue", "TerminationTarget")
_SHUTDOWNS = ("imminent node shutdown", "the node is shutting down")
# kubernetes-sigs/jobset v0.12.0 api/jobset/v1alpha2/jobset_types.go, RestartsKey.
_RESTART = "jobset.sigs.k8s.io/restart-attempt"
# A kubelet confirms within seconds after the grace period.
_GONE_SECONDS = 120
# By the condition's reason: the cause, and what happened.
_WHO = {
    "PreemptionByScheduler": (
        "preempted-by-pods",
        "Kubernetes stopped {pod} to make room for a pod with more priority",
    ),
    "DeletionByTaintManager": (
        "machine-gone",
        "The node of {pod} stopped answering or was emptied, and Kubernetes took the pod away",
    ),
    "DeletionByPodGC": ("machine-gone", "The node of {pod} is gone, and the pod with it"),
    # GKE's own cloud controller manager, as kubernetes-sigs/prow pull 117 of 2024-04-18 has it.
    "DeletionByGCPControllerManager": (
        "machine-gone",
        "The node of {pod} is gone, and the pod with it",
    ),
    "EvictionByEvictionAPI": (
        "drained",
        "{pod} was evicted, as an upgrade, a drain or the autoscaler does it to empty a node",
    ),
}


def taken_away(it: Snapshot) -> Reason | None:
    """Of a job's ranks the first whose newest pod was taken away."""
    for member in it.pods:
        if dig(member.pod, "status", "phase") == "Succeeded":
            continue
        said = who_took(member.pod, pod_words(member))
        if said is not None:
            cause, sentence = said
            return Reason(cause, f"{sentence}.", what_follows(it))
    return None


def who_took(pod: JsonObject, words: str) -> tuple[str, str] | None:
    """Its cause, and a sentence of the pod in `words` without the full stop."""
    for name in _BY_KUEUE:
        found = condition(pod, name)
        if found is not None:
            message = str(found.get("message") or found.get("reason") or "").rstrip(".")
            return "stopped-by-kueue", capital(f"{words} was stopped by Kueue: {message}")
    found = condition(pod, _DISRUPTED)
    if found is None:
        return _shut_down(pod, words)
    reason, message = str(found.get("reason") or ""), str(found.get("message") or "").rstrip(".")
    if reason in _WHO:
        cause, sentence = _WHO[reason]
        return cause, capital(sentence.format(pod=words))
    return _shut_down(pod, words, message) or (
        "taken-away",
        capital(
            f"{words} was taken away, {reason or 'for no given reason'}: {message or 'no word why'}"
        ),
    )


def _shut_down(pod: JsonObject, words: str, message: str = "") -> tuple[str, str] | None:
    """A kubelet that shuts down ends its pods, and refuses those that come late; before Kubernetes
    1.26 without a condition."""
    own = str(dig(pod, "status", "message") or "")
    if not any(said in f"{message} {own}" for said in _SHUTDOWNS):
        return None
    return "machine-gone", capital(
        f"the machine of {words} was shut down, as Google does with spot machines that it takes "
        "back"
    )


def not_gone(it: Snapshot) -> Reason | None:
    """A pod whose deletion its node does not confirm: kubernetes/kubernetes issue 72226 of
    2019-02-27, kubernetes/enhancements issue 6262 of 2026-07-29. `deletionTimestamp` is the end of
    its grace period."""
    if it.job.state is State.STOPPING or it.job.state.has_ended:
        return None
    for member in it.pods:
        due = dig(member.pod, "metadata", "deletionTimestamp")
        if due is None or dig(member.pod, "status", "phase") == "Succeeded":
            continue
        age = (it.now - moment(due)).total_seconds()
        if age < _GONE_SECONDS:
            continue
        held = ", ".join(dig(member.pod, "metadata", "finalizers") or [])
        node = dig(member.pod, "spec", "nodeName") or "none"
        return Reason(
            "pod-not-gone",
            f"{capital(pod_words(member))} is being deleted for {spoken(age)} longer than its "
            + (
                f"grace period: {held} holds it."
                if held
                else f"grace period: its node {node} does not say that it has ended."
            ),
            "See whether that controller runs."
            if held
            else f"See `{kubectl('get', 'node', node)}`: where the machine is gone for good, "
            "delete the node, and its pods go with it.",
        )
    return None


def what_follows(it: Snapshot, *, failed: bool = False) -> str:
    """Whether the work starts again by itself, from where, and whether that counts as a retry.
    `failed` is for a program that ended by itself, which no policy on disruptions excuses."""
    named = last_checkpoint(it)
    again = f"{named} " if named else ""
    again += f"From which checkpoint, see `{offered('checkpoints', it.job.name)}`."
    if it.job.state is State.FAILED:
        return f"It does not start again by itself: submit it again. {again}"
    if not _starts_again(it, failed=failed):
        return f"It has no retry left and does not start again by itself: submit it again. {again}"
    if it.found.kind == JOB_SET:
        return f"All its pods are made anew by themselves; {_counts(it, failed=failed)}. {again}"
    if it.found.kind == JOB:
        return f"Another pod is made by itself; {_counts(it, failed=failed)}. {again}"
    if it.found.kind == DEPLOYMENT:
        return "Another server is made by itself; what this one was at is lost."
    return "KubeRay makes another pod by itself; what Ray ran on this one is lost or runs again."


def _starts_again(it: Snapshot, *, failed: bool) -> bool:
    """Whether the controller makes pods anew that it has not yet looked at. A JobSet fails once its
    restarts are used (kubernetes-sigs/jobset pkg/controllers/failure_policy.go of f22237ac), and
    pods of an earlier restart are on their way out."""
    if it.found.kind not in (JOB_SET, JOB) or _is_free(it, failed=failed):
        return True
    status = it.found.obj.get("status") or {}
    if it.found.kind == JOB:
        return whole(status.get("failed")) <= _retries(it) and _retries(it) > 0
    restarts = str(status.get("restarts") or 0)
    is_old = any(labels_of(one.pod).get(_RESTART, restarts) != restarts for one in it.pods)
    return is_old or restarts_used(status) < _retries(it)


def restarts_used(status: JsonObject) -> int:
    """Restarts of a JobSet that count."""
    return whole(status.get("restartsCountTowardsMax"))


def _counts(it: Snapshot, *, failed: bool) -> str:
    """What the failure policies of the job say of a pod that ended so."""
    if _is_free(it, failed=failed):
        return "it counts as no retry"
    used = restarts_used(it.found.obj.get("status") or {}) if it.found.kind == JOB_SET else 0
    more = f" and has used {used}" if used else ""
    return f"it counts as one of its retries, of which it has {_retries(it)}{more}"


def _is_free(it: Snapshot, *, failed: bool) -> bool:
    if it.found.kind == JOB_SET:
        return _free_of_job_set(it.found.obj.get("spec") or {}, failed=failed)
    return not failed and _has_rule(it.found.obj.get("spec") or {}, "Ignore")


def _free_of_job_set(spec: JsonObject, *, failed: bool) -> bool:
    """A JobSet sees why a Job of it failed: for its podFailurePolicy, where that fails the Job on a
    disruption (kubernetes-sigs/jobset v0.12.0 api/jobset/v1alpha2/jobset_types.go)."""
    jobs = [dig(part, "template", "spec") or {} for part in maps(spec.get("replicatedJobs"))]
    by_policy = not failed and any(_has_rule(job, "FailJob") for job in jobs)
    for rule in maps(dig(spec, "failurePolicy", "rules")):
        reasons = rule.get("onJobFailureReasons") or []
        if not reasons or (by_policy and "PodFailurePolicy" in reasons):
            return rule["action"] == "RestartJobSetAndIgnoreMaxRestarts"
    return False


def _retries(it: Snapshot) -> int:
    """A JobSet restarts as a whole; a Job has 6 where it does not say (kubernetes/kubernetes
    v1.35.4 pkg/apis/batch/v1/defaults.go)."""
    spec = it.found.obj.get("spec") or {}
    if it.found.kind == JOB_SET:
        return whole(dig(spec, "failurePolicy", "maxRestarts"))
    return whole(spec.get("backoffLimit"), 6)


def _has_rule(spec: JsonObject, action: str) -> bool:
    """Whether a Job does so with a pod that was taken away (kubernetes/kubernetes v1.35.4
    pkg/apis/batch/types.go)."""
    return any(
        rule["action"] == action
        and any(each["type"] == _DISRUPTED for each in maps(rule.get("onPodConditions")))
        for rule in maps(dig(spec, "podFailurePolicy", "rules"))
    )
