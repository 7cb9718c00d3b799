"""Which admitted workloads make room for a waiting one.

A pure model of kubernetes-sigs/kueue pkg/scheduler/preemption without fair sharing, v0.19.0 (read
2026-11-21).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from sandbox.memory_kube.kueue.model import Assignment, Claim, Queue
from sandbox.memory_kube.kueue.quota import Amounts

IN_QUEUE = "InClusterQueue"
RECLAIMED = "InCohortReclamation"
BORROWED = "InCohortReclaimWhileBorrowing"
WORDS = {
    IN_QUEUE: "prioritization in the ClusterQueue",
    RECLAIMED: "reclamation within the cohort",
    BORROWED: "reclamation within the cohort while borrowing",
}


class Preemption:
    """The search for workloads that `claim` may preempt to get what `assignment` says."""

    def __init__(
        self,
        claim: Claim,
        assignment: Assignment,
        queues: Mapping[str, Queue],
        claims: Sequence[Claim],
    ) -> None:
        self._claim, self._wanted, self._queues = claim, assignment.usage, queues
        self._queue = queues[claim.queue]
        holder = self._queue.holder
        self._keys = [key for key, amount in self._wanted.items() if amount > holder.free(key)]
        self._entitled = not self._borrows_with()
        using = [each for each in claims if each.admitted and self._uses(each)]
        others = [each for each in using if each.queue != claim.queue and self._in_cohort(each)]
        self._others = [each for each in others if self._allows(each) and self._is_borrowing(each)]
        self._own = [each for each in using if each.queue == claim.queue and self._allows(each)]

    def victims(self) -> list[tuple[Claim, str]]:
        """Workloads to evict, each with the reason; none when no choice of them is enough."""
        for borrowing in self._attempts():
            if found := self._search(borrowing=borrowing):
                return found
        return []

    def _attempts(self) -> list[bool]:
        """Whether to allow borrowing afterwards: in which order both are tried."""
        forbidden = not self._queue.policy.preempts_to_borrow
        holder = self._queue.holder
        under = all(holder.usage(key) < holder.quota(key) for key in self._keys)
        if not self._others or (forbidden and not under):
            return [True]
        return [False, True] if forbidden and not self._entitled else [True, False]

    def _search(self, *, borrowing: bool) -> list[tuple[Claim, str]]:
        taken: list[tuple[Claim, str]] = []
        for candidate, reason in self._candidates(borrowing=borrowing):
            if candidate.queue != self._claim.queue and not self._is_borrowing(candidate):
                continue
            self._give_back(candidate)
            taken.append((candidate, reason))
            if self._fits(borrowing=borrowing):
                kept = self._filled_back(taken, borrowing=borrowing)
                self._restore(kept)
                return kept
        self._restore(taken)
        return []

    def _candidates(self, *, borrowing: bool) -> list[tuple[Claim, str]]:
        others = [(each, self._variant(each)) for each in sorted(self._others, key=_order)]
        # Without an entitlement the freed quota may be borrowed only from those below a threshold.
        usable = [(each, why) for each, why in others if why or not borrowing]
        own = [(each, IN_QUEUE) for each in sorted(self._own, key=_order)]
        return [(each, why or RECLAIMED) for each, why in usable] + own

    def _variant(self, candidate: Claim) -> str:
        """Empty: only a workload that does not borrow afterwards may reclaim from it."""
        if self._entitled:
            return RECLAIMED
        policy = self._queue.policy
        lower = candidate.priority < self._claim.priority
        below = policy.borrows_below is None or candidate.priority <= policy.borrows_below
        return BORROWED if policy.preempts_to_borrow and lower and below else ""

    def _filled_back(
        self, taken: list[tuple[Claim, str]], *, borrowing: bool
    ) -> list[tuple[Claim, str]]:
        kept = list(taken)
        for each in reversed(taken[:-1]):
            self._take(each[0])
            if self._fits(borrowing=borrowing):
                kept.remove(each)
            else:
                self._give_back(each[0])
        return kept

    def _fits(self, *, borrowing: bool) -> bool:
        if not borrowing and self._borrows_with():
            return False
        holder = self._queue.holder
        return all(amount <= holder.free(key) for key, amount in self._wanted.items())

    def _borrows_with(self) -> bool:
        holder = self._queue.holder
        return any(
            holder.usage(key) + amount > holder.quota(key) for key, amount in self._wanted.items()
        )

    def _allows(self, candidate: Claim) -> bool:
        policy = self._queue.policy
        own = candidate.queue == self._claim.queue
        lower = candidate.priority < self._claim.priority
        match policy.within_queue if own else policy.within_cohort:
            case "Any":
                return True
            case "LowerPriority":
                return lower
            case "LowerOrNewerEqualPriority":
                equal = candidate.priority == self._claim.priority
                return lower or (equal and candidate.order > self._claim.order)
            case _:
                return False

    def _in_cohort(self, candidate: Claim) -> bool:
        return self._holder_root(candidate) is self._queue.holder.root()

    def _holder_root(self, candidate: Claim) -> object:
        return self._queues[candidate.queue].holder.root()

    def _is_borrowing(self, candidate: Claim) -> bool:
        return self._queues[candidate.queue].holder.borrows(self._keys)

    def _uses(self, candidate: Claim) -> bool:
        return bool({*self._keys} & {*_usage(candidate)})

    def _take(self, candidate: Claim) -> None:
        self._queues[candidate.queue].holder.take(_usage(candidate))

    def _give_back(self, candidate: Claim) -> None:
        self._queues[candidate.queue].holder.give_back(_usage(candidate))

    def _restore(self, taken: list[tuple[Claim, str]]) -> None:
        for each, _ in taken:
            self._take(each)


def _usage(claim: Claim) -> Amounts:
    return claim.admitted.usage if claim.admitted else {}


def _order(claim: Claim) -> tuple[int, int]:
    """The lowest priority first, of equals the newest."""
    return claim.priority, -claim.order
