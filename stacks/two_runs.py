"""A change that no single run of the engine does, and the two runs that do it."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from stacks.on_record import Record
from stacks.refusal import OFF_FIRST, SEAL_TYPE


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
    then an `up`. `what` is the first sentence, `loss` the last."""

    what: str
    differences: Sequence[Difference]
    why: str
    targets: Sequence[str] = ()
    loss: str

    def refusal(self, record: Record, stack: str) -> TwoRunsError:
        """`stack` is what Pulumi calls it."""
        fields = {it.field: it for it in reversed(self.differences)}
        lines = (
            f"{self.what}; nothing was changed.",
            *(f"  {it}" for it in reversed(fields.values())),
            f"Why: {self.why}. What does it:",
            *(f"  {step}" for step in self._steps(record, stack)),
            self.loss,
        )
        return TwoRunsError("\n".join(lines))

    def _steps(self, record: Record, stack: str) -> list[str]:
        targets = "".join(f" --target '{it}'" for it in self.targets)
        dependents = " --target-dependents" if self.targets else ""
        protected = bool(record.of_type(SEAL_TYPE))
        return [
            *([f"{OFF_FIRST}, for the stack is protected"] if protected else []),
            f"pulumi destroy --stack {stack}{targets}{dependents}",
            f"pulumi up --stack {stack}",
        ]
