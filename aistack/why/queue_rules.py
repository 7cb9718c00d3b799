"""Why a queue does not let a job in. Pure.

Kueue's words: sigs.k8s.io/kueue v0.19.2, pkg/controller/core/workload_controller.go (queues that
are missing or stopped), pkg/scheduler/scheduler.go, pkg/scheduler/flavorassigner/flavorassigner.go.
"""

from __future__ import annotations

import re
from dataclasses import replace
from fractions import Fraction

from aistack.offered import offered
from aistack.why.holders import holders_of, job_name
from aistack.why.quota_room import room_for
from aistack.why.saying import Saying, first_said, spoken
from aistack.why.snapshot import Reason, Rule, Snapshot, listed
from kube import quantity
from kube.jobs import State, condition
from kube.objects import JsonObject, dig, maps, name_of
from kube.reading import moment

# Kueue has a record of a new job within a second (seen: 0.1 s).
_RECORD_SECONDS = 20
# It looks at a new record, and lets a job go that it has admitted, as fast.
_VERDICT_SECONDS = 60
_QUOTA = "QuotaReserved"
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
    # kubernetes-sigs/kueue v0.19.2 pkg/scheduler/scheduler.go, processEntry.
    Saying(
        "preemption-under-way",
        re.compile(r"overlapping preemption targets"),
        "Jobs that are in its way are being stopped for another job, which asked first.",
        "Wait: it is tried again once they have ended.",
    ),
    Saying(
        "kept-for-another",
        re.compile(r"no longer fits after processing another workload"),
        "There was quota for it, and Kueue gave it to another job of the cohort, or keeps it for "
        "one that came first.",
        "Wait: it is tried again. Where it stays so, `{jobs}` shows who is queued before it: with "
        "`reclaim_from_cohort: Any` of that queue Kueue keeps nothing for it.",
    ),
    Saying(
        "others-not-ready",
        re.compile(r"waiting for all admitted workloads to be in PodsReady condition"),
        "Kueue lets nothing in until the pods of what it let in last are ready.",
        "See why those are not: `{jobs}` shows what is starting.",
    ),
    Saying(
        "topology",
        re.compile(r"topology .*(doesn't allow|allows to fit)"),
        "No part of the cluster's topology has room for all its pods together.",
        "Wait until nodes next to each other are free, or ask for a wider topology level.",
    ),
    # kubernetes-sigs/kueue issue 5039 of 2025-04-17.
    Saying(
        "topology",
        re.compile(r"no topology domains at level: (?P<level>\S+)"),
        "No node that its flavor selects has the topology label {level}.",
        "Take a flavor whose nodes have the label, or ask for a topology level that they have: "
        "waiting does not help.",
    ),
    # kubernetes-sigs/kueue issue 14965 of 2026-09-01, which says that nothing tries it again.
    Saying(
        "limit-range",
        re.compile(r"didn't satisfy LimitRange constraints:? ?(?P<what>.*)", re.DOTALL),
        "Its pods are outside of what a LimitRange of the namespace allows: {what}.",
        "Ask for what the LimitRange allows, and submit it again: Kueue does not try it again by "
        "itself.",
    ),
    # kubernetes-sigs/kueue pull 7646 of 2025-11-28.
    Saying(
        "topology",
        re.compile(r"[Ff]lavor \W*(?P<flavor>[\w.-]+)\W* does not support TopologyAwareScheduling"),
        "It asks for a topology, and flavor {flavor} has none.",
        "Leave the topology out of its pods, or take a queue whose flavor has one.",
    ),
)

_NEVER_FITS = Saying(
    "never-fits",
    re.compile(
        r"insufficient quota for (?P<resource>\S+) in flavor (?P<flavor>[^\s,]+), "
        r"previously considered podsets requests \(0\) \+ current podset "
        r"request \((?P<asked>[^)]+)\) > maximum capacity \((?P<most>[^)]+)\)"
    ),
    "It asks for {asked} of {resource}, and flavor {flavor} has {most} at the most.",
    "Ask for no more than {most}, or have the queue's quota raised: waiting does not help.",
)
# Of pods that ask in several groups, such as a head and workers: kubernetes-sigs/kueue issue 4134
# of 2025-02-03. The groups before this one may have another flavor to go to.
_NEVER_FITS_TOGETHER = Saying(
    "never-fits",
    re.compile(
        r"insufficient quota for (?P<resource>\S+) in flavor (?P<flavor>[^\s,]+), "
        r"previously considered podsets requests \((?P<before>[^)]+)\) \+ current podset "
        r"request \((?P<asked>[^)]+)\) > maximum capacity \((?P<most>[^)]+)\)"
    ),
    "Its pods ask for {before} and for {asked} more of {resource}, and flavor {flavor} has {most} "
    "at the most.",
    "Ask for no more than {most} together, or have the queue's quota raised: waiting does not "
    "help.",
)
# Of one flavor, where another may do.
_OF_A_FLAVOR = (
    _NEVER_FITS,
    _NEVER_FITS_TOGETHER,
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
        f"Kueue has taken no notice of it for {spoken((it.now - it.job.created).total_seconds())}, "
        f"though it names the queue {it.job.queue}.",
        f"See whether Kueue runs, and has {it.job.kind} among the `frameworks` of `queues`.",
    )


def admitted_and_held(it: Snapshot) -> Reason | None:
    """Kueue has admitted it, and has not let it go (kubernetes-sigs/kueue issues 1726 of
    2024-02-13 and 3936 of 2025-01-07)."""
    admitted = condition(it.workload or {}, "Admitted")
    if it.job.state is not State.QUEUED or admitted is None:
        return None
    age = _since(it, admitted)
    if age < _VERDICT_SECONDS:
        return None
    return Reason(
        "kueue-away",
        f"Kueue admitted it {spoken(age)} ago, and has not let it start.",
        f"See whether Kueue runs, by `{offered('status')}`, and what else sets the job's "
        "`spec.suspend`.",
    )


def not_placed(it: Snapshot) -> Reason | None:
    """Quota and checks are there, and Kueue finds no place in the topology for it: it says so by an
    event alone (kubernetes-sigs/kueue issue 9048 of 2026-05-05; v0.19.2 pkg/scheduler/scheduler.go,
    requeueAndUpdate)."""
    reserved = condition(it.workload or {}, _QUOTA)
    if (
        it.job.state is not State.QUEUED
        or reserved is None
        or condition(it.workload or {}, "Admitted")
    ):
        return None
    said = next(
        (event for event in it.said("Workload") if event.reason == "SecondPassFailed"), None
    )
    if said is None or said.at < moment(reserved["lastTransitionTime"]):
        return None
    return Reason(
        "not-placed",
        f"Kueue has kept quota for it for {spoken(_since(it, reserved))}, and all checks agree, "
        f'but it finds no place for its pods. Kueue says: "{said.message.strip().rstrip(".")}".',
        "Kueue tries again by itself. Where it stays so, cancel it and submit it again: the quota "
        "that is kept for it is nobody's.",
    )


def refused_with_another(it: Snapshot) -> Reason | None:
    """Kueue tries one of those that ask for the same, and says nothing of the others where that
    one is refused (sigs.k8s.io/kueue v0.19.2 pkg/cache/queue/cluster_queue.go,
    SchedulingEquivalenceHashing, on since 0.18)."""
    if it.job.state is not State.QUEUED or it.workload is None or not it.alike:
        return None
    own = [one for one in maps(dig(it.workload, "status", "conditions")) if one["type"] != _QUOTA]
    if len(own) < len(maps(dig(it.workload, "status", "conditions"))):
        return None
    first = it.alike[0]
    theirs = [one for one in maps(dig(first, "status", "conditions")) if one["type"] == _QUOTA]
    status = {**(it.workload.get("status") or {}), "conditions": [*own, *theirs]}
    lent = replace(it, workload={**it.workload, "status": status})
    of_words: tuple[Rule, ...] = (said_by_kueue, quota_full, no_flavor_fits, other_words)
    found = next((one for rule in of_words if (one := rule(lent)) is not None), None)
    if found is None:
        return None
    return Reason(
        found.cause,
        f"{found.sentence} Kueue has tried {job_name(first)}, which asks for the same.",
        found.advice,
    )


def no_verdict(it: Snapshot) -> Reason | None:
    """A record on which Kueue has not said a word. A queue in strict order looks at its head
    alone."""
    tries_all = dig(it.cluster_queue, "spec", "queueingStrategy") == "BestEffortFIFO"
    if it.job.state is not State.QUEUED or it.workload is None or not tries_all:
        return None
    if maps(dig(it.workload, "status", "conditions")):
        return None
    created = moment(it.workload["metadata"]["creationTimestamp"])
    age = (it.now - created).total_seconds()
    if age < _VERDICT_SECONDS:
        return None
    return Reason(
        "kueue-away",
        f"Kueue has had it in the queue {it.job.queue} for {spoken(age)}, and has not looked at "
        "it.",
        f"See whether Kueue runs, by `{offered('status')}`.",
    )


# By the reason of its condition Evicted: the cause, and what happened. sigs.k8s.io/kueue v0.19.2
# apis/kueue/v1beta2/workload_types.go; kubernetes-sigs/kueue issue 2291 of 2024-06-04.
_STOPS = {
    "PodsReadyTimeout": ("not-ready-in-time", "for its pods were not ready in time"),
    "NodeFailures": ("machine-gone", "for a machine of it is gone, and none could take its place"),
    "Preempted": ("preempted", "for another job had the better right to its quota"),
    "ClusterQueueStopped": ("queue-stopped", "for its cluster queue was stopped"),
    "LocalQueueStopped": ("queue-stopped", "for its local queue was stopped"),
}


def stopped_by_kueue(it: Snapshot) -> Reason | None:
    """Why Kueue took its quota away, where nothing says what it waits for now."""
    evicted = condition(it.workload or {}, _EVICTED) or {}
    stop = _STOPS.get(str(evicted.get("reason") or ""))
    if it.job.state is not State.QUEUED or stop is None:
        return None
    cause, what = stop
    at = dig(it.workload, "status", "requeueState", "requeueAt")
    count = dig(it.workload, "status", "requeueState", "count")
    when, times = f", at {at}" if at else "", f" {count} times" if count else ""
    said = str(evicted.get("message") or "").strip().rstrip(".")
    return Reason(
        cause,
        f"Kueue stopped it{times}, {what}: {said}.",
        f"Kueue lets it in again by itself{when}. From which checkpoint, see "
        f"`{offered('checkpoints', it.job.name)}`; what its pods lacked, see "
        f"`{offered('events', it.job.name)}`.",
    )


def other_words(it: Snapshot) -> Reason | None:
    """What Kueue says in words that no rule knows."""
    said = _pending(it).strip().rstrip(".")
    if it.job.state is not State.QUEUED or not said:
        return None
    return Reason(
        "waits-in-queue",
        f'Kueue does not admit it. Kueue says: "{said}".',
        "No rule knows these words. Kueue tries again by itself.",
    )


def _since(it: Snapshot, held: JsonObject) -> float:
    """Seconds since a condition holds."""
    return (it.now - moment(held["lastTransitionTime"])).total_seconds()


def deactivated(it: Snapshot) -> Reason | None:
    if it.workload is None or dig(it.workload, "spec", "active") is not False:
        return None
    evicted = condition(it.workload, _EVICTED) or {}
    reason, said = str(evicted.get("reason") or ""), str(evicted.get("message") or "").rstrip(".")
    again = "cancel it and submit it again."
    if reason.endswith("MaximumExecutionTimeExceeded"):
        return Reason(
            "deadline",
            f"Kueue stopped it, for its time was over before it had ended: {said}.",
            f"Give it more `minutes`, {again}",
        )
    if reason.endswith("DueToAdmissionCheck"):
        # kubernetes-sigs/kueue pull 2196 of 2024-05-23; the words of a check that refuses are
        # Google's own.
        checks = maps(dig(it.workload, "status", "admissionChecks"))
        words = [str(one.get("message") or "") for one in checks if one.get("state") == "Rejected"]
        why = "; ".join(one.rstrip(".") for one in words if one) or said
        if "reclaimed" in why:
            return Reason(
                "machine-gone",
                f"Google has taken its machines back, and Kueue has given it up: {why}.",
                "Submit it again. From which checkpoint it goes on, see "
                f"`{offered('checkpoints', it.job.name)}`.",
            )
        return Reason(
            "admission-check",
            f"Kueue has given it up, for a check refused it: {why}.",
            f"Put right what it names, {again}",
        )
    if "DueTo" in reason:
        return Reason(
            "deactivated",
            f"Kueue has given it up: {said}.",
            f"Put right why it could not start in time, {again}",
        )
    return Reason(
        "deactivated",
        f"A person has taken it out of its queue{f': {said}' if said else ''}.",
        "Set `spec.active` of its Workload to true, or " + again,
    )


def waits_for_check(it: Snapshot) -> Reason | None:
    """It has its quota; a check, such as machines that Google is asked for, has still to agree."""
    if it.workload is None or condition(it.workload, "Admitted"):
        return None
    checks = maps(dig(it.workload, "status", "admissionChecks"))
    open_ = [check for check in checks if check.get("state") != "Ready"]
    if not open_:
        return None
    name, said = open_[0]["name"], str(open_[0].get("message") or "").strip().rstrip(".")
    if not condition(it.workload, "QuotaReserved"):
        # A check that failed takes the quota away (kubernetes-sigs/kueue issue 5129 of 2025-04-25).
        if open_[0].get("state") not in ("Retry", "Rejected") or not said:
            return None
        return Reason(
            "admission-check",
            f"The admission check {name} has refused it for now: {said}.",
            f"Kueue tries again by itself; see the AdmissionCheck {name} where it stays so.",
        )
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
    never = _NEVER_FITS_TOGETHER.words.search(_pending(it))
    if never is not None and never["flavor"] == flavor:
        return None
    if (kept := _not_full(it, flavor, resource)) is not None:
        return kept
    who = holders_of(it, flavor, resource)
    lack = f"{match['more']} more of {resource} in flavor {flavor}"
    evicted = condition(it.workload or {}, _EVICTED)
    if evicted is not None and evicted.get("reason") == "Preempted":
        return Reason(
            "preempted",
            f"It was stopped for a job with more priority, and now needs {lack}; {who}.",
            "Wait: it starts again by itself; a higher priority class would keep its place. From "
            f"which checkpoint, see `{offered('checkpoints', it.job.name)}`.",
        )
    return Reason(
        "quota-full",
        f"It needs {lack} than is free; {who}.",
        "Wait, ask for less, take a queue that may borrow, or cancel one of those.",
    )


def _not_full(it: Snapshot, flavor: str, resource: str) -> Reason | None:
    """Kueue says the same of quota that others have and of quota that it keeps for a job that may
    not take what it lacks (kubernetes-sigs/kueue issue 4809 of 2025-03-27)."""
    room = room_for(it, flavor, resource)
    if room is None or not room.wanted:
        return None
    what = f"of {resource} in flavor {flavor}"
    if room.is_kept_by_limit and room.limit is not None:
        return Reason(
            "borrowing-limit",
            f"It asks for {quantity.render(room.wanted)} {what}, of which "
            f"{quantity.render(room.free)} are free, and its queue may have "
            f"{quantity.render(max(Fraction(0), room.limit))} more at this moment by its own "
            "limit on borrowing.",
            "Wait for jobs of its own queue, ask for less, or have the queue's `borrowing` raised.",
        )
    if room.is_enough and it.rivals:
        return Reason(
            "kept-for-another",
            f"{quantity.render(room.free)} {what} are free, which would be enough for it: Kueue "
            f"keeps them for {listed([job_name(one) for one in it.rivals])}, which may not take "
            "back from others what it lacks still.",
            f"Wait, or see `{offered('why', job_name(it.rivals[0]))}`. With `reclaim_from_cohort: "
            "Any` of that queue Kueue keeps nothing for it.",
        )
    return None


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
        f"Wait, or see `{offered('why', job_name(first))}`.",
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
    admitted_and_held,
    waits_for_check,
    not_placed,
    local_queue_stopped,
    said_by_kueue,
    quota_full,
    no_flavor_fits,
    behind_another,
    stopped_by_kueue,
    other_words,
    refused_with_another,
    no_verdict,
)
