"""Why one kind of resource waits for another, from a table (reasons.yaml)."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from pathlib import Path

from pydantic import BaseModel, ConfigDict

from catalog.strict_yaml import read_yaml
from cli.urns import token_of
from sandbox.schedule import TimedStep

TABLE = Path(__file__).parent / "reasons.yaml"


class Reason(BaseModel):
    """`make` is why the one is made after the other, `delete` why it is deleted before it, if it
    ever is; `source` is whose word it is, and where there is none it is our own reading."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    make: str
    delete: str | None = None
    source: str | None = None


class Reasons(BaseModel):
    """By the type that waits and that which is waited for when both are made."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    reasons: Mapping[str, Mapping[str, Reason]]

    @staticmethod
    @cache
    def load() -> Reasons:
        return Reasons.model_validate(read_yaml(TABLE))

    def of(self, step: TimedStep, before: TimedStep) -> str | None:
        """Why a step waits for the one before it."""
        first, then = token_of(before.urn), token_of(step.urn)
        if step.operation != "delete":
            found = self.reasons.get(then, {}).get(first)
            return None if found is None else found.make
        if before.operation != "delete":
            return None
        found = self.reasons.get(first, {}).get(then)
        return None if found is None else found.delete
