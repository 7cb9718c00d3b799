"""What Kueue schedules by: queues with their policies, flavors, and claims on their quota."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import IntEnum
from fractions import Fraction

from sandbox.kube.objects import JsonObject, Taint
from sandbox.memory_kube.kueue.quota import FlavorResource, Holder


class Fit(IntEnum):
    """How a workload would get its quota, the better the greater."""

    NONE = 0
    PREEMPT = 1
    FREE = 2


@dataclass(frozen=True, kw_only=True)
class Flavor:
    name: str
    labels: Mapping[str, str]
    taints: tuple[Taint, ...]
    tolerations: tuple[JsonObject, ...]


@dataclass(frozen=True, kw_only=True)
class Group:
    """Resources that a workload gets from one flavor, the first that has them."""

    resources: tuple[str, ...]
    flavors: tuple[str, ...]


@dataclass(frozen=True, kw_only=True)
class Policy:
    """`borrows_below` is the highest priority that a borrowing workload may preempt in its cohort;
    None: any lower than its own."""

    within_queue: str
    within_cohort: str
    preempts_to_borrow: bool
    borrows_below: int | None
    strict_order: bool
    tries_next_to_borrow: bool
    tries_next_to_preempt: bool


@dataclass(frozen=True, kw_only=True)
class Queue:
    """A ClusterQueue; `inactive` says why it admits nothing."""

    name: str
    holder: Holder
    groups: tuple[Group, ...]
    policy: Policy
    inactive: tuple[str, str] | None = None

    def group_of(self, resource: str) -> Group | None:
        return next((each for each in self.groups if resource in each.resources), None)


@dataclass(frozen=True, kw_only=True)
class PodSet:
    """Pods of one template; `requests` are those of all of them."""

    name: str
    count: int
    spec: JsonObject
    requests: Mapping[str, Fraction]


@dataclass(frozen=True, kw_only=True)
class Assignment:
    """`flavors` by pod set and resource; `message` says what is in the way."""

    fit: Fit
    flavors: Mapping[str, Mapping[str, str]]
    usage: Mapping[FlavorResource, Fraction]
    message: str = ""


@dataclass(kw_only=True)
class Claim:
    """A workload's claim on a queue. `admitted` is None while it waits, and `reason` and `message`
    say why; `evicted` is why it lost its quota. `replaces` is what a job that scales has until it
    gets this, in the same flavors, and `replaced` says that it did."""

    key: str
    queue: str
    priority: int
    order: int
    pod_sets: tuple[PodSet, ...]
    admitted: Assignment | None = None
    reason: str = ""
    message: str = ""
    evicted: tuple[str, str] | None = None
    blocked: bool = False
    replaces: Claim | None = None
    replaced: bool = False

    @property
    def held(self) -> Assignment | None:
        """What its job has until it gets this."""
        return None if self.replaces is None else self.replaces.admitted

    @property
    def rank(self) -> tuple[int, int]:
        return -self.priority, self.order
