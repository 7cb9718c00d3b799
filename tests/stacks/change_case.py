"""One change of a running stack, to be tried there and back."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from tests.conftest import changed
from tests.stacks.change_rule import ChangingStack, Config

Change = dict[str, Any]


@dataclass(frozen=True)
class Case:
    """A running stack, the config that it is changed to, and what is around it. `value` is the
    first new one, which tells two changes of one field apart."""

    stack: str
    fields: str
    value: str
    before: Config
    after: Config
    kind: type[ChangingStack]

    @property
    def name(self) -> str:
        return f"{self.stack}: {self.fields} [{self.value}]"

    @property
    def mode(self) -> str:
        autopilot = (self.before.get("cluster") or {}).get("mode") == "autopilot"
        return "Autopilot" if autopilot else "Standard"


def case_of(
    stack: str, config: Config, change: Change, kind: type[ChangingStack] = ChangingStack
) -> Case:
    before = {**config, "deletion_protection": False}
    fields = ", ".join(it.replace("__", ".") for it in change)
    after = changed(before, **change)
    value = " ".join(str(next(iter(change.values()))).split())[:40]
    return Case(stack, fields, value, before, after, kind)
