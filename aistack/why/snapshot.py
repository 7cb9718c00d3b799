"""All that is known of a job at one moment, for the rules that say what is in its way. Pure."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from functools import cached_property

from aistack.events import Event
from aistack.find import Found
from aistack.job import Job
from aistack.members import Member, Members
from aistack.why.devices import Devices
from kube.jobs import pod_groups
from kube.kinds import DEPLOYMENT
from kube.objects import JsonObject, dig, maps


@dataclass(frozen=True)
class Reason:
    """`cause` is its name for scripts; the sentence says what is, the advice what to do."""

    cause: str
    sentence: str
    advice: str


@dataclass(frozen=True, kw_only=True)
class Snapshot:
    """What the user may not see is empty, and of `nodes` and `cohort` None. `admitted` are the
    workloads that have quota of the job's cluster queue or its cohort, `waiting` those before it
    there, `cohort` all cluster queues that share quota, its own too, where all their workloads may
    be seen, `rivals` the workloads that wait in them, and `alike` those that ask for the same and
    were refused. `devices` is None where no pod that has no node claims any. `logs` are the last
    lines of pods by name, and of a RayJob without a launcher of its driver, and `line_times` when
    these lines were printed."""

    found: Found
    members: Members
    now: datetime
    events: Sequence[Event] = ()
    workload: JsonObject | None = None
    cluster_queue: JsonObject | None = None
    admitted: Sequence[JsonObject] = ()
    waiting: Sequence[JsonObject] = ()
    cohort: Sequence[JsonObject] | None = None
    rivals: Sequence[JsonObject] = ()
    alike: Sequence[JsonObject] = ()
    requests: Sequence[JsonObject] = ()
    nodes: Sequence[JsonObject] | None = None
    devices: Devices | None = None
    logs: Mapping[str, Sequence[str]] = field(default_factory=dict[str, Sequence[str]])
    line_times: Mapping[str, Sequence[datetime]] = field(
        default_factory=dict[str, Sequence[datetime]]
    )

    @property
    def job(self) -> Job:
        return self.found.job

    @cached_property
    def pods(self) -> Sequence[Member]:
        """Of each rank the newest: Kubernetes keeps pods that failed beside those that follow them
        until the job ends, and they are history. So it is with those of a server once others are
        in their place, whichever is in whose."""
        newest = {member.role: member for member in self.members.pods}
        if self.found.kind != DEPLOYMENT:
            return list(newest.values())
        there = [one for one in newest.values() if not _has_ended(one.pod)]
        return there if there and len(there) >= self.job.pods else list(newest.values())

    def earlier(self, member: Member) -> Sequence[Member]:
        """The pods that had its rank before it, the oldest first."""
        same = [one for one in self.members.pods if one.role == member.role]
        return [one for one in same if one.name != member.name]

    @property
    def wanted(self) -> int:
        """Pods that it asks for, those of the Ray cluster that it made or runs on among them."""
        own = self.job.pods
        made = (sum(n for n, _ in pod_groups(kind, it)) for kind, it in self.members.made)
        return own or sum(made)

    def said(self, *about: str) -> Iterator[Event]:
        """Of objects of these kinds, the newest first."""
        kinds = tuple(f"{it}/" for it in about)
        return (it for it in reversed(self.events) if it.about.startswith(kinds))

    def said_of_pod(self, member: Member) -> Iterator[Event]:
        return (it for it in reversed(self.events) if it.about == f"Pod/{member.name}")


def _has_ended(pod: JsonObject) -> bool:
    return dig(pod, "status", "phase") in ("Failed", "Succeeded")


def unscheduled(it: Snapshot) -> Iterator[tuple[Member, str]]:
    """Pods without a node, with the scheduler's word on each."""
    for member in it.pods:
        for each in maps(dig(member.pod, "status", "conditions")):
            if each["type"] == "PodScheduled" and each["status"] == "False":
                yield member, str(each.get("message") or each.get("reason") or "")


Rule = Callable[[Snapshot], Reason | None]


def statuses(pod: JsonObject) -> Sequence[JsonObject]:
    """Of all its containers, those first that run first."""
    first = maps(dig(pod, "status", "initContainerStatuses"))
    return [*first, *maps(dig(pod, "status", "containerStatuses"))]


def is_ready(pod: JsonObject) -> bool:
    conditions = maps(dig(pod, "status", "conditions"))
    ready = any(it["type"] == "Ready" and it["status"] == "True" for it in conditions)
    return ready or dig(pod, "status", "phase") == "Succeeded"


def pod_words(member: Member) -> str:
    """What a pod is in its job, in the middle of a sentence."""
    return f"rank {member.role}" if member.role.isdecimal() else f"the {member.role}"


def listed(names: Sequence[str], most: int = 3) -> str:
    """A few of them, and how many more."""
    more = f" and {len(names) - most} more" if len(names) > most else ""
    return ", ".join(names[:most]) + more
