"""One stack of the base against the same stack of the working tree, by runs of the engine."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from pydantic import TypeAdapter, ValidationError

from cli.project import PROJECT
from review.change import all_removed, changes_of
from review.cost import Cost, cost_of
from review.danger import dangers_of, spent, warnings_of
from review.manifests import manifest_diff
from review.order import On, names_another_project
from review.picture import coloured
from review.preview import Preview
from review.runs import Brought, preview
from review.sandbox_engine import Unknown, Workspace, with_urns
from review.stack_review import StackReview
from review.worker import Worker
from stacks.acknowledge import Acknowledge
from stacks.agreements import Agreements
from stacks.names_beside import config_of
from stacks.on_record import Record
from stacks.running_work import RunningWork

REMOVED_STACK = "stack removed"
_ACKNOWLEDGED = TypeAdapter(tuple[Acknowledge, ...])


@dataclass(frozen=True)
class Place:
    """Where a review is: the tree in `root`, the base's beside it. `before` and `after` are the
    stacks of each, `on_before` and `on` what they stand on."""

    root: Path
    scratch: Path
    before: frozenset[str]
    after: frozenset[str]
    on_before: On = field(default_factory=dict)
    on: On = field(default_factory=dict)

    @property
    def tree(self) -> Path:
        return self.scratch / "base"

    def sandbox(self, stack: str) -> Path:
        """Where the base is brought up."""
        return self._made("stacks") / stack

    def fresh(self, stack: str) -> Path:
        """A sandbox in which nothing was tried."""
        return self._made("new") / stack

    def _made(self, name: str) -> Path:
        folder = self.scratch / name
        folder.mkdir(exist_ok=True)
        return folder

    @property
    def on_both(self) -> On:
        """What each stands on, or of those that go stood on."""
        gone = {it: platform for it, platform in self.on_before.items() if it not in self.after}
        return {**gone, **self.on}

    def standing_on(self, stack: str) -> tuple[str, ...]:
        """The stacks that go with the cluster of this one."""
        return tuple(sorted(it for it, platform in self.on_before.items() if platform == stack))


def compared(
    place: Place, stack: str, folder: Path, brought: Mapping[str, Brought], head: Worker
) -> StackReview:
    """`brought` has every stack of the base that is in the sandbox in `folder`."""
    own = brought.get(stack)
    if own is None:
        return _of_new(place, head, stack, folder, "new: nothing of it is there yet", 0.0)
    ground = brought.get(place.on_before.get(stack, ""))
    if ground is not None and not ground.ok and not ground.invalid:
        note = "its platform could not be brought up at the base, so there is nothing to compare"
        return StackReview(stack, "failed", note, ground.errors, engine_s=own.seconds)
    if own.invalid:
        note = "the base's config was refused, so all of it counts as new"
        made = _of_new(place, head, stack, folder, note, own.seconds)
        refused = () if made.status == "waits" else own.errors
        return replace(made, errors=(*refused, *made.errors))
    if not own.ok:
        note = "the base could not be brought up, so there is nothing to compare with"
        return StackReview(stack, "failed", note, own.errors, engine_s=own.seconds)
    if stack not in place.after:
        return _of_removed(place, stack, folder, own)
    seen, seconds = preview(head, stack, folder)
    return _of_preview(place, stack, folder, seen, own.state, own.seconds + seconds)


def _of_new(
    place: Place, head: Worker, stack: str, folder: Path, note: str, spent: float
) -> StackReview:
    if stack not in place.after:
        return StackReview(stack, "removed", f"removed; {note}", engine_s=spent)
    # What a refused base left is in the one; a platform that it stands on is only there.
    where = folder if stack in place.on else place.fresh(stack)
    seen, seconds = preview(head, stack, where)
    return _of_preview(place, stack, where, seen, None, spent + seconds, note)


def _of_removed(place: Place, stack: str, folder: Path, brought: Brought) -> StackReview:
    catalog = Workspace(folder, stack, place.tree).catalog()
    changes = all_removed(brought.state, REMOVED_STACK)
    work = RunningWork({}, Record({it["urn"]: it for it in brought.state}))
    return StackReview(
        stack,
        "removed",
        "its config is gone: what is up stays up, and is paid for, until "
        f"`pulumi destroy --stack {stack}`; after it, all of this is deleted",
        platform=place.on_before.get(stack, ""),
        changes=tuple(changes),
        dangers=tuple(dangers_of(changes, catalog, standing=place.standing_on(stack))),
        stops=tuple(work.stops(work.removed())),
        before=cost_of(_inputs(brought.state), catalog),
        after=Cost(),
        mermaid=coloured({}, brought.state, changes),
        engine_s=brought.seconds,
    )


def _of_preview(
    place: Place,
    stack: str,
    folder: Path,
    seen: Preview,
    state: Sequence[Mapping[str, Any]] | None,
    seconds: float,
    note: str = "",
) -> StackReview:
    platform = place.on.get(stack, "")
    if not seen.ok:
        if seen.waits and (why := _waits(place, stack)):
            return StackReview(stack, "waits", why, platform=platform, engine_s=seconds)
        return StackReview(
            stack,
            "failed",
            "the working tree's preview fails",
            seen.errors,
            platform=platform,
            engine_s=seconds,
        )
    if state is not None:
        state = with_urns({"resources": state}, seen.aliased)["resources"]
    catalog = Workspace(folder, stack, place.root).catalog()
    changes = changes_of(seen.steps, state or ())
    acknowledged = acknowledged_in(place.root, stack)
    agreements = Agreements(acknowledged, seen.config, project=seen.project)
    dangers = dangers_of(changes, catalog, agreements, place.standing_on(stack))
    gone = {change.urn for change in changes if change.verb == "delete"}
    wanted = {it.urn: it.new for it in seen.steps if it.new is not None and it.urn not in gone}
    unknown = Unknown()
    before, after = unknown.estimate(
        "the cost",
        lambda: (
            None if state is None else cost_of(_inputs(state), catalog),
            cost_of(wanted.items(), catalog),
        ),
        lambda: (None, None),
    )
    return StackReview(
        stack,
        "new" if state is None else "changed" if changes else "same",
        note if state is None else note or ("" if changes else "the engine sees no difference"),
        platform=platform,
        changes=tuple(changes),
        dangers=tuple(dangers),
        spent=tuple(spent(acknowledged, dangers, seen.stops)),
        stops=seen.stops,
        not_agreed=seen.not_agreed,
        stop_entries=seen.stop_entries,
        warnings=tuple(warnings_of(changes, catalog)),
        refusal=seen.refusal,
        before=before,
        after=after,
        makespan_s=seen.makespan_s,
        low_s=seen.low_s,
        high_s=seen.high_s,
        sequential_s=seen.sequential_s,
        chain=seen.chain,
        courses=seen.courses,
        not_estimated=(*seen.not_estimated, *unknown.lines),
        manifests=manifest_diff(changes) if state is not None else "",
        mermaid=coloured(seen.goals, state or (), changes) if changes else "",
        engine_s=seconds,
    )


def _waits(place: Place, stack: str) -> str:
    """Why a stack cannot be previewed whose platform is not there; empty where the name that its
    config gives leads nowhere."""
    if stack in place.on:
        return (
            "its platform is not up at the base: what it makes there is seen once the platform is"
        )
    if names_another_project(place.root / f"Pulumi.{stack}.yaml"):
        return "its platform is a stack of another project, which no review brings up"
    return ""


def _inputs(state: Iterable[Mapping[str, Any]]) -> Iterable[tuple[str, Mapping[str, Any]]]:
    return ((resource["urn"], resource.get("inputs") or {}) for resource in state)


def acknowledged_in(root: Path, stack: str) -> tuple[Acknowledge, ...]:
    """What the stack's config agrees to; what the program would refuse is left to it."""
    own = config_of(root / f"Pulumi.{stack}.yaml", PROJECT).get(f"{PROJECT}:stack")
    entries = own.get("acknowledge") if isinstance(own, dict) else None
    try:
        return _ACKNOWLEDGED.validate_python(entries or ())
    except ValidationError:
        return ()
