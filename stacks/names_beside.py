"""The stacks whose files stand beside a stack's own. No Pulumi.

All cloud names are made of a stack's name, and by it a label says whose a resource is: two stacks
of one project cannot have the same.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from catalog.strict_yaml import YamlError
from stacks.stack_file import project_values, read_stack_file


@dataclass(frozen=True)
class Neighbour:
    """Another stack of the project: what Pulumi calls it, its file, the name that it gives itself,
    and its whole config object with `project`, `region` and `zone`."""

    stack: str
    file: str
    name: str
    raw: Mapping[str, Any]


@dataclass(frozen=True)
class Beside:
    """What Pulumi calls a stack, its file, and those beside it."""

    stack: str = ""
    file: str = ""
    others: tuple[Neighbour, ...] = ()

    @property
    def names(self) -> dict[str, str]:
        """The file of each name that is taken."""
        return {it.name: it.file for it in reversed(self.others)}


NOBODY = Beside()


def names_beside(
    folder: Path,
    stack: str,
    key: str,
    project: str | None,
    unset: str | None = None,
    own: Path | None = None,
) -> Beside:
    """The stacks of the files in `folder` that give out names in `project`.

    `key` is that of a config's object, `unset` the project of a file without one where Pulumi.yaml
    has none either. `own` is the stack's file, where that is another one than its name says. None
    where it is not there: the config may then be any of these.
    """
    named = folder / f"Pulumi.{stack}.yaml"
    own = own or named
    if project is None or not own.is_file():
        return NOBODY
    prefix = key.partition(":")[0]
    try:
        default = project_values(folder / "Pulumi.yaml", prefix).get("gcp:project", unset)
    except (OSError, YamlError):
        default = unset
    found: list[Neighbour] = []
    for file in sorted(folder.glob("Pulumi.*.yaml")):
        config = {} if file == named or file.resolve() == own.resolve() else config_of(file, prefix)
        block = config.get(key)
        block = block if isinstance(block, dict) else {}
        name = block.get("name")
        if isinstance(name, str) and config.get("gcp:project", default) == project:
            places = {it: config.get(f"gcp:{it}") for it in ("region", "zone")}
            called = file.name.removeprefix("Pulumi.").removesuffix(".yaml")
            raw = {**block, **places, "project": project}
            found.append(Neighbour(called, file.name, name, raw))
    return Beside(stack, own.name, tuple(found))


def config_of(file: Path, project: str) -> dict[str, Any]:
    """What cannot be read is for its own stack to report."""
    try:
        read = read_stack_file(file, project)
    except (OSError, YamlError):
        return {}
    # An ESC environment may give a project that nobody can see here.
    return {"gcp:project": None, **read.config} if read.environments else read.config
