"""`make changes [KEEP=FOLDER]` tries every change, and writes what is refused into
refused_changes.yaml and docs/changes.md.

What was tried is kept in FOLDER, if one is given, and not tried again; with `--tried` only that is
written, and the page says how much it is.
"""

from __future__ import annotations

import json
import multiprocessing
import os
import shutil
import sys
import tempfile
from collections.abc import Collection, Iterator, Sequence
from contextlib import redirect_stdout
from functools import partial
from itertools import groupby
from operator import attrgetter
from pathlib import Path
from typing import Any

import yaml

from cli.project import PROJECT_FOLDER, stack_names
from tests.stacks.change_case import Case
from tests.stacks.change_rule import BrokenPromiseError, Start, there_and_back
from tests.stacks.changes import CASES, REFUSED_FILE
from tests.stacks.conftest import CANARY, SAVED_AT_THE_END
from tests.stacks.existing_changes import CASES as EXISTING_CASES
from tests.unit.effect_stacks import BASES
from tools.written_page import table_row

# By the name of a case what became of it, there and back.
Ways = dict[str, list[dict[str, str]]]
PAGE = PROJECT_FOLDER / "docs" / "changes.md"
# Each waits for its engine half of the time.
_WORKERS = max(2, (os.cpu_count() or 1) * 3 // 2)
# After so many a worker begins anew: a program leaves things behind.
_GROUPS = 8
_WAYS = ("there", "back")
_SECTIONS: dict[str, Collection[str]] = {
    "Every field, in a small stack": BASES,
    "What used to break in the presets": {*stack_names()} - BASES.keys(),
    "What a stack stands on that it did not make": {it.stack for it in EXISTING_CASES},
}
_HEAD = """# What a change does to a running stack

`make changes` writes this page: it brings each stack up on the sandbox, changes one field, and goes
back again. A change is **done** where `up` does what its preview showed, ends in the same cloud as
a fresh `up` of the new config, and leaves nothing for the next preview. Else its preview has to
refuse it before anything is touched, and what it says to run instead is run, and ends there, too.

"""


def main(folder: Path, *, try_all: bool) -> int:
    os.environ.update(HUGGING_FACE_TOKEN=CANARY, WANDB_API_KEY=CANARY, **SAVED_AT_THE_END)
    if try_all:
        _try_what_is_left(folder)
    results = {
        name: json.loads(file.read_text())
        for name, case in CASES.items()
        if (file := folder / f"{_key(case)}.json").exists()
    }
    broken = [it["broken"] for it in results.values() if "broken" in it]
    if broken:
        print(f"{len(broken)} of {len(results)} changes broke their promise; nothing is written")
        return 1
    _write({name: it["ways"] for name, it in results.items()})
    return 0


def _try_what_is_left(folder: Path) -> None:
    of_stack = attrgetter("stack")
    left = [it for it in CASES.values() if not (folder / f"{_key(it)}.json").exists()]
    groups = [list(it) for _, it in groupby(sorted(left, key=of_stack), of_stack)]
    groups.sort(key=len, reverse=True)
    with multiprocessing.get_context("spawn").Pool(_WORKERS, maxtasksperchild=_GROUPS) as pool:
        for _ in pool.imap_unordered(partial(_try_all, folder), groups, chunksize=1):
            pass


def _try_all(folder: Path, cases: Sequence[Case]) -> None:
    """The cases of one stack."""
    shown = sys.stdout
    with tempfile.TemporaryDirectory() as made:
        place = Path(made)
        with (place / "said").open("w") as said, redirect_stdout(said):
            start = Start.made(place, cases[0].before, cases[0].kind)
            start.leave_nothing(place / "down")
            for case in cases:
                print(_try(start, case, place / "case", folder), file=shown, flush=True)
                shutil.rmtree(place / "case", ignore_errors=True)


def _try(start: Start, case: Case, place: Path, folder: Path) -> str:
    began = _processor_seconds()
    try:
        outcomes = there_and_back(start, place, case.before, case.after)
    except AssertionError as error:
        kind = "broken" if isinstance(error, BrokenPromiseError) else "not up"
        line = f"{case.name}: {kind}: {error}"
        found: dict[str, Any] = {"broken": line}
    else:
        line = f"{case.name}: {', '.join(it.kind for it in outcomes)}"
        found = {"ways": [{"kind": it.kind, "reason": it.reason} for it in outcomes]}
    found["seconds"] = round(_processor_seconds() - began, 1)
    (folder / f"{_key(case)}.json").write_text(json.dumps(found))
    return f"{line} ({found['seconds']} s)"


def _processor_seconds() -> float:
    """Of this process and of the engines that it ran: on a machine that is shared no other
    seconds can be compared."""
    it = os.times()
    return it.user + it.system + it.children_user + it.children_system


def _key(case: Case) -> str:
    return "".join(it if it.isalnum() else "-" for it in case.name)


def _write(ways: Ways) -> None:
    refused = {
        name: {
            way: " ".join(it["reason"].split())
            for way, it in zip(_WAYS, both, strict=True)
            if it["kind"] == "refused"
        }
        for name, both in ways.items()
    }
    refused = {name: it for name, it in refused.items() if it}
    REFUSED_FILE.write_text(yaml.safe_dump(refused, sort_keys=False, width=100))
    PAGE.write_text(_HEAD + "\n".join(_lines(ways, refused)) + "\n")


def _lines(ways: Ways, refused: dict[str, dict[str, str]]) -> Iterator[str]:
    tried = "all" if len(ways) == len(CASES) else f"{len(ways)} of {len(CASES)}"
    yield f"Tried: {tried}, each there and back."
    for title, groups in _SECTIONS.items():
        found = {name: both for name, both in ways.items() if CASES[name].stack in groups}
        kinds = [it["kind"] for both in found.values() for it in both]
        yield f"\n## {title}\n"
        yield f"{kinds.count('done')} of {len(kinds)} are done, and all others refused."
        yield from _rows([it for it in found if it in refused], refused)
        yield "\nDone, both ways:\n"
        yield from (f"- {name}" for name in found if name not in refused)


def _rows(names: Sequence[str], refused: dict[str, dict[str, str]]) -> Iterator[str]:
    yield "\n" + table_row("stack: field [new value]", "what is refused", "why")
    yield table_row("---", "---", "---")
    for name in names:
        why = refused[name]
        both = "both ways" if len(why) == len(_WAYS) else next(iter(why))
        yield table_row(name, both, _sentence(next(iter(why.values()))))


def _sentence(reason: str) -> str:
    return reason.split(" Why: ")[0].split("; nearest:")[0][:300]


if __name__ == "__main__":
    _folders = [it for it in sys.argv[1:] if it != "--tried"]
    with tempfile.TemporaryDirectory() as _own:
        _folder = Path(*_folders or [_own])
        _folder.mkdir(parents=True, exist_ok=True)
        sys.exit(main(_folder, try_all="--tried" not in sys.argv))
