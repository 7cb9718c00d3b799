"""A change that no single run of the engine does, and the two runs that do it."""

import shlex
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from stacks.on_record import Record
from stacks.refusal import SEAL_TYPE, off_first

# The plugin then takes from the record what it cannot ask for, Helm releases as well; its delete
# heeds this for all but those (pulumi/pulumi-kubernetes provider/pkg/provider/provider.go, Read and
# Delete, 94977969 of 2026-07-01).
DELETE_UNREACHABLE = "PULUMI_K8S_DELETE_UNREACHABLE"


def back_on(stack: str) -> str:
    """The run after what `off_first` made possible."""
    return (
        f"`pulumi up --stack {stack}` with stack.deletion_protection true and nothing else changed"
    )


def forget(stack: str) -> str:
    """Takes from the record what was in a cluster that is gone."""
    return f"{DELETE_UNREACHABLE}=true pulumi refresh --stack {stack}"


def untaint(stack: str) -> str:
    return f"pulumi state untaint --all --yes --stack {stack}, where something is tainted"


class TwoRunsError(ValueError):
    """Says why, and the commands."""


@dataclass(frozen=True)
class Difference:
    """A field of the config that what is on record cannot follow in one run."""

    field: str
    before: Any
    after: Any

    def __str__(self) -> str:
        return f"{self.field}: {self.before} -> {self.after}"


@dataclass(frozen=True, kw_only=True)
class TwoRuns:
    """A destroy of `targets` and of what depends on them, or of everything where there are none;
    then an `up`, with the options `again`. The `up` alone where nothing `destroys`. Where it
    `untaints`, a taint may have asked for the replacement, and goes first. `what` is the first
    sentence, `loss` the last. `instead` is a value of the config with which one run would do. What
    was in a cluster that is gone is not destroyed, but forgotten: first where the stack `forgets`,
    instead where `perhaps_gone` is gone."""

    what: str
    differences: Sequence[Difference]
    why: str
    untaints: bool = False
    targets: Sequence[str] = ()
    destroys: bool = True
    again: str = ""
    loss: str
    instead: str = ""
    forgets: bool = False
    perhaps_gone: str = ""

    def refusal(self, record: Record, stack: str) -> TwoRunsError:
        """`stack` is what Pulumi calls it."""
        fields = {it.field: it for it in reversed(self.differences)}
        lines = (
            f"{self.what}; nothing was changed.",
            *(f"  {it}" for it in reversed(fields.values())),
            f"Why: {self.why}. What does it:",
            *(f"  {step}" for step in self._steps(record, stack)),
            self.loss,
            *([f"Or, in one run: {self.instead}"] if self.instead else []),
            *([self._where_gone(stack)] if self.perhaps_gone else []),
        )
        return TwoRunsError("\n".join(lines))

    def _where_gone(self, stack: str) -> str:
        return (
            f"Or, where {self.perhaps_gone} is gone with all that was in it: `{forget(stack)}`, "
            f"then `pulumi up --stack {stack}`"
        )

    def _steps(self, record: Record, stack: str) -> list[str]:
        targets = "".join(f" --target {shlex.quote(it)}" for it in self.targets)
        dependents = " --target-dependents" if self.targets else ""
        protected = self.destroys and bool(record.of_type(SEAL_TYPE))
        destroy = f"pulumi destroy --stack {stack}{targets}{dependents}"
        return [
            *([untaint(stack)] if self.untaints else []),
            *([forget(stack)] if self.forgets else []),
            *([f"{off_first(stack)}, for the stack is protected"] if protected else []),
            *([destroy] if self.destroys else []),
            f"pulumi up --stack {stack}{self.again}",
            *([back_on(stack)] if protected else []),
        ]
