"""What a Ray cluster loses when a container of it ends, and what Ray says of a job. Pure.

ray-project/kuberay v1.4.2 ray-operator/apis/ray/v1/rayjob_types.go (status, reasons);
ray-project/kuberay issues 3860 of 2025-07 and 3903 of 2025-07-29 (a head that restarted, and a
RayJob that is Running for ever); ray-project/ray issues 22472 of 2022-02-17 (a runtime environment
that could not be set up) and 27910 of 2022-08-16 (no node type for a request).
"""

from __future__ import annotations

import re

from aistack.members import DRIVER, LAUNCHER
from aistack.offered import offered
from aistack.why.end_rules import end_of_ray_job
from aistack.why.ends import any_end, containers, was_bad
from aistack.why.saying import spoken
from aistack.why.snapshot import Reason, Rule, Snapshot
from kube.jobs import State
from kube.kinds import RAY_CLUSTER, RAY_JOB
from kube.objects import JsonObject, annotations_of, dig, name_of
from kube.reading import moment

# What KubeRay puts before a worker's own containers, with an amount of memory of KubeRay's own
# (ray-project/kuberay v1.6.2 ray-operator/controllers/ray/common/pod.go).
RAY_WAITER = "wait-gcs-ready"
FAULT_TOLERANT = "ray.io/ft-enabled"
_RUNTIME_ENV = re.compile(r"runtime_env setup failed|RuntimeEnvSetupError|Failed to set up runtime")
_NO_NODE_TYPE = re.compile(
    r"No available node types can fulfill resource request (?P<what>.+?)\. Add suitable"
)
# ray-project/kuberay v1.4.2 ray-operator/apis/ray/v1/rayjob_types.go: of its reasons the one that
# Ray's own word of the job leads to; the others are KubeRay's.
_BY_RAY = ("AppFailed", "Failed")
# Ray's autoscaler repeats its error every half minute.
# Of a message, in which the end says why.
_LONGEST = 4000
_RECENT_LINES = 5


def is_history(it: Snapshot, ended: JsonObject) -> bool:
    """Whether a container of a Ray cluster ended, and ran again, before the job began. A cluster
    that is ready has nothing else to lose."""
    if it.found.kind == RAY_CLUSTER:
        return it.job.state is State.RUNNING
    finished = ended.get("finishedAt")
    if not finished:
        return False
    began = dig(it.found.obj, "status", "startTime") or it.job.created.isoformat()
    return moment(finished) < moment(began)


def no_ray_cluster(it: Snapshot) -> Reason | None:
    wanted = it.job.runs_on
    if it.found.kind != RAY_JOB or it.job.state.has_ended or not wanted:
        return None
    if any(kind == RAY_CLUSTER for kind, _ in it.members.made):
        return None
    return Reason(
        "ray-cluster-missing",
        f"The Ray cluster {wanted} that it runs on is not there.",
        "Bring the stack up again, or submit the job to a cluster that is there.",
    )


def refused_by_kuberay(it: Snapshot) -> Reason | None:
    """A spec that the API server took, and KubeRay does not (kubernetes-sigs/kueue issue 13413 of
    2026-07-23; ray-project/kuberay v1.4.2 ray-operator/controllers/ray/utils/validation.go)."""
    if it.job.state.has_ended:
        return None
    said = ""
    if dig(it.found.obj, "status", "jobDeploymentStatus") == "ValidationFailed":
        said = str(dig(it.found.obj, "status", "message") or "")
    else:
        events = [event for event in it.said("RayJob", "RayCluster") if event.warns]
        newest = events[0] if events else None
        if newest is not None and newest.reason.startswith("InvalidRay") and not it.pods:
            said = newest.message
    if not said:
        return None
    return Reason(
        "refused-by-kuberay",
        f'KubeRay does not take it. KubeRay says: "{said.strip().rstrip(".")[:400]}".',
        "Change it as that says, cancel it and submit it again: it keeps its quota until then.",
    )


def part_suspended(it: Snapshot) -> Reason | None:
    """A RayJob that may run, and a part of it that may not (kubernetes-sigs/kueue issues 1844 of
    2024-03-14 and 1568 of 2024-01-11)."""
    if it.found.kind != RAY_JOB or it.job.state not in (State.STARTING, State.RUNNING):
        return None
    for kind, obj in it.members.made:
        if dig(obj, "spec", "suspend") is True:
            return Reason(
                "part-suspended",
                f"Its {kind.name} {name_of(obj)} is suspended, and the RayJob is not.",
                f"See `{offered('why', name_of(obj))}`: a queue may hold the {kind.name} by "
                "itself, or Kueue is away.",
            )
    return None


def no_ray_head(it: Snapshot) -> Reason | None:
    """All that Ray knows is the head's: without it jobs on the cluster are lost."""
    if it.job.state.has_ended or not _ray_clusters(it):
        return None
    heads = [member for member in it.pods if member.role == "head"]
    others = [member for member in it.pods if member.role not in ("head", LAUNCHER)]
    alive = [it for it in heads if dig(it.pod, "status", "phase") in ("Running", "Pending")]
    if alive or not (heads or others):
        return None
    return Reason(
        "ray-head-gone",
        "The head of its Ray cluster is gone, and with it what Ray knew of its jobs.",
        "KubeRay makes another; submit the job again, or give the cluster `redis`, which keeps it.",
    )


def head_state_lost(it: Snapshot) -> Reason | None:
    """A head that runs again knows nothing of the jobs from before, unless Redis keeps it."""
    if it.found.kind != RAY_JOB or it.job.state.has_ended or _keeps_state(it):
        return None
    for member, status in containers(it):
        ended = any_end(status)
        if member.role != "head" or ended is None or not was_bad(ended) or is_history(it, ended):
            continue
        code, when = ended.get("exitCode"), ended.get("finishedAt")
        ago = f" {spoken(_age(it, when))} ago" if when else ""
        return Reason(
            "ray-state-lost",
            f"The head of its Ray cluster ended{ago}, exit code {code}, and runs again without "
            "the state of its jobs: Ray does not know this job any more.",
            "Submit the job again; `redis` of the Ray cluster keeps its state for the next time.",
        )
    return None


def no_node_type(it: Snapshot) -> Reason | None:
    """The autoscaler's newest words, which the driver prints, and a launcher repeats."""
    if it.found.kind != RAY_JOB or it.job.state.has_ended:
        return None
    names = [member.name for member in it.pods if member.role == LAUNCHER]
    for name in (*names, DRIVER):
        for line in reversed(it.logs.get(name, ())[-_RECENT_LINES:]):
            if (said := _NO_NODE_TYPE.search(line)) is not None:
                return Reason(
                    "pending-in-ray",
                    f"No group of workers of its Ray cluster can have what it asks of Ray: "
                    f"{said['what']}.",
                    "Ask Ray for less in one task or placement group, or give the Ray cluster "
                    "workers with as much.",
                )
    return None


def failed_by_ray(it: Snapshot) -> Reason | None:
    if it.found.kind != RAY_JOB or it.job.state is not State.FAILED:
        return None
    # KubeRay hands on what the job's own head answers, of any length.
    said = str(dig(it.found.obj, "status", "message") or "").strip()[-_LONGEST:]
    if dig(it.found.obj, "status", "jobStatus") == "STOPPED":
        return Reason(
            "stopped-by-hand",
            "A person stopped it through Ray: `ray job stop`, or Ray's dashboard.",
            f"Submit it again. From which checkpoint, see `{offered('checkpoints', it.job.name)}`.",
        )
    if _RUNTIME_ENV.search(said):
        return Reason(
            "packages-not-installed",
            f'Ray could not set up its runtime environment. Ray says: "{said[-600:]}".',
            "See the names and versions of its packages, and whether the pods reach the index "
            "that they come from.",
        )
    if (known := end_of_ray_job(said)) is not None:
        cause, sentence, advice = known
        return Reason(
            cause,
            f'Its program failed, for {sentence}. Ray says: "{said[-300:]}".',
            advice.format(logs=offered("logs", it.job.name)),
        )
    why = dig(it.found.obj, "status", "reason") or "Failed"
    who = "Ray" if why in _BY_RAY else "KubeRay"
    return Reason(
        "ray-job-failed",
        f"{who} says that it failed, {why}{f': {said[-300:]}' if said else ''}.",
        f"See `{offered('events', it.job.name)}`, and what its pods said.",
    )


def _keeps_state(it: Snapshot) -> bool:
    """KubeRay's options since 1.3, and the annotation that they replace."""
    clusters = _ray_clusters(it)
    return any(
        dig(obj, "spec", "gcsFaultToleranceOptions") is not None
        or annotations_of(obj).get(FAULT_TOLERANT) == "true"
        for obj in clusters
    )


def _ray_clusters(it: Snapshot) -> list[JsonObject]:
    objects = [(it.found.kind, it.found.obj), *it.members.made]
    return [obj for kind, obj in objects if kind == RAY_CLUSTER]


def _age(it: Snapshot, when: str) -> float:
    return (it.now - moment(when)).total_seconds()


BEFORE_PODS: tuple[Rule, ...] = (no_ray_cluster, refused_by_kuberay, part_suspended)
LAST: tuple[Rule, ...] = (no_ray_head, head_state_lost, failed_by_ray, no_node_type)
