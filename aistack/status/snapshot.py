"""All that is known of a stack at one moment, for what is shown and said of it. Pure."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from aistack.status.holdings import Holding, Waiting
from aistack.status.readers import Reader
from cli.urns import name_of, token_of
from kube.kinds import Kind
from kube.objects import JsonObject
from kube.reading import moment


@dataclass(frozen=True)
class Record:
    """A resource that the stack has made, by the engine's state; `created` is None of one that an
    old engine wrote."""

    urn: str
    inputs: Mapping[str, Any]
    created: datetime | None

    @property
    def token(self) -> str:
        return token_of(self.urn)

    @property
    def name(self) -> str:
        return name_of(self.urn)


def records(resources: Sequence[Mapping[str, Any]]) -> Sequence[Record]:
    """Without what others made and what is on its way out."""
    return [
        Record(
            it["urn"],
            it.get("inputs") or {},
            moment(it["created"]) if it.get("created") else None,
        )
        for it in resources
        if it.get("custom") and not it.get("external") and not it.get("delete")
    ]


@dataclass(frozen=True, kw_only=True)
class Snapshot:
    """`objects` are None of a kind that the user may not see, and `refusals`, of an object of each
    kind that was tried, where he may make none. Of `claims`, `local_queues`, `quotas`, `requests`
    for machines and the metadata of `secrets` he sees those of the `namespaces`."""

    now: datetime
    records: Sequence[Record]
    outputs: Mapping[str, Any]
    kubernetes: str
    namespaces: Sequence[str]
    objects: Mapping[Kind, Sequence[JsonObject] | None]
    claims: Sequence[JsonObject] = ()
    local_queues: Sequence[JsonObject] = ()
    quotas: Sequence[JsonObject] = ()
    requests: Sequence[JsonObject] = ()
    holdings: Sequence[Holding] = ()
    waiting: Sequence[Waiting] = ()
    readers: Sequence[Reader] = ()
    secrets: Sequence[JsonObject] = ()
    refusals: Mapping[str, str] | None = field(default_factory=dict[str, str])
    hidden: Sequence[str] = ()

    def seen(self, kind: Kind) -> Sequence[JsonObject]:
        return self.objects.get(kind) or ()

    def sees(self, *kinds: Kind) -> bool:
        return all(self.objects.get(it) is not None for it in kinds)

    def made(self, token: str) -> Iterator[Record]:
        return (it for it in self.records if it.token == token)
