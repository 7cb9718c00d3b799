"""All that is known of a job at one moment, for the rules that say what is in its way. Pure."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime

from aistack.events import Event
from aistack.find import Found
from aistack.job import Job, pod_groups
from aistack.members import Member, Members
from aistack.why.devices import Devices
from sandbox.kube.objects import JsonObject, dig, maps


@dataclass(frozen=True)
class Reason:
    """`cause` is its name for scripts; the sentence says what is, the advice what to do."""

    cause: str
    sentence: str
    advice: str


@dataclass(frozen=True, kw_only=True)
class Snapshot:
    """What the user may not see is empty, and of `nodes` None. `admitted` are the workloads that
    have quota of the job's cluster queue or its cohort, `waiting` those before it there. `devices`
    is None where no pod that has no node claims any. `logs` are the last lines of pods by name."""

    found: Found
    members: Members
    now: datetime
    events: Sequence[Event] = ()
    workload: JsonObject | None = None
    cluster_queue: JsonObject | None = None
    admitted: Sequence[JsonObject] = ()
    waiting: Sequence[JsonObject] = ()
    requests: Sequence[JsonObject] = ()
    nodes: Sequence[JsonObject] | None = None
    devices: Devices | None = None
    logs: Mapping[str, Sequence[str]] = field(default_factory=dict[str, Sequence[str]])

    @property
    def job(self) -> Job:
        return self.found.job

    @property
    def pods(self) -> Sequence[Member]:
        return self.members.pods

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


def listed(names: Sequence[str], most: int = 3) -> str:
    """A few of them, and how many more."""
    more = f" and {len(names) - most} more" if len(names) > most else ""
    return ", ".join(names[:most]) + more
