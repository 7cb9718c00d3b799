"""How long an operation may take before the provider gives it up."""

import math
from collections.abc import Mapping
from typing import Any, Literal

from pydantic import PositiveInt

from .durations import Durations
from .durations_table import OPERATIONS, Operation
from .table import Fact, Table, load_table

# The longest that was seen of few is not the longest that there is.
_MARGIN = 1.5


class ProviderWait(Fact):
    """Minutes that the provider waits by itself, and what its state has of what it gave up."""

    create: PositiveInt
    update: PositiveInt
    delete: PositiveInt
    after_create: Literal["cleared", "kept", "read"]
    after_update: Literal["new", "old"]
    source: str

    def minutes(self, operation: Operation) -> int:
        return getattr(self, operation)


class TimeoutTable(Table):
    """By resource type; objects of Kubernetes have `kubernetes` minutes for each operation."""

    types: Mapping[str, ProviderWait]
    kubernetes: PositiveInt


def provider_wait(token: str) -> ProviderWait | None:
    return load_table(TimeoutTable, "timeouts").types.get(token)


def provider_minutes(token: str, operation: Operation) -> int | None:
    """None of what is made by calls that answer at once."""
    if token.startswith("kubernetes:"):
        return load_table(TimeoutTable, "timeouts").kubernetes
    wait = provider_wait(token)
    return None if wait is None else wait.minutes(operation)


def longest(token: str, operation: Operation, inputs: Mapping[str, Any]) -> float:
    """Seconds that an operation which goes well takes at most, by the table of durations."""
    table = Durations.load()
    found = table.span(token, operation, inputs).high
    if operation == "update":
        renewal = table.renewal(token, inputs)
        return found if renewal is None else max(found, renewal.high)
    return found


def minutes_for(token: str, inputs: Mapping[str, Any]) -> dict[Operation, int]:
    """How long each operation may take: no less than the provider waits by itself, and longer
    where the table of durations has more. `inputs` are the provider's own names."""
    wait = provider_wait(token)
    assert wait is not None, token
    return {
        it: max(wait.minutes(it), math.ceil(_MARGIN * longest(token, it, inputs) / 60))
        for it in OPERATIONS
    }
