"""What a controller says in known words, and what that means to whoever waits for the job. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

from aistack.offered import offered
from aistack.why.snapshot import Reason

# GKE documentation, "Auto-repair nodes": "A node in an Autopilot cluster is cordoned"; AI
# Hypercomputer documentation, "Manage AI-optimized GKE clusters", report a faulty host, updated
# 2026-04-06.
BROKEN_NODE = (
    "A node that is cordoned GKE repairs on Autopilot alone. On a Standard cluster `kubectl label "
    "nodes NODE cloud.google.com/fault-behavior=XID` reports an A3, A4 or A4X machine of a "
    "reservation; any other machine somebody has to delete, and its pool makes a new one."
)


@dataclass(frozen=True)
class Saying:
    """`cause` is its name for scripts; groups of the words fill sentence and advice."""

    cause: str
    words: re.Pattern[str]
    sentence: str
    advice: str

    def groups(self, message: str) -> dict[str, str] | None:
        """What fills the sentence, by name; None where the message does not have the words."""
        match = self.words.search(message)
        if match is None:
            return None
        return {key: (text or "").rstrip(".") for key, text in match.groupdict().items()}

    def reason(self, message: str) -> Reason | None:
        groups = self.groups(message)
        if groups is None:
            return None
        return Reason(
            self.cause,
            self.sentence.format(**groups),
            self.advice.format(**groups, jobs=offered("jobs"), status=offered("status")),
        )


def first_said(sayings: Iterable[Saying], messages: Iterable[str]) -> Reason | None:
    """By the order of the sayings, then of the messages."""
    heard = list(messages)
    found = (saying.reason(message) for saying in sayings for message in heard)
    return next((reason for reason in found if reason is not None), None)


def capital(sentence: str) -> str:
    return sentence[:1].upper() + sentence[1:]


def spoken(seconds: float) -> str:
    """A time in its largest unit that is whole."""
    whole = max(0, int(seconds))
    for size, unit in ((86400, "days"), (3600, "h"), (60, "min")):
        if whole >= size:
            return f"{whole // size} {unit}"
    return f"{whole} s"
