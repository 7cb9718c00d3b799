"""Files that a user keeps out of Git and of images, and so out of what a folder brings."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from pathspec import GitIgnoreSpec
from pathspec.patterns.gitignore.base import GitIgnorePatternError

_GIT, _DOCKER = ".gitignore", ".dockerignore"
_MOST_STARS = 2
_LITERAL = re.compile(r"[\\\[]")
IGNORE_FILES = (_GIT, _DOCKER)


@dataclass(frozen=True)
class IgnoreFile:
    """`folder` is where it lies, from which its patterns count."""

    name: str
    folder: Path
    spec: GitIgnoreSpec

    def says(self, path: Path) -> bool | None:
        """Whether it ignores `path`, or says that it does not; None if it says nothing."""
        name = path.relative_to(self.folder).as_posix()
        return self.spec.check_file(f"{name}/" if path.is_dir() else name).include


def ignored_by(path: Path, ignore_files: Sequence[IgnoreFile]) -> str | None:
    """Name of the file that ignores `path`. Of those of a name the innermost decides."""
    for name in IGNORE_FILES:
        verdicts = [it.says(path) for it in ignore_files if it.name == name]
        if next((it for it in reversed(verdicts) if it is not None), False):
            return name
    return None


def ignore_files_of(folder: Path) -> list[IgnoreFile]:
    """Those of the folder, and of the folders above it up to the one with Git's own, outermost
    first. One that ignores the folder as a whole says nothing: the user names the folder."""
    return [it for it in _up_to_git(folder) if folder == it.folder or not it.says(folder)]


def git_ignores(path: Path) -> bool:
    """Whether no clone of the repository has `path`, by the folders that it is in or by itself."""
    of_git = [it for it in _up_to_git(path.parent) if it.name == _GIT]
    return ignored_by(path, of_git) is not None


def _up_to_git(folder: Path) -> list[IgnoreFile]:
    """Those of the folder and of the folders above it, outermost first."""
    above = [folder, *folder.parents]
    top = next((at for at, it in enumerate(above) if (it / ".git").exists()), 0)
    return [it for at in reversed(above[: top + 1]) for it in _in_folder(at)]


def _in_folder(folder: Path) -> Iterator[IgnoreFile]:
    for name in IGNORE_FILES:
        file = folder / name
        if file.is_file():
            lines = file.read_bytes().decode(errors="replace").splitlines()
            rooted = [_from_root(it) for it in lines] if name == _DOCKER else lines
            valid = [it for it in rooted if _is_pattern(it)]
            yield IgnoreFile(name, folder, GitIgnoreSpec.from_lines(map(_quick, valid)))


def _from_root(line: str) -> str:
    """A pattern of Docker's as Git has it: all count from the root of the build context (Docker
    documentation, "Build context", section ".dockerignore files", read 2026-11-27)."""
    if line.startswith("#"):
        return ""
    words = line.strip()
    pattern = words.removeprefix("!").strip().strip("/")
    negation = "!" if words.startswith("!") else ""
    return f"{negation}/{pattern}" if pattern else ""


def _quick(line: str) -> str:
    """The pattern, or one that matches all that it does and more: a stranger's with many stars in
    one name would be tried in more ways than a machine comes to the end of (cpburnz/python-pathspec
    translates each into a part of a regular expression)."""
    names = [] if line.startswith("#") else line.split("/")
    for at, name in enumerate(names):
        if name.count("*") > _MOST_STARS:
            begun = "*".join(name.split("*")[:_MOST_STARS]) + "*"
        elif names[: at + 1].count("**") > _MOST_STARS:
            begun = ""
        else:
            continue
        if line.startswith("!"):
            return ""
        # Where a star may be a letter, nobody knows where the name can be cut.
        return "*" if _LITERAL.search(line) else "/".join([*names[:at], begun]).rstrip("/") or "*"
    return line


def _is_pattern(line: str) -> bool:
    """Git passes over what is none."""
    try:
        GitIgnoreSpec.from_lines([line])
    except GitIgnorePatternError:
        return False
    return True
