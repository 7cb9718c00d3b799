"""The status of a stack: all that is shown of it. Pure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from aistack.status.holdings import Use, Waiting, uses
from aistack.status.leases import Lease, leases
from aistack.status.old_values import OldValue, old_values
from aistack.status.pools import Pool, pools
from aistack.status.queues import Queue, queues
from aistack.status.readiness import Readiness, State, readiness
from aistack.status.snapshot import Snapshot
from aistack.status.software import versions
from aistack.status.spending import Spending, spending
from aistack.status.teams import Team, teams
from catalog import Catalog
from kube.objects import dig, name_of, namespace_of


@dataclass(frozen=True, kw_only=True)
class Claim:
    namespace: str
    name: str
    phase: str
    size: str


@dataclass(frozen=True, kw_only=True)
class Report:
    """`storage` is where Lustre and the buckets are; what is `hidden` the user may not see."""

    pools: Sequence[Pool]
    leases: Sequence[Lease]
    uses: Sequence[Use]
    waiting: Sequence[Waiting]
    old_values: Sequence[OldValue]
    queues: Sequence[Queue]
    teams: Sequence[Team]
    claims: Sequence[Claim]
    storage: Mapping[str, Sequence[str]]
    versions: Mapping[str, str]
    spending: Spending
    after_jobs: Sequence[str]
    readiness: Sequence[Readiness]
    hidden: Sequence[str]

    @property
    def is_ready(self) -> bool:
        """As far as the user sees."""
        return not any(it.state is State.NOT_READY for it in self.readiness)


def report(it: Snapshot) -> Report:
    catalog = Catalog.load()
    stored = {
        kind: list(_values(it.outputs.get(output)))
        for kind, output in (("lustre", "lustre_mount_point"), ("bucket", "bucket_url"))
    }
    return Report(
        pools=pools(it, catalog),
        leases=leases(it),
        uses=uses(it.holdings),
        waiting=it.waiting,
        old_values=old_values(it),
        queues=queues(it),
        teams=teams(it),
        claims=[
            Claim(
                namespace=namespace_of(claim),
                name=name_of(claim),
                phase=dig(claim, "status", "phase") or "",
                size=dig(claim, "status", "capacity", "storage") or "",
            )
            for claim in it.claims
        ],
        storage={kind: where for kind, where in stored.items() if where},
        versions=versions(it),
        spending=spending(it, catalog),
        after_jobs=list(it.outputs.get("machines_after_jobs") or ()),
        readiness=readiness(it),
        hidden=it.hidden,
    )


def _values(output: Any) -> Sequence[str]:
    """Of one there is the value, of several each by its name."""
    if output is None:
        return ()
    return list(output.values()) if isinstance(output, Mapping) else [str(output)]
