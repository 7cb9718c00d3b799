"""Collects what the engine reports while it works."""

from __future__ import annotations

from dataclasses import dataclass, field

from pulumi.automation import EngineEvent

SHOWN_SEVERITIES = frozenset({"error", "warning"})


@dataclass(frozen=True)
class ResourceOperation:
    """One line of the engine's plan; `causes` are the properties that made it so."""

    urn: str
    type: str
    operation: str
    causes: tuple[str, ...] = ()


@dataclass
class EngineReport:
    """Everything that one run of the engine said; `failed`: an error was among it."""

    resources: list[ResourceOperation] = field(default_factory=list)
    changes: dict[str, int] = field(default_factory=dict)
    diagnostics: list[str] = field(default_factory=list)
    step_events: list[EngineEvent] = field(default_factory=list[EngineEvent])
    failed: bool = False

    def take(self, event: EngineEvent) -> None:
        if event.resource_pre_event is not None:
            self.step_events.append(event)
            meta = event.resource_pre_event.metadata
            operation = ResourceOperation(
                meta.urn, meta.type, str(meta.op.value), tuple(meta.diffs or ())
            )
            self.resources.append(operation)
        if event.summary_event is not None:
            counts = event.summary_event.resource_changes
            self.changes = {str(getattr(op, "value", op)): count for op, count in counts.items()}
        if event.diagnostic_event is not None:
            diagnostic = event.diagnostic_event
            self.failed |= diagnostic.severity == "error"
            # The engine says a program's error a second time, as one that nobody handled.
            message = diagnostic.message.strip().removeprefix("an unhandled error occurred: ")
            shown = diagnostic.severity in SHOWN_SEVERITIES and not diagnostic.ephemeral
            if shown and message not in self.diagnostics:
                self.diagnostics.append(message)
