"""Runs in a pod that has the storage, by its python3 and what that brings: lists checkpoints, or
copies one. It is given a JSON object, and says one a line; the last is its answer."""

from __future__ import annotations

import json
import os
import re
import shutil
import sys
import time
from collections.abc import Iterator
from typing import Any

_TOLD_SECONDS = 5


class RefusedError(Exception):
    """Told as it is."""


def listed(folder: str, layout: dict[str, Any]) -> dict[str, Any]:
    latest = latest_step(folder, layout) if layout["latest"] else None
    found = sorted(found_in(folder, layout, latest), key=lambda it: (it["step"], it["name"]))
    whole = [it["step"] for it in found if it["missing"] == "" and latest in (None, it["step"])]
    return {"checkpoints": found, "restart": max(whole, default=None)}


def found_in(folder: str, layout: dict[str, Any], latest: int | None) -> Iterator[dict[str, Any]]:
    for name in os.listdir(folder) if os.path.isdir(folder) else ():
        path = os.path.join(folder, name)
        ended = re.fullmatch(layout["name"], name)
        match = ended or re.fullmatch(layout["unfinished"] or "(?!)", name)
        if match is None:
            continue
        step, files = int(match[1]), files_of(path)
        missing = "its writing has not ended"
        if ended:
            missing = lack(path, layout, latest is not None and step > latest)
        yield {
            "name": name,
            "step": step,
            "bytes": sum(size for size, _ in files.values()),
            "files": len(files),
            "written": max((at for _, at in files.values()), default=None),
            "missing": missing if layout["told_whole"] else None,
        }


def latest_step(folder: str, layout: dict[str, Any]) -> int:
    """Before all steps, where nothing says it."""
    try:
        with open(os.path.join(folder, layout["latest"])) as file:
            return int(file.read())
    except (OSError, ValueError):
        return -1


def lack(path: str, layout: dict[str, Any], beyond_latest: bool) -> str:
    """Why it is not whole; empty of one that is."""
    for name in layout["files"]:
        if not os.path.exists(os.path.join(path, name)):
            return f"it has no {name}"
    if beyond_latest:
        return f"{layout['latest']} does not name it"
    return lack_of_manifest(path, *layout["manifest"]) if layout["manifest"] else ""


def lack_of_manifest(path: str, manifest: str, key: str, name: str) -> str:
    try:
        with open(os.path.join(path, manifest)) as file:
            wanted = json.load(file)[key]
        size = os.stat(os.path.join(path, name)).st_size
    except (OSError, ValueError, KeyError):
        return f"it has no {manifest} and {name} that can be read"
    return "" if size == wanted else f"{name} has {size} of {wanted} bytes"


def files_of(path: str) -> dict[str, tuple[int, float]]:
    """Size and time of each file below it, or of itself. One that goes meanwhile is left out."""
    found: dict[str, tuple[int, float]] = {}
    for folder, _, names in os.walk(path) if os.path.isdir(path) else [("", [], [path])]:
        for name in names:
            file = os.path.join(folder, name)
            try:
                status = os.stat(file)
            except OSError:
                continue
            found[os.path.relpath(file, path)] = (status.st_size, status.st_mtime)
    return found


def copied(source: str, to: str) -> dict[str, Any]:
    """It has another name until it is whole. On a bucket without real folders a rename is one of
    each file: stopped amid it, there are both names."""
    partial, wanted = f"{to}.copying", sizes_of(source)
    if os.path.exists(to):
        both = f", and so is {partial}: their copy was stopped" if os.path.exists(partial) else ""
        raise RefusedError(f"{to} is there already{both}; nearest: another folder")
    shutil.rmtree(partial, ignore_errors=True)
    done, whole, told = 0, sum(wanted.values()), time.monotonic()
    for name, size in wanted.items():
        file = os.path.normpath(os.path.join(partial, name))
        os.makedirs(os.path.dirname(file), exist_ok=True)
        shutil.copyfile(os.path.normpath(os.path.join(source, name)), file)
        done += size
        if time.monotonic() - told > _TOLD_SECONDS:
            say({"copied": done, "of": whole})
            told = time.monotonic()
    if not wanted or not sizes_of(source) == sizes_of(partial) == wanted:
        raise RefusedError(f"{source} changed while it was copied; nearest: the same again")
    try:
        os.rename(partial, to)
    except OSError as error:
        raise RefusedError(f"all is in {partial}, which cannot be renamed: {error}") from None
    return {"to": to, "bytes": whole, "files": len(wanted)}


def sizes_of(path: str) -> dict[str, int]:
    return {name: size for name, (size, _) in files_of(path).items()}


def say(words: dict[str, Any]) -> None:
    print(json.dumps(words), flush=True)


def main(asked: dict[str, Any]) -> None:
    try:
        if "to" in asked:
            say(copied(asked["source"], asked["to"]))
        else:
            say(listed(asked["folder"], asked["layout"]))
    except (RefusedError, OSError) as problem:
        say({"refused": str(problem)})


if __name__ == "__main__":
    main(json.loads(sys.argv[1]))
