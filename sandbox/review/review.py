"""A review of a change: every stack of the base against the same stack of the working tree."""

from __future__ import annotations

import os
import re
import tempfile
from collections.abc import Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from dataclasses import dataclass, replace
from pathlib import Path
from queue import Queue
from typing import Any

import yaml
from pydantic import TypeAdapter, ValidationError

from sandbox.errors import UserError
from sandbox.review.base import Base, touches
from sandbox.review.change import all_removed, changes_of
from sandbox.review.cost import Cost, cost_of
from sandbox.review.danger import dangers_of, stale, warnings_of
from sandbox.review.manifests import manifest_diff
from sandbox.review.picture import coloured
from sandbox.review.preview import Preview
from sandbox.review.running import stops_of
from sandbox.review.runs import Brought, bring_up, preview
from sandbox.review.stack_review import StackReview
from sandbox.review.svg import drawn
from sandbox.review.worker import Worker
from sandbox.workspace import PROJECT, PROJECT_FOLDER, Workspace, stack_names
from stacks.acknowledge import Acknowledge

# A stack's engine runs keep about one core at work.
WORKERS = max(1, min(os.cpu_count() or 1, 4))
_ACKNOWLEDGED = TypeAdapter(tuple[Acknowledge, ...])
# What the engine takes as the name of a stack.
_LONGEST_NAME = 100
_NAME = re.compile(rf"[A-Za-z0-9_.-]{{1,{_LONGEST_NAME}}}")
REMOVED_STACK = "stack removed"


@dataclass(frozen=True)
class Review:
    """All stacks, the worst first."""

    base: str
    commit: str
    stacks: tuple[StackReview, ...]

    @property
    def exit_code(self) -> int:
        """3 for a loss that nobody agreed to, 1 for a stack that could not be compared, else 0."""
        if any(one.refused for one in self.stacks):
            return 3
        return 1 if any(one.status == "failed" for one in self.stacks) else 0

    def to_json(self) -> dict[str, Any]:
        return {
            "base": self.base,
            "commit": self.commit,
            "exit_code": self.exit_code,
            "stacks": [one.to_json() for one in self.stacks],
        }


def review(root: Path, ref: str, only: Sequence[str] = ()) -> Review:
    """Review the working tree in `root` against `ref`. Raises UserError."""
    base = Base.of(root, ref)
    before, after = set(base.stacks()), set(stack_names(root))
    known = sorted(before | after)
    if unknown := [name for name in only if name not in known]:
        raise UserError(
            f'--stack: "{unknown[0]}" is neither in the base nor here; nearest: {", ".join(known)}'
        )
    chosen = [name for name in known if not only or name in only]
    files = base.changed_files()
    misnamed = [name for name in chosen if not _NAME.fullmatch(name)]
    touched = [name for name in chosen if touches(name, files) and name not in misnamed]
    found = [_untouched(root, name) for name in chosen if name not in {*touched, *misnamed}]
    found += map(_misnamed, misnamed)
    with tempfile.TemporaryDirectory(prefix="review-") as scratch:
        place = _Place(root, Path(scratch), before, after)
        if touched:
            base.export(place.tree)
            found += _all_reviewed(place, touched)
    order = ("failed", "removed", "changed", "new", "same")
    found.sort(key=lambda it: (not it.refused, order.index(it.status), it.stack))
    return Review(ref, base.commit, tuple(found))


def _misnamed(name: str) -> StackReview:
    near = re.sub(r"[^A-Za-z0-9_.-]+", "-", name[:_LONGEST_NAME]).strip("-") or "dev"
    error = f'Pulumi.{name}.yaml: "{name}" is no name of a stack; nearest: Pulumi.{near}.yaml'
    return StackReview(name, "failed", "no stack can have this name", (error,))


@dataclass(frozen=True)
class _Place:
    root: Path
    scratch: Path
    before: set[str]
    after: set[str]

    @property
    def tree(self) -> Path:
        return self.scratch / "base"


def _untouched(root: Path, stack: str) -> StackReview:
    """A stack that no changed file is a part of."""
    return StackReview(
        stack, "same", "no file that it is made of differs", stale=_acknowledged(root, stack)
    )


def _all_reviewed(place: _Place, stacks: Sequence[str]) -> list[StackReview]:
    count = min(WORKERS, len(stacks))
    with ExitStack() as open_processes, ThreadPoolExecutor(count) as pool:
        free: Queue[tuple[Worker, Worker]] = Queue()
        for _ in range(count):
            pair = (Worker(place.tree), Worker(PROJECT_FOLDER))
            for worker in pair:
                open_processes.enter_context(worker)
            free.put(pair)

        def one(stack: str) -> StackReview:
            pair = free.get()
            try:
                return _reviewed(place, stack, *pair)
            finally:
                free.put(pair)

        return list(pool.map(one, stacks))


def _reviewed(place: _Place, stack: str, base: Worker, head: Worker) -> StackReview:
    folder = place.scratch / stack
    if stack not in place.before:
        return _of_new(place, head, stack, folder, "new: nothing of it is there yet", 0.0)
    brought = bring_up(base, stack, folder)
    if brought.invalid:
        note = "the base's config was refused, so all of it counts as new"
        made = _of_new(place, head, stack, folder, note, brought.seconds)
        return replace(made, errors=(*brought.errors, *made.errors))
    if not brought.ok:
        note = "the base could not be brought up, so there is nothing to compare with"
        return StackReview(stack, "failed", note, brought.errors, engine_s=brought.seconds)
    if stack not in place.after:
        return _of_removed(place, stack, folder, brought)
    seen, seconds = preview(head, stack, folder)
    return _compared(place.root, stack, folder, seen, brought.state, brought.seconds + seconds)


def _of_new(
    place: _Place, head: Worker, stack: str, folder: Path, note: str, spent: float
) -> StackReview:
    if stack not in place.after:
        return StackReview(stack, "removed", f"removed; {note}", engine_s=spent)
    seen, seconds = preview(head, stack, folder.with_name(f"{stack}-new"))
    return _compared(
        place.root, stack, folder.with_name(f"{stack}-new"), seen, None, spent + seconds, note
    )


def _of_removed(place: _Place, stack: str, folder: Path, brought: Brought) -> StackReview:
    catalog = Workspace(folder, stack, place.tree).catalog()
    changes = all_removed(brought.state, REMOVED_STACK)
    mermaid, verbs = coloured({}, brought.state, changes)
    return StackReview(
        stack,
        "removed",
        "its config is gone: what is up stays up, and is paid for, until `pulumi destroy`; "
        "after it, all of this is deleted",
        changes=tuple(changes),
        dangers=tuple(dangers_of(changes, (), catalog)),
        stops=tuple(stops_of(changes, brought.state)),
        before=cost_of(_inputs(brought.state), catalog),
        after=Cost(),
        mermaid=mermaid,
        svg=drawn(mermaid, verbs),
        engine_s=brought.seconds,
    )


def _compared(
    root: Path,
    stack: str,
    folder: Path,
    seen: Preview,
    state: Sequence[Mapping[str, Any]] | None,
    seconds: float,
    note: str = "",
) -> StackReview:
    if not seen.ok:
        return StackReview(
            stack, "failed", "the working tree's preview fails", seen.errors, engine_s=seconds
        )
    catalog = Workspace(folder, stack, root).catalog()
    changes = changes_of(seen.steps, state or ())
    acknowledged = _acknowledged(root, stack)
    dangers = dangers_of(changes, acknowledged, catalog)
    mermaid, verbs = coloured(seen.goals, state or (), changes)
    gone = {change.urn for change in changes if change.verb == "delete"}
    wanted = {it.urn: it.new for it in seen.steps if it.new is not None and it.urn not in gone}
    return StackReview(
        stack,
        "new" if state is None else "changed" if changes else "same",
        note if state is None else note or ("" if changes else "the engine sees no difference"),
        changes=tuple(changes),
        dangers=tuple(dangers),
        stale=tuple(stale(acknowledged, dangers)),
        stops=tuple(stops_of(changes, state or ())),
        warnings=tuple(warnings_of(changes, catalog)),
        before=None if state is None else cost_of(_inputs(state), catalog),
        after=cost_of(wanted.items(), catalog),
        makespan_s=seen.makespan_s,
        sequential_s=seen.sequential_s,
        chain=seen.chain,
        manifests=manifest_diff(changes) if state is not None else "",
        mermaid=mermaid if changes else "",
        svg=drawn(mermaid, verbs) if changes else "",
        engine_s=seconds,
    )


def _inputs(state: Iterable[Mapping[str, Any]]) -> Iterable[tuple[str, Mapping[str, Any]]]:
    return ((resource["urn"], resource.get("inputs") or {}) for resource in state)


def _acknowledged(root: Path, stack: str) -> tuple[Acknowledge, ...]:
    """What the stack's config agrees to; what the program would refuse is left to it."""
    document = yaml.safe_load((root / f"Pulumi.{stack}.yaml").read_text()) or {}
    own = (document.get("config") or {}).get(f"{PROJECT}:stack") or {}
    try:
        return _ACKNOWLEDGED.validate_python(own.get("acknowledge") or ())
    except ValidationError:
        return ()
