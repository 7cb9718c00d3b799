"""`make changes [KEEP=FOLDER]` tries every change, and writes what is refused into
refused_changes.yaml and the table of docs/change-a-running-stack.md.

What was tried is kept in FOLDER, if one is given, and not tried again. With `--tried` nothing is
tried, and what FOLDER does not have stays as it was recorded.
"""

from __future__ import annotations

import json
import multiprocessing
import os
import re
import shutil
import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import redirect_stdout
from functools import partial
from itertools import groupby
from operator import attrgetter
from pathlib import Path
from typing import Any

import yaml

from cli.project import PROJECT_FOLDER
from tests.stacks.change_case import Case
from tests.stacks.change_rule import BrokenPromiseError, Start, there_and_back
from tests.stacks.changes import CASES, REFUSED, REFUSED_FILE
from tests.stacks.conftest import CANARY, SAVED_AT_THE_END
from tools.written_page import table_row

# By the name of a case, of its ways "there" and "back" those that are refused, and why.
Refused = Mapping[str, Mapping[str, str]]
PAGE = PROJECT_FOLDER / "docs" / "change-a-running-stack.md"
_MARKER = "<!-- refused -->"
# Each waits for its engine half of the time.
_WORKERS = max(2, (os.cpu_count() or 1) * 3 // 2)
# After so many a worker begins anew: a program leaves things behind.
_GROUPS = 8
_WAYS = ("there", "back")
_PLACES = frozenset({"project", "region", "zone"})
_SINGLE_RUN = ", and no single run does that"
_MISTAKE = "The config has 1 mistake; nothing was changed. "


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
    print(f"{len(results)} of {len(CASES)} changes were tried")
    tried = {name: _refused(it["ways"]) for name, it in results.items()}
    found = {name: tried.get(name, REFUSED.get(name, {})) for name in CASES}
    refused = {name: why for name, why in found.items() if why}
    REFUSED_FILE.write_text(yaml.safe_dump(refused, sort_keys=False, width=100))
    PAGE.write_text(page(refused))
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


def _refused(ways: Sequence[Mapping[str, str]]) -> dict[str, str]:
    return {
        way: " ".join(it["reason"].split())
        for way, it in zip(_WAYS, ways, strict=True)
        if it["kind"] == "refused"
    }


def page(refused: Refused) -> str:
    """The page with the table between its two markers."""
    before, _, after = PAGE.read_text(encoding="utf-8").split(_MARKER)
    head = (table_row("why", "change"), table_row("---", "---"))
    table = "\n".join((*head, *_rows(refused)))
    return f"{before}{_MARKER}\n\n{table}\n\n{_MARKER}{after}"


def _rows(refused: Refused) -> Iterator[str]:
    """One for each reason, with its changes, each of which many stacks have; where some of them do
    it, its mode is said."""
    done = {CASES[name].fields for name in CASES.keys() - refused.keys()}
    by_reason: dict[str, dict[str, None]] = {}
    shown = set[str]()
    for name, why in refused.items():
        case = CASES[name]
        if case.fields in shown:
            continue
        shown.add(case.fields)
        fields = (f"gcp:{it}" if it in _PLACES else it for it in case.fields.split(", "))
        change = ", ".join(f"`{it}`" for it in fields).replace(",", " with", 1)
        where = f" on {case.mode}" if case.fields in done else ""
        ways = "" if len(why) == len(_WAYS) else ", one way"
        of_reason = by_reason.setdefault(_reason(next(iter(why.values()))), {})
        of_reason[change + where + ways] = None
    for reason, changes in by_reason.items():
        yield table_row(reason, "; ".join(changes))


def _reason(message: str) -> str:
    """Without names, values, and what would work."""
    if message.startswith(_MISTAKE):
        problem = message.removeprefix(_MISTAKE).partition(": ")[2]
        return re.split("; nearest|, kubernetes", problem)[0]
    return re.sub(r"(?<=leave the cluster) \S+$", "", message.partition(_SINGLE_RUN)[0])


if __name__ == "__main__":
    _folders = [it for it in sys.argv[1:] if it != "--tried"]
    with tempfile.TemporaryDirectory() as _own:
        _folder = Path(*_folders or [_own])
        _folder.mkdir(parents=True, exist_ok=True)
        sys.exit(main(_folder, try_all="--tried" not in sys.argv))
