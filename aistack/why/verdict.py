"""The one dominant reason, or that there is none. Pure.

A job goes through stages, and what is in the way of an early one is why none of the later begins:
so the rules stand in the order of a job's life, and the first that holds is told. Only what has
happened already comes before what has still to happen: containers that failed before pods that
have no node.
"""

from __future__ import annotations

from dataclasses import dataclass

from aistack.why import (
    clock_rules,
    container_rules,
    creation_rules,
    queue_rules,
    ray_rules,
    run_rules,
    scheduling_rules,
    server_rules,
)
from aistack.why.container_rules import tries_before
from aistack.why.saying import spoken
from aistack.why.snapshot import Reason, Snapshot, is_ready
from kube.jobs import State, condition

_RULES = (
    *run_rules.FIRST,
    *queue_rules.RULES,
    *ray_rules.BEFORE_PODS,
    *clock_rules.BEFORE_PODS,
    *creation_rules.RULES,
    *server_rules.RULES,
    *container_rules.RULES,
    *scheduling_rules.RULES,
    *ray_rules.LAST,
    *run_rules.LAST,
    *clock_rules.LAST,
)


_NEW_SECONDS = 60


@dataclass(frozen=True)
class Verdict:
    """`reason` is None for a job that nothing is in the way of; `sentence` then says how it is."""

    reason: Reason | None
    sentence: str


def verdict(it: Snapshot) -> Verdict:
    if it.job.state is not State.SUCCEEDED:
        for rule in _RULES:
            if (reason := rule(it)) is not None:
                return Verdict(reason, f"{reason.sentence}{server_rules.meanwhile(it)}")
    return Verdict(None, _healthy(it))


def _healthy(it: Snapshot) -> str:
    ready = sum(is_ready(one.pod) for one in it.pods)
    match it.job.state:
        case State.SUCCEEDED:
            return "It has ended well."
        case State.RUNNING:
            wanted = max(it.wanted, len(it.pods))
            return f"It runs, with {ready} of {wanted} pods ready{tries_before(it)}."
        case State.QUEUED if condition(it.workload or {}, "Admitted"):
            return "Kueue has admitted it, and it is about to start."
        case State.QUEUED:
            age = (it.now - it.job.created).total_seconds()
            if age < _NEW_SECONDS:
                return "It is new in its queue, which has not looked at it yet."
            return (
                f"It has waited in its queue for {spoken(age)}, and Kueue has said nothing of it."
            )
        case _:
            wanted = max(it.wanted, len(it.pods))
            return f"It starts: {ready} of {wanted} pods are ready{tries_before(it)}."
