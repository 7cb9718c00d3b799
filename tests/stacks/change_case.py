"""One change of a running stack, to be tried there and back."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from tests.conftest import changed
from tests.stacks.change_rule import ChangingStack, Config

Change = dict[str, Any]


@dataclass(frozen=True)
class Case:
    """A running stack, the config that it is changed to, and what is around it."""

    stack: str
    field: str
    before: Config
    after: Config
    kind: type[ChangingStack]

    @property
    def name(self) -> str:
        return f"{self.stack}: {self.field}"


def case_of(
    stack: str, config: Config, change: Change, kind: type[ChangingStack] = ChangingStack
) -> Case:
    before = {**config, "deletion_protection": False}
    fields = ", ".join(it.replace("__", ".") for it in change)
    after = changed(before, **change)
    return Case(stack, f"{fields} [{_short(change)}]", before, after, kind)


def _short(change: Change) -> str:
    """The first value, which tells two changes of one field apart."""
    return " ".join(str(next(iter(change.values()))).split())[:40]
