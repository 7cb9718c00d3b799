"""A review of a change: every stack of the base against the same stack of the working tree."""

from __future__ import annotations

import os
import re
import tempfile
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from dataclasses import dataclass, replace
from pathlib import Path
from queue import Queue
from typing import Any

from catalog.strict_yaml import YamlError
from cli.errors import UserError
from cli.project import PROJECT_FOLDER, stack_names, stacks_like
from review.base import Base, touches
from review.compare import Place, acknowledged_in, compared
from review.order import On, above, circles, platforms_first, platforms_in, together
from review.runs import Brought, bring_up
from review.stack_review import StackReview
from review.worker import Worker
from stacks.stack_file import text_of

# A stack's engine runs keep about one core at work.
WORKERS = max(1, min(os.cpu_count() or 1, 4))
# What the engine takes as the name of a stack.
_LONGEST_NAME = 100
_NAME = re.compile(rf"[A-Za-z0-9_.-]{{1,{_LONGEST_NAME}}}")


@dataclass(frozen=True)
class Review:
    """All stacks, the worst first, but each behind the platform that it stands on."""

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
        near = ", ".join(stacks_like(unknown[0], known))
        raise UserError(f'--stack: "{unknown[0]}" is neither in the base nor here; nearest: {near}')
    chosen = [name for name in known if not only or name in only]
    files = base.changed_files()
    refused = {it.stack: it for it in _refused(root, known)}
    named = [name for name in known if name not in refused]
    on = platforms_in(root, after.intersection(named), named)
    found = [refused[name] for name in chosen if name in refused]
    found += [_in_a_circle(name, why) for name, why in circles(on).items() if name in chosen]
    left = [name for name in chosen if name not in {it.stack for it in found}]
    touched = [name for name in left if touches(root, name, files)]
    found += [_untouched(root, name, on, touched) for name in left if name not in touched]
    with tempfile.TemporaryDirectory(prefix="review-") as scratch:
        place = Place(root, Path(scratch), frozenset(before), frozenset(after), on=on)
        if touched:
            base.export(place.tree)
            on_before = platforms_in(place.tree, before.intersection(named), named)
            place = replace(place, on_before=on_before)
            found += _all_reviewed(place, touched)
    order = ("failed", "removed", "changed", "new", "waits", "same")
    found.sort(key=lambda it: (not it.refused, order.index(it.status), it.stack))
    by_name = {it.stack: it for it in found}
    listed = platforms_first(list(by_name), place.on_both)
    return Review(ref, base.commit, tuple(by_name[name] for name in listed))


def _refused(root: Path, names: Sequence[str]) -> Iterator[StackReview]:
    """Stacks whose config is not read: it may be that of somebody whom nobody knows."""
    for name in names:
        file = root / f"Pulumi.{name}.yaml"
        if not _NAME.fullmatch(name):
            yield _misnamed(name)
        elif why := _why_unread(file):
            error = f"{file.name}: {why}"
            yield StackReview(name, "failed", "its config is no file that is read", (error,))


def _why_unread(file: Path) -> str:
    try:
        text_of(file)
    except YamlError as error:
        return str(error)
    except OSError as error:
        # At the base alone, or for the program to report.
        return "" if isinstance(error, FileNotFoundError) else f"cannot be read: {error.strerror}"
    return ""


def _misnamed(name: str) -> StackReview:
    near = re.sub(r"[^A-Za-z0-9_.-]+", "-", name[:_LONGEST_NAME]).strip("-") or "dev"
    error = f'Pulumi.{name}.yaml: "{name}" is no name of a stack; nearest: Pulumi.{near}.yaml'
    return StackReview(name, "failed", "no stack can have this name", (error,))


def _in_a_circle(name: str, why: str) -> StackReview:
    return StackReview(name, "failed", "no order of the stacks is right", (why,))


def _untouched(root: Path, stack: str, on: On, touched: Sequence[str]) -> StackReview:
    """A stack that no changed file is a part of."""
    note = "no file that it is made of differs"
    if on.get(stack) in touched:
        note += "; what its platform's change makes of it is seen once that is up"
    return StackReview(
        stack, "same", note, platform=on.get(stack, ""), spent=acknowledged_in(root, stack)
    )


def _all_reviewed(place: Place, stacks: Sequence[str]) -> list[StackReview]:
    """Stacks that have to do with each other are in one sandbox, one after the other."""
    relations = (place.on_before, place.on)
    needed = {it for on in relations for stack in stacks for it in above(stack, on)}
    groups = together(sorted({*stacks, *needed}), *relations)
    count = min(WORKERS, len(groups))
    with ExitStack() as open_processes, ThreadPoolExecutor(count) as pool:
        free: Queue[tuple[Worker, Worker]] = Queue()
        for _ in range(count):
            pair = (Worker(place.tree), Worker(PROJECT_FOLDER))
            for worker in pair:
                open_processes.enter_context(worker)
            free.put(pair)

        def one(group: Sequence[str]) -> list[StackReview]:
            pair = free.get()
            try:
                return _group_reviewed(place, group, stacks, *pair)
            finally:
                free.put(pair)

        return [it for found in pool.map(one, groups) for it in found]


def _group_reviewed(
    place: Place, group: Sequence[str], stacks: Sequence[str], base: Worker, head: Worker
) -> list[StackReview]:
    """Those of the group that are of `stacks`; the others are what these stand on."""
    folder = place.sandbox(group[0])
    brought: dict[str, Brought] = {}
    for stack in platforms_first(group, place.on_before):
        if stack in place.before:
            brought[stack] = bring_up(base, stack, folder)
    reviewed = [it for it in platforms_first(group, place.on_both) if it in stacks]
    return [compared(place, it, folder, brought, head) for it in reviewed]
