"""Who has not answered for too long: controllers, Ray, pods that never become ready, and a program
that prints nothing any more. Pure.

ray-project/kuberay v1.4.2 ray-operator/apis/ray/v1/rayjob_types.go (jobDeploymentStatus,
jobStatus); NVIDIA-NeMo/RL pull 2749 of 2026-06-09 (a cluster of a RayJob that is ready and has no
job); pytorch/pytorch issue 97191 of 2023-03-20 and NVIDIA-NeMo/RL issue 1846 of 2026-01 (a
training that hangs, and no process ends). The times are ours: each is longer than what was seen of
the controller.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, timedelta
from itertools import pairwise

from aistack.members import Member
from aistack.offered import offered
from aistack.why.ray_rules import RAY_WAITER
from aistack.why.saying import capital, spoken
from aistack.why.snapshot import Reason, Rule, Snapshot, is_ready, pod_words
from kube.jobs import State, condition
from kube.kinds import DEPLOYMENT, JOB, JOB_SET, RAY_CLUSTER, RAY_JOB, Kind
from kube.objects import JsonObject, dig, maps
from kube.reading import moment, whole

# A controller writes a status within a second or two of what it is asked.
_CONTROLLER_SECONDS = 60
# KubeRay gives a job to a cluster that is ready at once; Ray begins it when it has room.
_SUBMIT_SECONDS = 300
_PENDING_SECONDS = 300
# A head's own start takes a minute or two once its image is there.
_HEAD_SECONDS = 600
# Readiness that has to last, such as `minReadySeconds`, is seconds.
_CALLED_SECONDS = 600
# An image of 20 GB, weights of 140 GB and a driver come within it.
_START_SECONDS = 3600
# A Job's controller waits up to 10 minutes before it makes a pod again (kubernetes/kubernetes
# v1.35.4 pkg/controller/job/job_controller.go, MaxJobPodFailureBackOff).
_PODS_SECONDS = 900
# Compilation, a checkpoint and an evaluation are silent too. PyTorch ends a collective operation
# after 10 minutes, or after 30 where the program says so.
_SILENT_SECONDS = 2700
_TIMES_THE_LONGEST_GAP = 5
# A program that prints a burst at its start and then writes elsewhere has no habit of printing.
_MINUTES_WITH_LINES = 10
# jax-ml/jax jax/_src/xla_bridge.py, of a timer of 60 seconds; a slice of many hosts takes minutes.
_OF_HOSTS = "TPU backend initialization is taking more than"
_HOSTS_SECONDS = 600
_CONTROLLERS: dict[Kind, str] = {
    JOB: "Kubernetes' controller of Jobs",
    JOB_SET: "JobSet's controller",
    RAY_JOB: "KubeRay",
    RAY_CLUSTER: "KubeRay",
    DEPLOYMENT: "Kubernetes' controller of Deployments",
}


def controller_away(it: Snapshot) -> Reason | None:
    """Whoever is to make the pods has not written a status."""
    # The pods of a RayJob are made by its cluster's controller.
    at_work = bool(it.pods) and it.found.kind != RAY_JOB
    age = _since(it, let_in(it))
    if it.job.state is not State.STARTING or it.found.obj.get("status") or at_work:
        return None
    if age < _CONTROLLER_SECONDS:
        return None
    who = _CONTROLLERS[it.found.kind]
    return Reason(
        "controller-away",
        f"{who} has taken no notice of it for {spoken(age)}.",
        f"See whether it runs, by `{offered('status')}`: what waits goes on by itself once it "
        "does.",
    )


def pods_not_made(it: Snapshot) -> Reason | None:
    """A job whose controller answered once, and whose pods do not come. Parts of a JobSet that wait
    for other parts have no pods yet, and that is as it should be."""
    if it.job.state is not State.STARTING or not it.found.obj.get("status") or _in_order(it):
        return None
    ended = whole(dig(it.found.obj, "status", "succeeded"))
    alive = [one for one in it.pods if dig(one.pod, "status", "phase") in ("Pending", "Running")]
    missing = it.wanted - ended - len(alive)
    age = _since(it, let_in(it))
    if missing < 1 or age < _PODS_SECONDS:
        return None
    return Reason(
        "pods-missing",
        f"{missing} of its {it.wanted} pods are not made {spoken(age)} after it was let in, and no "
        "event and no rule says why.",
        f"See whether the controller that makes them runs, by `{offered('status')}`, and "
        f"`{offered('events', it.job.name)}`.",
    )


def _in_order(it: Snapshot) -> bool:
    """kubernetes-sigs/jobset v0.12.0 api/jobset/v1alpha2/jobset_types.go."""
    spec = it.found.obj.get("spec")
    parts = maps(dig(spec, "replicatedJobs"))
    return dig(spec, "startupPolicy", "startupPolicyOrder") == "InOrder" or any(
        part.get("dependsOn") for part in parts
    )


def not_submitted(it: Snapshot) -> Reason | None:
    """A Ray cluster that is ready for long, and Ray has no job of it."""
    if (
        it.found.kind != RAY_JOB
        or it.job.state.has_ended
        or dig(it.found.obj, "status", "jobStatus")
    ):
        return None
    age = _ready_for(it)
    if age is None or age < _SUBMIT_SECONDS:
        return None
    if dig(it.found.obj, "spec", "submissionMode") == "InteractiveMode":
        return Reason(
            "not-submitted",
            f"Its Ray cluster is ready since {spoken(age)}, and waits for a person to submit the "
            "job, for its `submissionMode` is InteractiveMode.",
            "Submit it by Ray's own client, or give it another submission mode.",
        )
    return Reason(
        "not-submitted",
        f"Its Ray cluster is ready since {spoken(age)}, and KubeRay has not given Ray the job.",
        f"See `{offered('events', it.job.name)}` and the log of KubeRay; cancel it and submit it "
        "again if it stays.",
    )


def pending_in_ray(it: Snapshot) -> Reason | None:
    """Ray has it, and has not begun it."""
    if it.found.kind != RAY_JOB or it.job.state.has_ended:
        return None
    age = _ready_for(it)
    pending = dig(it.found.obj, "status", "jobStatus") == "PENDING"
    if not pending or age is None or age < _PENDING_SECONDS:
        return None
    return Reason(
        "pending-in-ray",
        f"Ray has the job and has not begun it, {spoken(age)} after its cluster was ready.",
        "Ray begins it when what it asks for is free on the cluster, and its packages are "
        f"installed: see `{offered('dashboard')}`, and `{offered('jobs')}` for others on the same "
        "cluster.",
    )


def not_called_ready(it: Snapshot) -> Reason | None:
    """All pods are ready, and their controller does not say so (ray-project/kuberay issue 5088 of
    2026-08-25)."""
    if it.found.kind == RAY_JOB or it.job.state is not State.STARTING or not it.pods:
        return None
    age = _ready_for(it)
    ready = [member for member in it.pods if is_ready(member.pod)]
    if age is None or len(ready) < max(it.wanted, len(it.pods)) or age < _CALLED_SECONDS:
        return None
    who = _CONTROLLERS[it.found.kind]
    return Reason(
        "controller-away",
        f"All its {len(ready)} pods are ready since {spoken(age)}, and {who} has not taken notice "
        "of it.",
        f"See whether it runs, by `{offered('status')}`, and what it prints.",
    )


def waits_for_head(it: Snapshot) -> Reason | None:
    """A worker's first container asks the head until it answers (ray-project/kuberay v1.6.2
    ray-operator/controllers/ray/common/pod.go, issues 2519 of 2024-11-07 and 5138 of
    2026-08-12)."""
    heads = [member for member in it.pods if member.role == "head"]
    for member in it.pods:
        for status in maps(dig(member.pod, "status", "initContainerStatuses")):
            began = dig(status, "state", "running", "startedAt")
            if status["name"] != RAY_WAITER or not began:
                continue
            age = _since(it, moment(began))
            if age < _HEAD_SECONDS:
                continue
            asks = (
                f"{capital(pod_words(member))} has asked for {spoken(age)} whether the head of its "
                "Ray cluster is there, and got no answer: the head "
            )
            log = offered("logs", it.job.name, "--rank", member.role, "--container", RAY_WAITER)
            if any(is_ready(one.pod) for one in heads):
                return Reason(
                    "ray-not-reached",
                    f"{asks}is ready.",
                    f"See what it says, `{log}`, and whether network policies and DNS let it reach "
                    "the head. It asks by `ray health-check`, for which KubeRay gives it 0.2 CPUs: "
                    "an image in which that takes long needs one with compiled Python files.",
                )
            phase = dig(heads[0].pod, "status", "phase") if heads else "not made"
            head = offered("logs", it.job.name, "--rank", "head")
            return Reason(
                "ray-not-reached",
                f"{asks}is {str(phase).lower()} and not ready.",
                f"The head is what to look at: `{head}`, `{offered('events', it.job.name)}`.",
            )
    return None


def starts_too_long(it: Snapshot) -> Reason | None:
    """Nothing says why."""
    if it.job.state is not State.STARTING or not it.pods:
        return None
    waiting = [
        (_since(it, max(let_in(it), _made(one.pod) or let_in(it))), one)
        for one in it.pods
        if not is_ready(one.pod)
    ]
    late = [(age, one) for age, one in waiting if age >= _START_SECONDS]
    if not late:
        return None
    age, first = late[0]
    return Reason(
        "starts-too-long",
        f"{len(waiting)} of its {max(it.wanted, len(it.pods))} pods are not ready {spoken(age)} "
        f"after {first.name} was let in, and no rule knows why.{_newest_warning(it, first)}",
        f"See `{offered('events', it.job.name)}` and `{offered('logs', it.job.name)}`.",
    )


def _newest_warning(it: Snapshot, member: Member) -> str:
    for event in it.said_of_pod(member):
        if event.warns:
            return f' The newest warning: "{event.reason}: {event.message.strip()[:300]}".'
    return ""


def silent(it: Snapshot) -> Reason | None:
    """A program with a habit of printing that has printed nothing for much longer than it ever
    paused. Its pods run, so nothing else tells."""
    # A server that nobody asks has nothing to say.
    if it.job.state is not State.RUNNING or it.found.kind == DEPLOYMENT:
        return None
    times = sorted(when for lines in it.line_times.values() for when in lines)
    if len({when.replace(second=0, microsecond=0) for when in times}) < _MINUTES_WITH_LINES:
        return None
    longest = max(later - earlier for earlier, later in pairwise(times))
    silence = it.now - times[-1]
    usual = max(timedelta(seconds=_SILENT_SECONDS), _TIMES_THE_LONGEST_GAP * longest)
    if silence < usual:
        return None
    return Reason(
        "silent",
        f"It runs, and has printed nothing for {spoken(silence.total_seconds())}: its last line is "
        f"of {times[-1]:%H:%M} UTC, and before that it never paused for more than "
        f"{spoken(max(1, longest.total_seconds()))}.{_last_line(it, times[-1])}",
        f"See what its ranks wait for: `{offered('shell', it.job.name)}`, then `{_stacks(it)}`. A "
        "rank that ended or hangs holds up all others: cancel the job and submit it again, "
        f"from its last checkpoint, `{offered('checkpoints', it.job.name)}`.",
    )


def _stacks(it: Snapshot) -> str:
    """What prints where a program is: on a head, Ray is the first process."""
    return "ray stack" if it.found.kind == RAY_JOB else "py-spy dump --pid 1"


def waits_for_hosts(it: Snapshot) -> Reason | None:
    """The last words of a program that has begun on some hosts of a slice alone: jax-ml/jax issue
    19971 of 2024-02-25, google-research/t5x issue 997 of 2022-12-31. They come once."""
    if it.job.state is not State.RUNNING:
        return None
    for name, lines in it.logs.items():
        times = it.line_times.get(name, ())
        last = [line for line in lines if line.strip()][-2:]
        if not times or not any(_OF_HOSTS in line for line in last):
            continue
        age = _since(it, times[-1])
        if age < _HOSTS_SECONDS:
            continue
        return Reason(
            "slice-incomplete",
            f"Its program waits for the other hosts of its TPU slice, and has said nothing else "
            f"for {spoken(age)}.",
            "Every host of the slice has to run the same program at the same time: run as many "
            "pods as the topology has hosts, and see what each of them says, "
            f"`{offered('logs', it.job.name, '--rank', 'all')}`.",
        )
    return None


def _last_line(it: Snapshot, when: datetime) -> str:
    for name, times in it.line_times.items():
        if times and times[-1] == when and it.logs.get(name):
            return f' It said: "{it.logs[name][-1].strip()[:300]}".'
    return ""


def let_in(it: Snapshot) -> datetime:
    """When it could begin: Kueue's admission, its own start, or when it was made."""
    admitted = condition(it.workload or {}, "Admitted") or {}
    said: Sequence[str | None] = (
        dig(it.found.obj, "status", "startTime"),
        admitted.get("lastTransitionTime"),
    )
    return max([it.job.created, *(moment(when) for when in said if when)])


def _made(pod: JsonObject) -> datetime | None:
    when = dig(pod, "metadata", "creationTimestamp")
    return moment(when) if when else None


def _ready_for(it: Snapshot) -> float | None:
    """Seconds since its last pod became ready, or since it came to a cluster that was; None while
    one is not ready."""
    if not it.pods:
        return None
    times = [_since(it, let_in(it))]
    for member in it.pods:
        ready = condition(member.pod, "Ready")
        if ready is None or "lastTransitionTime" not in ready:
            return None
        times.append(_since(it, moment(ready["lastTransitionTime"])))
    return min(times)


def _since(it: Snapshot, when: datetime) -> float:
    return (it.now - when).total_seconds()


BEFORE_PODS: tuple[Rule, ...] = (controller_away,)
LAST: tuple[Rule, ...] = (
    not_submitted,
    pending_in_ray,
    not_called_ready,
    waits_for_head,
    pods_not_made,
    starts_too_long,
    waits_for_hosts,
    silent,
)
