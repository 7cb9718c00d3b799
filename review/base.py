"""The commit that a review compares with: what changed since, and its tree on disk."""

from __future__ import annotations

import os
import posixpath
import shutil
import subprocess
import tarfile
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from catalog.strict_yaml import YamlError
from cli.errors import UserError
from cli.project import PROJECT
from stacks.ignored_files import IGNORE_FILES
from stacks.names_beside import config_of
from stacks.stack_file import project_values

# What no stack's program or simulated cloud is made of, unless the stack's own config names it.
_ASIDE = ("docs/", "tests/", "tools/", ".github/", ".ci/", "review/")
_CONFIG = "Pulumi."


@dataclass(frozen=True)
class Base:
    """A commit of the repository in `root`."""

    root: Path
    commit: str

    @classmethod
    def of(cls, root: Path, ref: str) -> Base:
        """The commit that `ref` names. Raises UserError with what to fetch when it is not here."""
        found = _git(
            root, "rev-parse", "--verify", "--quiet", "--end-of-options", f"{ref}^{{commit}}"
        )
        if found.returncode == 0:
            return cls(root, found.stdout.decode().strip())
        shallow = _git(root, "rev-parse", "--is-shallow-repository")
        if shallow.returncode:
            raise UserError(f"--base: {root.name} is no git repository; nearest: a clone of it")
        branch = ref.removeprefix("origin/")
        if shallow.stdout.strip() == b"true":
            # What stands before another commit cannot be fetched by its name.
            relative = "~" in ref or "^" in ref
            near = f"git fetch --depth=1 origin {branch}, then --base FETCH_HEAD"
            raise UserError(
                f'--base: "{ref}" is not in this shallow clone; '
                f"nearest: {'git fetch --unshallow' if relative else near}"
            )
        raise UserError(f'--base: "{ref}" is no commit here; nearest: git fetch origin {branch}')

    def stacks(self) -> list[str]:
        """The stacks that have a config in the commit."""
        listed = _checked(self.root, "ls-tree", "--name-only", "-z", self.commit)
        names = [name for name in listed.decode().split("\0") if name.startswith(_CONFIG)]
        return sorted(
            stack
            for name in names
            if (stack := name.removeprefix(_CONFIG).removesuffix(".yaml")) and stack != "yaml"
        )

    def changed_files(self) -> frozenset[str]:
        """Files that differ between the commit and the working tree, new ones included."""
        index = Path(os.fsdecode(_checked(self.root, "rev-parse", "--git-path", "index").strip()))
        with tempfile.TemporaryDirectory() as scratch:
            # `git diff` writes into the index that it finds, and a review only reads. The copy has
            # its time too: git looks into files that are not older than the index.
            own = Path(scratch) / "index"
            shutil.copy2(self.root / index, own)
            names = ("--name-only", "-z", "--no-renames", self.commit)
            differing = _checked(self.root, "diff", *names, index=own)
        added = _checked(self.root, "ls-files", "--others", "--exclude-standard", "-z")
        return frozenset(filter(None, (differing + added).decode().split("\0")))

    def export(self, folder: Path) -> None:
        """The commit's tree as plain files; the repository itself is only read."""
        folder.mkdir(parents=True)
        archive = subprocess.Popen(
            ["git", "-C", str(self.root), "archive", "--format=tar", self.commit],
            stdout=subprocess.PIPE,
        )
        assert archive.stdout is not None
        with tarfile.open(fileobj=archive.stdout, mode="r|") as tree:
            tree.extractall(folder, filter="data")
        if archive.wait():
            raise UserError(f"--base: {self.commit[:12]}: git archive failed; nearest: git fsck")


def touches(root: Path, stack: str, files: frozenset[str]) -> bool:
    """Whether a change of these files can be a change of the stack in the working tree in `root`.
    Where its config at the base is another, the config itself is among the files."""
    own = f"{_CONFIG}{stack}.yaml"
    named = _Named.of(root, own)
    return any(named.takes_in(file) or not _is_aside(file, own) for file in files)


@dataclass(frozen=True)
class _Named:
    """Files and folders that a stack's config names, below the project's folder. Each text of the
    config counts as one, whatever its key: no key of a model is forgotten so, and one text too many
    costs no more than a preview. What is a link, or lies behind one, may be any file."""

    paths: frozenset[str]
    any_file: bool

    @classmethod
    def of(cls, root: Path, own: str) -> _Named:
        try:
            shared = project_values(root / "Pulumi.yaml", PROJECT)
        except FileNotFoundError:
            shared = {}
        except (OSError, YamlError):
            return cls(frozenset(), any_file=True)
        # One does not take the other's place here: what is not read is no harm.
        config = [shared, config_of(root / own, PROJECT)]
        texts = {posixpath.normpath(it) for it in _texts(config) if it and "\0" not in it}
        # A path that leads out of the folder is the program's to refuse.
        paths = frozenset(it for it in texts if not it.startswith(("/", "..")))
        top = os.path.realpath(root)
        return cls(paths, any(os.path.realpath(root / it) != _joined(top, it) for it in paths))

    def takes_in(self, file: str) -> bool:
        if self.any_file or any(file == it or _is_in(file, it) for it in self.paths):
            return True
        folder, name = posixpath.split(file)
        return name in IGNORE_FILES and any(_is_in(it, folder) for it in self.paths)


def _joined(folder: str, path: str) -> str:
    return posixpath.normpath(posixpath.join(folder, path))


def _is_in(file: str, folder: str) -> bool:
    return folder in ("", ".") or file.startswith(f"{folder}/")


def _texts(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict | list):
        for inner in value.values() if isinstance(value, dict) else value:
            yield from _texts(inner)


def _is_aside(file: str, own: str) -> bool:
    if file.startswith(_ASIDE) or file.endswith(".md"):
        return True
    of_a_stack = file.startswith(_CONFIG) and "/" not in file and file != "Pulumi.yaml"
    return of_a_stack and file != own


def _git(
    root: Path, *arguments: str, index: Path | None = None
) -> subprocess.CompletedProcess[bytes]:
    return subprocess.run(
        ["git", "-C", str(root), *arguments],
        capture_output=True,
        check=False,
        env={**os.environ, **({} if index is None else {"GIT_INDEX_FILE": str(index)})},
    )


def _checked(root: Path, *arguments: str, index: Path | None = None) -> bytes:
    done = _git(root, *arguments, index=index)
    if done.returncode:
        raise UserError(f"git {arguments[0]}: {done.stderr.decode().strip()}")
    return done.stdout
