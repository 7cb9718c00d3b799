"""Why a queue does not let a job in. Pure.

Kueue's words: sigs.k8s.io/kueue v0.19.2, pkg/controller/core/workload_controller.go (queues that
are missing or stopped), pkg/scheduler/scheduler.go, pkg/scheduler/flavorassigner/flavorassigner.go.
"""

from __future__ import annotations

import re

from aistack.job import State, condition
from aistack.why.holders import holders_of, job_name
from aistack.why.saying import Saying, first_said
from aistack.why.snapshot import Reason, Rule, Snapshot
from sandbox.kube.objects import dig, maps, name_of

# Kueue has a record of a new job within a second (seen: 0.1 s).
_RECORD_SECONDS = 20
_LACK = re.compile(
    r"insufficient unused quota for (?P<resource>\S+) in flavor (?P<flavor>[^\s,]+), "
    r"(?P<more>\S+) more needed"
)
_LOCAL_STOPPED = re.compile(r"LocalQueue (\S+) is stopped")
_EVICTED = "Evicted"

_SAYINGS = (
    Saying(
        "queue-missing",
        re.compile(
            r"(?P<what>LocalQueue|ClusterQueue) (?P<name>\S+) (is terminating|not found|doesn't)"
        ),
        "There is no {what} {name}.",
        "Label the job with a queue that its namespace has, or add it under `queues`.",
    ),
    Saying(
        "namespace-not-let-in",
        re.compile(r"namespace doesn't match ClusterQueue selector"),
        "The cluster queue takes no jobs from this namespace.",
        "Run it in a namespace that `queues` names, or have this one added.",
    ),
    Saying(
        "resource-not-in-queue",
        re.compile(r"resource (?P<resource>\S+) unavailable in ClusterQueue"),
        "Its cluster queue gives out no {resource}.",
        "Take a queue that has {resource}, or have a quota of it added.",
    ),
    Saying(
        "preemption-under-way",
        re.compile(r"Pending the preemption of (?P<count>\d+) workload"),
        "It is next: {count} jobs with less priority are being stopped for it.",
        "Wait; their pods have their grace period.",
    ),
    Saying(
        "others-not-ready",
        re.compile(r"waiting for all admitted workloads to be in PodsReady condition"),
        "Kueue lets nothing in until the pods of what it let in last are ready.",
        "See why those are not: `aistack jobs` shows what is starting.",
    ),
    Saying(
        "topology",
        re.compile(r"topology .*(doesn't allow|allows to fit)"),
        "No part of the cluster's topology has room for all its pods together.",
        "Wait until nodes next to each other are free, or ask for a wider topology level.",
    ),
)

_NEVER_FITS = Saying(
    "never-fits",
    re.compile(
        r"insufficient quota for (?P<resource>\S+) in flavor (?P<flavor>[^\s,]+), .*"
        r"request \((?P<asked>[^)]+)\) > maximum capacity \((?P<most>[^)]+)\)"
    ),
    "It asks for {asked} of {resource}, and flavor {flavor} has {most} at the most.",
    "Ask for no more than {most}, or have the queue's quota raised: waiting does not help.",
)
# Of one flavor, where another may do.
_OF_A_FLAVOR = (
    _NEVER_FITS,
    Saying(
        "flavor-mismatch",
        re.compile(r"flavor (?P<flavor>\S+) doesn't match node affinity"),
        "Its node selector does not match the nodes of flavor {flavor}.",
        "Leave the choice of nodes to the queue, or take a queue that has these nodes.",
    ),
    Saying(
        "flavor-taint",
        re.compile(r"untolerated taint (?P<taint>.+?) in flavor (?P<flavor>[^\s,]+)"),
        "It does not tolerate the taint {taint} of flavor {flavor}.",
        "Add the toleration to its pods, or take another queue.",
    ),
)


def no_record(it: Snapshot) -> Reason | None:
    """A queue's job without a Workload."""
    waits = it.job.state is State.QUEUED and it.workload is None
    if not waits or (it.now - it.job.created).total_seconds() < _RECORD_SECONDS:
        return None
    return Reason(
        "kueue-away",
        f"Kueue has taken no notice of it, though it names the queue {it.job.queue}.",
        f"See whether Kueue runs, and has {it.job.kind} among the `frameworks` of `queues`.",
    )


def deactivated(it: Snapshot) -> Reason | None:
    if it.workload is None or dig(it.workload, "spec", "active") is not False:
        return None
    evicted = condition(it.workload, _EVICTED) or {}
    said = str(evicted.get("message") or "by hand").rstrip(".")
    return Reason(
        "deactivated",
        f"Kueue has given it up: {said}.",
        "Put right why its pods were not ready in time, cancel it and submit it again.",
    )


def waits_for_check(it: Snapshot) -> Reason | None:
    """It has its quota; a check, such as machines that Google is asked for, has still to agree."""
    if it.workload is None or not condition(it.workload, "QuotaReserved"):
        return None
    if condition(it.workload, "Admitted"):
        return None
    checks = maps(dig(it.workload, "status", "admissionChecks"))
    open_ = [check for check in checks if check.get("state") != "Ready"]
    if not open_:
        return None
    name, said = open_[0]["name"], str(open_[0].get("message") or "").strip().rstrip(".")
    return _asked_for_machines(it) or Reason(
        "admission-check",
        f"The admission check {name} has not agreed yet{f': {said}' if said else ''}.",
        f"Wait, or see the AdmissionCheck {name}.",
    )


def _asked_for_machines(it: Snapshot) -> Reason | None:
    """GoogleCloudPlatform/cluster-autoscaler, as sandbox/gke/provisioning_requests.py has it."""
    for request in it.requests:
        if failed := condition(request, "Failed"):
            return Reason(
                "machines-refused",
                f"Google gives it no machines: {failed.get('message', '')}".rstrip(".") + ".",
                "Ask for fewer nodes or for another zone's, and submit it again.",
            )
        for each in maps(dig(request, "status", "conditions")):
            if each["type"] == "Provisioned" and each["status"] == "False":
                said = str(each.get("message") or "").rstrip(".")
                return Reason(
                    "waits-for-machines",
                    f"Google is asked for its machines and has none yet: {said or 'no word'}.",
                    "Wait: flex-start gives them when there are some; a reservation has its own.",
                )
    return None


def said_by_kueue(it: Snapshot) -> Reason | None:
    return first_said(_SAYINGS, [_pending(it)])


def no_flavor_fits(it: Snapshot) -> Reason | None:
    return first_said(_OF_A_FLAVOR, [_pending(it)])


def queue_inactive(it: Snapshot) -> Reason | None:
    if it.cluster_queue is None or it.job.state is not State.QUEUED:
        return None
    for each in maps(dig(it.cluster_queue, "status", "conditions")):
        if each["type"] == "Active" and each["status"] == "False":
            if each.get("reason") == "Stopped":
                return _stopped(f"cluster queue {name_of(it.cluster_queue)}")
            said = str(each.get("message") or each.get("reason")).rstrip(".")
            return Reason(
                "queue-inactive",
                f"The cluster queue {name_of(it.cluster_queue)} admits nothing: {said}.",
                "Have what it names put right; the jobs in it then go on by themselves.",
            )
    return None


def _stopped(queue: str) -> Reason:
    return Reason(
        "queue-stopped",
        f"The {queue} is stopped by its administrator.",
        "Wait until its `stopPolicy` is None again, or take another queue.",
    )


def local_queue_stopped(it: Snapshot) -> Reason | None:
    match = _LOCAL_STOPPED.search(_pending(it))
    return None if match is None else _stopped(f"local queue {match[1]}")


def quota_full(it: Snapshot) -> Reason | None:
    match = _LACK.search(_pending(it))
    if match is None:
        return None
    flavor, resource = match["flavor"], match["resource"]
    never = _NEVER_FITS.words.search(_pending(it))
    if never is not None and never["flavor"] == flavor:
        return None
    who = holders_of(it, flavor, resource)
    lack = f"{match['more']} more of {resource} in flavor {flavor}"
    evicted = condition(it.workload or {}, _EVICTED)
    if evicted is not None and evicted.get("reason") == "Preempted":
        return Reason(
            "preempted",
            f"It was stopped for a job with more priority, and now needs {lack}; {who}.",
            "Wait: it starts again by itself; a higher priority class would keep its place.",
        )
    return Reason(
        "quota-full",
        f"It needs {lack} than is free; {who}.",
        "Wait, ask for less, take a queue that may borrow, or cancel one of those.",
    )


def behind_another(it: Snapshot) -> Reason | None:
    """A queue in strict order tries nobody but its head."""
    strict = dig(it.cluster_queue, "spec", "queueingStrategy") == "StrictFIFO"
    if it.job.state is not State.QUEUED or not strict or not it.waiting:
        return None
    first = it.waiting[0]
    return Reason(
        "behind-another",
        f"{len(it.waiting)} jobs wait before it in a queue in strict order, first of them "
        f"{job_name(first)}.",
        "Wait, or see `aistack why` of that one.",
    )


def _pending(it: Snapshot) -> str:
    """What Kueue says of a workload that has no quota."""
    for each in maps(dig(it.workload, "status", "conditions")):
        if each["type"] == "QuotaReserved" and each["status"] == "False":
            return str(each.get("message") or "")
    return ""


RULES: tuple[Rule, ...] = (
    no_record,
    deactivated,
    queue_inactive,
    waits_for_check,
    local_queue_stopped,
    said_by_kueue,
    quota_full,
    no_flavor_fits,
    behind_another,
)
