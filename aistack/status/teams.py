"""What each team may have, and what it has of that. Pure.

Of a quota: kubernetes/kubernetes v1.35.4 staging/src/k8s.io/api/core/v1/types.go,
ResourceQuotaStatus.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from aistack.status.snapshot import Snapshot
from kube.objects import JsonObject, dig, name_of, namespace_of

_QUOTA = "kubernetes:core/v1:ResourceQuota"


@dataclass(frozen=True, kw_only=True)
class Bound:
    """`used` is empty where the user does not see it."""

    resource: str
    most: str
    used: str


@dataclass(frozen=True, kw_only=True)
class Team:
    """`given` is what the stack's config gives the team: who is in it, its queue, and what its
    namespace may have."""

    name: str
    given: str
    bounds: Sequence[Bound]


def notes_of_teams(outputs: Mapping[str, Any]) -> Mapping[str, Any]:
    """By team; whoever writes the state may put anything there."""
    told = outputs.get("teams")
    return told if isinstance(told, Mapping) else {}


def teams(it: Snapshot) -> Sequence[Team]:
    return [
        Team(name=name, given=str(given), bounds=list(_bounds(it, name)))
        for name, given in notes_of_teams(it.outputs).items()
    ]


def _bounds(it: Snapshot, team: str) -> Iterator[Bound]:
    """Of the quotas that the stack has made: GKE has one of its own in each namespace."""
    seen = {name_of(one): one for one in it.quotas if namespace_of(one) == team}
    for record in it.made(_QUOTA):
        made: JsonObject = dict(record.inputs)
        if dig(made, "metadata", "namespace") != team:
            continue
        status = dig(seen.get(name_of(made)) or {}, "status", "used") or {}
        hard = dig(made, "spec", "hard")
        for resource, most in (hard if isinstance(hard, dict) else {}).items():
            yield Bound(resource=resource, most=str(most), used=str(status.get(resource, "") or ""))
