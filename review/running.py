"""Work that runs and stops with a change, whatever is agreed to. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from components.job_attempt import attempt_of
from review.change import Change, Verb
from stacks.acknowledge import REMOVED
from stacks.refusal import SPEC
from stacks.workloads import RAY_CLUSTER, WORKLOADS, devices_under


@dataclass(frozen=True)
class Stop:
    """A workload that is replaced or deleted; `devices` says which accelerators it has."""

    resource: str
    kind: str
    verb: Verb
    devices: str

    @property
    def agreement(self) -> str:
        """The property under which a protected stack agrees to it."""
        return REMOVED if self.verb == "delete" else SPEC

    def __str__(self) -> str:
        return f"{self.resource} ({self.kind}{', ' if self.devices else ''}{self.devices})"


def stops_of(changes: Iterable[Change], state: Iterable[Mapping[str, Any]]) -> list[Stop]:
    """Every workload that would stop; what it has done since it last wrote a checkpoint is lost."""
    clusters = [it.get("inputs") or {} for it in state if it.get("type") == RAY_CLUSTER]
    return [
        Stop(
            change.name,
            change.type.rsplit(":", 1)[-1],
            change.verb,
            devices_under(change.type, change.old or {}, clusters),
        )
        for change in changes
        if change.destructive and change.type in WORKLOADS and not _had_failed(change)
    ]


def _had_failed(change: Change) -> bool:
    """Whether it is made anew because it no longer ran."""
    old, new = change.old or {}, change.new or {}
    return attempt_of(new) > attempt_of(old)
