"""What the simulated cloud was asked to do in one run, with the simulated time that each step
took."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from sandbox.clock import Span


@dataclass(frozen=True)
class Step:
    """One create, update or delete; times are simulated seconds, `ok` is False for a failed
    step."""

    urn: str
    operation: str
    requested: float
    span: Span
    ok: bool

    @property
    def seconds(self) -> float:
        return self.span.end - self.span.start


@dataclass
class Journal:
    """The steps of one run, in the order in which they ended."""

    steps: list[Step] = field(default_factory=list)

    def add(self, step: Step) -> None:
        self.steps.append(step)

    def settle_aliases(self, aliased: Mapping[str, str]) -> None:
        """Give each step the URN that its resource has in the program; `aliased` has it by that in
        the state."""
        self.steps = [replace(it, urn=aliased.get(it.urn, it.urn)) for it in self.steps]

    @property
    def makespan(self) -> float:
        """Simulated seconds from the first step's request to the last step's end."""
        return max((step.span.end for step in self.steps), default=0.0)
