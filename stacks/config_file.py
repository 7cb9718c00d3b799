"""The file from which `pulumi` reads the config of a run. No Pulumi import.

It hands a program the values and not their file. That of `--config-file` stands in the command of
the CLI, which starts the language host, which starts the program, or in a variable (pulumi/pulumi
pkg/cmd/pulumi/pulumi.go, declareFlagsAsEnvironmentVariables, v3.256.0, 2026-11-29).
"""

import os
import subprocess
from collections.abc import Iterator, Sequence
from itertools import pairwise
from pathlib import Path

_FLAG = "--config-file"
_VARIABLE = "PULUMI_OPTION_CONFIG_FILE"


def config_file(folder: Path, stack: str) -> Path:
    """`folder` is the project's, with the file that is read unless another one is given."""
    command, place = next(_commands(), ([], folder))
    given = _given(command) or os.environ.get(_VARIABLE)
    return place / given if given else folder / f"Pulumi.{stack}.yaml"


def _given(command: Sequence[str]) -> str | None:
    found = None
    for word, following in pairwise([*command, ""]):
        name, _, value = word.partition("=")
        if name == _FLAG:
            found = value or following
    return found


def _commands() -> Iterator[tuple[list[str], Path]]:
    """The command of each CLI that this process comes from, with the folder that it is in."""
    process = os.getppid()
    while process:
        parent, words, place = _process(process)
        if words and Path(words[0]).stem == "pulumi":
            yield words, place
        process = parent


def _process(process: int) -> tuple[int, list[str], Path]:
    """The parent, the command and the folder of a process; 0 as the parent of one that is gone."""
    own = Path("/proc") / str(process)
    try:
        if own.is_dir():
            parent = own.joinpath("stat").read_text().rpartition(")")[2].split()[1]
            words = own.joinpath("cmdline").read_text().split("\0")[:-1]
            return int(parent), words, own.joinpath("cwd").readlink()
        asked = ["ps", "-ww", "-o", "ppid=,command=", "-p", str(process)]
        parent, *words = subprocess.run(asked, capture_output=True, text=True).stdout.split()
        return int(parent), words, Path.cwd()
    except (OSError, ValueError):
        return 0, [], Path.cwd()
