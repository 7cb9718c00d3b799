"""Where a training's checkpoints lie, and how one that is whole is known. Pure."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

_PARAMETER = re.compile(r"\{([^}]+)\}")
_NUMBER = r"(\d+)"


@dataclass(frozen=True)
class Written:
    """Where a training has its checkpoints, how often it writes one, and which key of the job's
    config says where."""

    folder: str
    every: str
    key: str

    def __str__(self) -> str:
        return f"from the last checkpoint in {self.folder}, where it writes one every {self.every}"


@dataclass(frozen=True, kw_only=True)
class CheckpointLayout:
    """`launcher` is the file that runs the training, by whose parameters `folder` is written; `key`
    is that of the job's config which tells two of them apart.

    `name` and `unfinished` are patterns of names in that folder, with the step as their group. One
    that is whole has all of `files`; of `manifest` the first says under a key how many bytes a file
    has. A restart takes the step that is in the file `latest`, which is written last; without one
    the newest that is whole. Where `told_whole` is false nobody knows what is.
    """

    launcher: str
    folder: str
    key: str
    name: str
    unfinished: str | None = None
    files: tuple[str, ...] = ()
    manifest: tuple[str, str, str] | None = None
    latest: str | None = None
    told_whole: bool = True

    def at(self, parameters: Mapping[str, str]) -> str:
        """The folder. Raises KeyError."""
        return _PARAMETER.sub(lambda found: parameters[found[1]], self.folder)

    def prefix(self, parameters: Mapping[str, str]) -> str:
        """Path of a checkpoint without its number. Raises KeyError."""
        return f"{self.at(parameters)}/{self.name.removesuffix(_NUMBER)}"

    def resumes(self, parameters: Mapping[str, str], every: str) -> Written:
        """From where a job goes on that is made anew; `every` says how often one is written."""
        return Written(self.at(parameters), every, self.key)
