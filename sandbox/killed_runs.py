"""What a run that was killed left behind, put in order before the next: its lock, and operations
that are pending."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from pulumi.automation import Deployment, Stack

from cli.urns import name_of
from recovery.pending import Adoption, Orphan, adopt_pending
from recovery.report import gone, off_record, unsaid
from sandbox.cloud.cloud import Cloud
from sandbox.cloud.kinds import KINDS
from sandbox.errors import CloudError
from sandbox.locks import stale_locks
from sandbox.workspace import Workspace

Tell = Callable[[str], None]


def unlock(stack: Stack, workspace: Workspace, tell: Tell) -> None:
    """Remove the lock of an engine that is no more."""
    if stale_locks(workspace.backend):
        tell("a killed run left its lock: removing it")
        stack.cancel()


def adopt(
    stack: Stack, workspace: Workspace, cloud: Cloud, tell: Tell, parallel: int
) -> dict[str, Any]:
    """The state, after looking up what became of the operations that are pending in it."""
    state = workspace.deployment()
    pending = state.get("pending_operations") or []
    adoption = adopt_looked_up(state, cloud)
    if not (pending or adoption.adopted):
        return state
    stack.import_stack(Deployment(version=3, deployment=adoption.deployment))
    tell(f"a killed run left {len(pending)} operations pending: looking up what became of them")
    for orphan in adoption.orphans:
        tell(f"not found, so it was not made: {orphan.urn}")
    if adoption.adopted:
        stack.refresh(target=list(adoption.adopted), show_secrets=False, parallel=parallel)
    after = workspace.deployment()
    for line in (*gone(adoption, after), *unsaid(adoption, after), *off_record(adoption, after)):
        tell(line)
    return after


def tell_pending(state: Mapping[str, Any], tell: Tell) -> None:
    """Say of what a preview does not know the end: it changes no state, and looks nothing up."""
    pending = [(it["type"], it["resource"]) for it in state.get("pending_operations") or []]
    if not pending:
        return
    named = ", ".join(f"{kind} {name_of(it['urn'])}" for kind, it in pending)
    tell(f"a killed run left operations pending: {named}")
    tell("  `up` looks them up first, and makes again what is gone; this preview does not know it")


def adopt_looked_up(state: dict[str, Any], cloud: Cloud) -> Adoption:
    """The adoption, with the ids that the cloud chose asked of it."""
    adoption = adopt_pending(state)
    found = {one.urn: _look_up(one, cloud) for one in adoption.orphans}
    return adopt_pending(state, {urn: known for urn, known in found.items() if known})


def _look_up(orphan: Orphan, cloud: Cloud) -> str | None:
    """As a person would find it in a list: a dashboard by its title."""
    kind = KINDS.get(orphan.type)
    try:
        known = kind.identify(orphan.inputs) if kind else None
    except CloudError:
        return None
    return known if known and cloud.get(known) else None
