"""The guard: which changes take away what is hard to get back, and whether that was agreed to."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from catalog import Catalog
from review.change import Change, Verb
from review.values import SECRET, UNKNOWN
from stacks import property_paths
from stacks.acknowledge import Acknowledge
from stacks.agreements import NO_AGREEMENTS, Agreements
from stacks.data_loss import again, lost_in_place, lost_with
from stacks.node_pool_facts import pool_facts
from stacks.refusal import CLUSTER, KUBERNETES, NEW_NODES, NODE_POOL, RELEASE, is_guarded
from stacks.running_work import Stop

_GRANT = "IAMMember"


@dataclass(frozen=True)
class Danger:
    """A replace or delete of a guarded resource; `properties` are what causes it, and `entries` are
    what `acknowledge` lacks."""

    resource: str
    type: str
    verb: Verb
    properties: tuple[str, ...]
    cause: str
    radius: str
    entries: tuple[str, ...] = ()

    @property
    def acknowledged(self) -> bool:
        return not self.entries


def dangers_of(
    changes: Iterable[Change],
    catalog: Catalog,
    agreements: Agreements = NO_AGREEMENTS,
    standing: Sequence[str] = (),
) -> list[Danger]:
    """Every destructive change of a guarded resource, what is not agreed to first; `standing` are
    the other stacks on the cluster."""
    every = list(changes)
    found = [
        Danger(
            resource=change.name,
            type=change.type,
            verb=change.verb,
            properties=tuple(cause.property for cause in change.causes),
            cause="; ".join(map(str, change.causes)),
            radius=lost_with(change.type, change.old or {}, catalog) + _of_others(change, standing),
            entries=tuple(_lacking(change, agreements)),
        )
        for change in every
        if change.destructive and is_guarded(change.type, change.old or {}, catalog)
        if not _with_its_cluster(change, every)
    ]
    return sorted(found, key=lambda it: it.acknowledged)


def _with_its_cluster(change: Change, all_changes: Iterable[Change]) -> bool:
    """Whether an object goes because its cluster does, which is a danger of its own."""
    if not change.type.startswith(KUBERNETES) or change.removed:
        return False
    return any(it.destructive and it.type == CLUSTER for it in all_changes)


def _lacking(change: Change, agreements: Agreements) -> list[str]:
    """What `acknowledge` lacks. Of which instance goes a review knows nothing."""
    if change.removed:
        return agreements.for_removal(change.name)
    own = {it.property: _target(it.value) for it in change.causes if not it.because}
    return agreements.for_replacement(change.name, own if len(own) == len(change.causes) else {})


def _target(value: Any) -> Any:
    return property_paths.UNKNOWN if value in (SECRET, UNKNOWN) else value


def spent(
    acknowledged: Sequence[Acknowledge], dangers: Iterable[Danger], stops: Iterable[Stop]
) -> list[Acknowledge]:
    """Entries that agree to nothing in this change; of those that contradict it the program says
    so itself."""
    touched = {danger.resource for danger in dangers} | {stop.resource for stop in stops}
    return [one for one in acknowledged if one.resource not in touched]


def warnings_of(changes: Iterable[Change], catalog: Catalog) -> list[str]:
    """Updates that make the nodes of an accelerator pool anew, and rights that are lost."""
    lines: list[str] = []
    for change in changes:
        if change.destructive and change.type.endswith(_GRANT):
            old = change.old or {}
            lines.append(
                f"{change.name}: {old.get('member', 'a member')} loses {old.get('role', 'a role')} "
                f"on {old.get('bucket', 'what it was given on')}, and what runs as it fails there"
            )
        if change.verb == "update":
            in_place = lost_in_place(change.type, change.old or {}, change.new or {})
            lines += [f"{change.name}: {line}" for line in in_place]
        if change.verb != "update" or change.type != NODE_POOL:
            continue
        pool = pool_facts(change.old or {}, catalog)
        causes = [it for it in change.causes if it.property.startswith(NEW_NODES)]
        if pool.accelerated and causes:
            why = "; ".join(map(str, causes))
            lines.append(
                f"{change.name} is updated in place, and its nodes with {pool.devices} are made "
                f"anew ({why}): {again(pool)}"
            )
    return lines


def _of_others(change: Change, standing: Sequence[str]) -> str:
    """What goes of the stacks that stand on a platform."""
    if not standing or change.type not in (CLUSTER, RELEASE):
        return ""
    named = ", ".join(standing)
    if change.type == RELEASE:
        return f"; of other stacks those of {named}"
    return f"; with it all that other stacks have there is lost: {named}"
