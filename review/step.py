"""One step of the engine's plan, as a preview hands it from its process to the review."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import Any

from pulumi.automation import EngineEvent

from review.values import cleaned


@dataclass(frozen=True)
class EngineStep:
    """`keys` made it a replacement; `paths` are the changed properties and the kind of change.

    `old` and `new` are inputs; None where the resource is not there before, or after.
    """

    urn: str
    type: str
    operation: str
    keys: tuple[str, ...] = ()
    paths: Mapping[str, str] = field(default_factory=dict[str, str])
    old: Mapping[str, Any] | None = None
    new: Mapping[str, Any] | None = None

    @classmethod
    def of_event(cls, event: EngineEvent) -> EngineStep | None:
        """The step of an event; None for events of other kinds."""
        if event.resource_pre_event is None:
            return None
        meta = event.resource_pre_event.metadata
        return cls(
            urn=meta.urn,
            type=meta.type,
            operation=str(meta.op.value),
            keys=tuple(meta.keys or ()),
            paths={path: it.diff_kind.value for path, it in (meta.detailed_diff or {}).items()},
            old=cleaned(meta.old.inputs or {}) if meta.old else None,
            new=cleaned(meta.new.inputs or {}) if meta.new else None,
        )

    @classmethod
    def of_json(cls, found: Mapping[str, Any]) -> EngineStep:
        return cls(**{**found, "keys": tuple(found["keys"])})

    def to_json(self) -> dict[str, Any]:
        return asdict(self)
