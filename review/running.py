"""Work that runs and stops with a change, whatever is agreed to. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from components.job_attempt import attempt_of
from review.change import Change, Verb
from review.pods import RAY_CLUSTER, RAY_JOB, WORKLOADS, devices_of


@dataclass(frozen=True)
class Stop:
    """A workload that is replaced or deleted; `devices` says which accelerators it has."""

    resource: str
    kind: str
    verb: Verb
    devices: str

    def __str__(self) -> str:
        return f"{self.resource} ({self.kind}{', ' if self.devices else ''}{self.devices})"


def stops_of(changes: Iterable[Change], state: Iterable[Mapping[str, Any]]) -> list[Stop]:
    """Every workload that would stop; what it has done since it last wrote a checkpoint is lost."""
    clusters = {
        _name(it.get("inputs") or {}): it.get("inputs") or {}
        for it in state
        if it.get("type") == RAY_CLUSTER
    }
    return [
        Stop(
            change.name,
            change.type.rsplit(":", 1)[-1],
            change.verb,
            _devices(change.type, change.old or {}, clusters),
        )
        for change in changes
        if change.destructive and change.type in WORKLOADS and not _had_failed(change)
    ]


def _had_failed(change: Change) -> bool:
    """Whether it is made anew because it no longer ran."""
    old, new = change.old or {}, change.new or {}
    return attempt_of(new) > attempt_of(old)


def _devices(
    token: str, inputs: Mapping[str, Any], clusters: Mapping[str, Mapping[str, Any]]
) -> str:
    found = devices_of(token, inputs)
    if token == RAY_JOB and not found:
        selector = (inputs.get("spec") or {}).get("clusterSelector") or {}
        found = devices_of(RAY_CLUSTER, clusters.get(str(selector.get("ray.io/cluster")), {}))
    return ", ".join(
        f"{count} {kind}{'' if count == 1 else 's'}" for kind, count in sorted(found.items())
    )


def _name(inputs: Mapping[str, Any]) -> str:
    return str((inputs.get("metadata") or {}).get("name"))
