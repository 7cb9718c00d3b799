"""What a controller says in known words, and what that means to whoever waits for the job. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

from aistack.why.snapshot import Reason


@dataclass(frozen=True)
class Saying:
    """`cause` is its name for scripts; groups of the words fill sentence and advice."""

    cause: str
    words: re.Pattern[str]
    sentence: str
    advice: str

    def reason(self, message: str) -> Reason | None:
        match = self.words.search(message)
        if match is None:
            return None
        groups = {key: text.rstrip(".") for key, text in match.groupdict().items()}
        return Reason(self.cause, self.sentence.format(**groups), self.advice.format(**groups))


def first_said(sayings: Iterable[Saying], messages: Iterable[str]) -> Reason | None:
    """By the order of the sayings, then of the messages."""
    heard = list(messages)
    found = (saying.reason(message) for saying in sayings for message in heard)
    return next((reason for reason in found if reason is not None), None)
