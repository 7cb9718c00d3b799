"""Files of this machine that a command names, and that its pods do not have."""

from __future__ import annotations

import os
import re
from collections.abc import Collection, Iterator, Sequence
from pathlib import Path

from stacks.parts.jobs.command_words import FILES_VARIABLE, line_at, names_module
from stacks.parts.jobs.script_files import files_in

# A path, and no number, text or pattern.
_PATH = re.compile(r"[\w.][\w./@+-]{0,199}")
# What a program is told to write may be here from another run.
_WRITTEN = re.compile(r"out|save|log|dump|export|write|result|report", re.IGNORECASE)
_REDIRECTED = re.compile(r"\d?>>?\s*\S+")
_WORD = re.compile(r"[^\s'\";|&<>]+")
_CHANGES_FOLDER = re.compile(r"\b(cd|pushd)\s+(?P<folder>\S+)")
_OURS = re.compile(rf"[\"']?\$[({{]?{FILES_VARIABLE}[)}}]?[\"']?[;&]*")


def left_here(words: Sequence[str], files: Sequence[Path]) -> Iterator[str]:
    """What is wrong with each; `files` are those that come along, and folders."""
    folders = [Path(), *(it if it.is_dir() else it.parent for it in files)]
    parents = [it.absolute().parent for it in files]
    brought = {it.resolve() for it in files}
    beside = {one.name for it in files for one in (files_in(it) if it.is_dir() else [it])}
    for at, word in enumerate(words):
        module = f"{word.replace('.', '/')}.py"
        if names_module(words, at) and any(
            os.path.isfile(it / module) for it in (Path(), *parents)
        ):
            where = f"'$({FILES_VARIABLE})/{Path(module).name}'"
            yield (
                f"the module {word} is a file of this machine, and the folder above it does not "
                f"come along; nearest: {where} without -m, with {module} as FILE"
            )
    for option, name in _named(words, beside):
        found = next((it / name for it in folders if os.path.isfile(it / name)), None)
        if found is None or _WRITTEN.search(option):
            continue
        place = f"'$({FILES_VARIABLE})/{found.name}'"
        if brought & {found.resolve(), found.resolve().parent}:
            yield (
                f'"{name}" is not in the folder where the command runs; nearest: '
                f"{place} in its place"
            )
        else:
            yield (
                f'"{name}" is a file of this machine, which the pods do not have; nearest: '
                f"{name} beside FILE, and {place} in its place"
            )


def _named(words: Sequence[str], beside: Collection[str]) -> Iterator[tuple[str, str]]:
    """Relative paths, each with the option that it is for, if it is for one."""
    line = line_at(words)
    if line is not None and line < len(words):
        # A shell finds them, or it is refused for the folder that it runs in.
        yield from (it for it in _in_line(words[line]) if it[1] not in beside)
    for at, word in enumerate(words[:line]):
        # The first is a program that the image has.
        if at or "/" in word:
            yield from _parted(words[at - 1] if at else "", word)


def _in_line(line: str) -> Iterator[tuple[str, str]]:
    """Of a line that a shell runs in the image's folder, or in that of the files."""
    if any(not _OURS.fullmatch(it["folder"]) for it in _CHANGES_FOLDER.finditer(line)):
        return
    words = _WORD.findall(_REDIRECTED.sub(" ", line))
    for before, word in zip(["", *words], words, strict=False):
        yield from _parted(before, word)


def _parted(before: str, word: str) -> Iterator[tuple[str, str]]:
    key, equals, value = word.rpartition("=")
    option = key if equals else before if before.startswith("-") else ""
    if _PATH.fullmatch(value) and ("." in value or "/" in value):
        yield option, value
