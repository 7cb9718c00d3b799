"""The one dominant reason, or that there is none. Pure.

A job goes through stages, and what is in the way of an early one is why none of the later begins:
so the rules stand in the order of a job's life, and the first that holds is told. Only what has
happened already comes before what has still to happen: containers that failed before pods that
have no node.
"""

from __future__ import annotations

from dataclasses import dataclass

from aistack.job import State
from aistack.why import (
    container_rules,
    creation_rules,
    queue_rules,
    run_rules,
    scheduling_rules,
)
from aistack.why.snapshot import Reason, Snapshot, is_ready

_RULES = (
    *run_rules.FIRST,
    *queue_rules.RULES,
    *run_rules.BEFORE_PODS,
    *creation_rules.RULES,
    *container_rules.RULES,
    *scheduling_rules.RULES,
    *run_rules.LAST,
)


@dataclass(frozen=True)
class Verdict:
    """`reason` is None for a job that nothing is in the way of; `sentence` then says how it is."""

    reason: Reason | None
    sentence: str


def verdict(it: Snapshot) -> Verdict:
    if it.job.state is not State.SUCCEEDED:
        for rule in _RULES:
            if (reason := rule(it)) is not None:
                return Verdict(reason, reason.sentence)
    return Verdict(None, _healthy(it))


def _healthy(it: Snapshot) -> str:
    ready = sum(is_ready(one.pod) for one in it.pods)
    match it.job.state:
        case State.SUCCEEDED:
            return "It has ended well."
        case State.RUNNING:
            return f"It runs, with {ready} of {max(it.wanted, len(it.pods))} pods ready."
        case State.QUEUED:
            return "It is new in its queue, which has not looked at it yet."
        case _:
            return f"It starts: {ready} of {max(it.wanted, len(it.pods))} pods are ready."
