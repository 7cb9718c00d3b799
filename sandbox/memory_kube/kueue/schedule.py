"""Who is admitted: heads of the queues by priority and age, until nothing more can start.

A pure model of kubernetes-sigs/kueue pkg/scheduler, v0.19.0 (read 2026-11-21). As there is no time
here, a workload has the quota of those that it preempts at once.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from sandbox.memory_kube.kueue.assignment import Flavors, assign
from sandbox.memory_kube.kueue.model import Assignment, Claim, Fit, Queue
from sandbox.memory_kube.kueue.preemption import WORDS, Preemption

PENDING = "Pending"


class Schedule:
    """Admits `claims` in place; those that are admitted stay so unless they are preempted."""

    def __init__(
        self, queues: Mapping[str, Queue], flavors: Flavors, claims: Sequence[Claim]
    ) -> None:
        self._queues, self._flavors, self._claims = queues, flavors, claims
        self._parked: set[str] = {each.key for each in claims if each.blocked}

    def run(self) -> None:
        for claim in self._claims:
            if claim.admitted:
                self._queues[claim.queue].holder.take(claim.admitted.usage)
        # Each preemption evicts what has less right to the quota, so this comes to an end.
        while heads := self._heads():
            for claim in sorted(heads, key=lambda each: (self._borrows(each), *each.rank)):
                self._consider(claim)

    def _heads(self) -> list[Claim]:
        waiting = [c for c in self._claims if not c.admitted and c.key not in self._parked]
        first = dict[str, Claim]()
        for claim in sorted(waiting, key=lambda each: each.rank):
            first.setdefault(claim.queue, claim)
        return list(first.values())

    def _borrows(self, claim: Claim) -> bool:
        holder = self._queues[claim.queue].holder
        usage = assign(self._queues[claim.queue], claim.pod_sets, self._flavors).usage
        return any(holder.usage(key) + amount > holder.quota(key) for key, amount in usage.items())

    def _consider(self, claim: Claim) -> None:
        """Of a job that scales only what it wants more counts, and it has the rest until then."""
        holder, held = self._queues[claim.queue].holder, claim.held
        if held is not None:
            holder.give_back(held.usage)
        self._admit(claim, held)
        if held is None or claim.replaces is None:
            return
        if claim.admitted is None:
            holder.take(held.usage)
        else:
            claim.replaces.admitted, claim.replaces.replaced = None, True
            self._parked.add(claim.replaces.key)

    def _admit(self, claim: Claim, held: Assignment | None) -> None:
        queue, flavors = self._queues[claim.queue], {} if held is None else held.flavors
        assignment = assign(queue, claim.pod_sets, self._flavors, flavors)
        if assignment.fit is Fit.PREEMPT:
            others = [each for each in self._claims if each is not claim.replaces]
            found = Preemption(claim, assignment, self._queues, others).victims()
            for victim, reason in found:
                self._evict(victim, reason)
            if not found:
                self._park(claim, assignment)
                return
        elif assignment.fit is Fit.NONE:
            self._park(claim, assignment)
            return
        queue.holder.take(assignment.usage)
        claim.admitted, claim.message, claim.reason, claim.evicted = assignment, "", "", None

    def _evict(self, victim: Claim, reason: str) -> None:
        assert victim.admitted is not None, "only admitted workloads are preempted"
        holder = self._queues[victim.queue].holder
        holder.give_back(victim.admitted.usage)
        victim.admitted = None
        text = f"Preempted to accommodate a workload due to {WORDS[reason]}"
        victim.evicted = reason, text
        # What was in the way may be gone for all that share the quota.
        for other in self._claims:
            if not other.blocked and self._queues[other.queue].holder.root() is holder.root():
                self._parked.discard(other.key)

    def _park(self, claim: Claim, assignment: Assignment) -> None:
        claim.reason, claim.message = PENDING, assignment.message
        self._parked.add(claim.key)
        if self._queues[claim.queue].policy.strict_order:
            for other in self._claims:
                if other.queue == claim.queue and not other.admitted and not other.message:
                    other.reason = PENDING
                    other.message = f"waits behind {claim.key}, as queueingStrategy StrictFIFO says"
                    self._parked.add(other.key)
