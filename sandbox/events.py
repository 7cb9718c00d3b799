"""Collects what the engine reports while it works."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any

from pulumi.automation import EngineEvent

_STACK = "pulumi:pulumi:Stack"
SHOWN_SEVERITIES = frozenset({"error", "warning"})
# Errors that say nothing of what is wrong. The last is `sandbox.program`'s, whose user was told.
PROGRAM_ENDED = "the program ended with what it said above"
_SAY_NOTHING = frozenset(
    {"update failed", "preview failed", "refresh failed", "destroy failed", PROGRAM_ENDED}
)


@dataclass(frozen=True)
class ResourceOperation:
    """One line of the engine's plan; `causes` are the properties that made it so."""

    urn: str
    type: str
    operation: str
    causes: tuple[str, ...] = ()


@dataclass
class EngineReport:
    """Everything that one run of the engine said, each thing once; `failed`: an error was among it.
    `urns` has the resources that each of the `diagnostics` is about, `outputs` are the stack's.
    `aliased` has by the URN in the state the one in the program, where those differ."""

    resources: list[ResourceOperation] = field(default_factory=list)
    changes: dict[str, int] = field(default_factory=dict)
    diagnostics: list[str] = field(default_factory=list)
    step_events: list[EngineEvent] = field(default_factory=list[EngineEvent])
    failed: bool = False
    urns: dict[str, list[str]] = field(default_factory=dict[str, list[str]])
    outputs: dict[str, Any] = field(default_factory=dict[str, Any])
    aliased: dict[str, str] = field(default_factory=dict[str, str])
    _empty: list[str] = field(default_factory=list[str])
    _errors: int = 0

    @property
    def errors(self) -> list[str]:
        """Of a run that failed, what it failed for."""
        return self.diagnostics[: self._errors] or self.diagnostics

    @property
    def warnings(self) -> list[str]:
        """What it was warned of besides."""
        return self.diagnostics[self._errors :] if self._errors or not self.failed else []

    def drop_warnings(self, words: str) -> None:
        """Those that have these words in their first line: they are said with their error."""
        start = len(self.diagnostics) - len(self.warnings)
        self.diagnostics[start:] = [
            it for it in self.warnings if words not in it.partition("\n")[0]
        ]

    def settle_aliases(self) -> None:
        """Give the steps that came before the program registered a resource the URN that it has
        there: a delete before a replacement has that of the state."""
        for event in self.step_events:
            if event.resource_pre_event is not None:
                meta = event.resource_pre_event.metadata
                meta.urn = self.aliased.get(meta.urn, meta.urn)
        self.resources = [
            replace(it, urn=self.aliased.get(it.urn, it.urn)) for it in self.resources
        ]

    def take(self, event: EngineEvent) -> None:
        if event.resource_pre_event is not None:
            self.step_events.append(event)
            meta = event.resource_pre_event.metadata
            if meta.old is not None and meta.old.urn != meta.urn:
                self.aliased[meta.old.urn] = meta.urn
            operation = ResourceOperation(
                meta.urn, meta.type, str(meta.op.value), tuple(meta.diffs or ())
            )
            self.resources.append(operation)
        if event.res_outputs_event is not None:
            meta = event.res_outputs_event.metadata
            if meta.type == _STACK and meta.new is not None:
                self.outputs = dict(meta.new.outputs or {})
        if event.summary_event is not None:
            counts = event.summary_event.resource_changes
            self.changes = {str(getattr(op, "value", op)): count for op, count in counts.items()}
        if event.diagnostic_event is not None:
            diagnostic = event.diagnostic_event
            self.failed |= diagnostic.severity == "error"
            # The engine says a program's error a second time, as one that nobody handled.
            message = diagnostic.message.strip().removeprefix("an unhandled error occurred: ")
            if diagnostic.severity in SHOWN_SEVERITIES and not diagnostic.ephemeral:
                self.note(message, diagnostic.urn, is_error=diagnostic.severity == "error")

    def note(self, message: str, urn: str | None, *, is_error: bool = False) -> None:
        if message in _SAY_NOTHING:
            self._empty.append(message)
            return
        if message not in self.diagnostics:
            # What made the run fail is read before what it was warned of.
            self.diagnostics.insert(self._errors if is_error else len(self.diagnostics), message)
            self._errors += is_error
        of_message = self.urns.setdefault(message, [])
        if urn and urn not in of_message:
            of_message.append(urn)

    def end(self) -> None:
        """Of a run that failed and said nothing else, what it said."""
        if self.failed and not self.diagnostics:
            self.diagnostics += self._empty[:1]
