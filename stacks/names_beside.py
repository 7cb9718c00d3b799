"""The names of the stacks whose files stand beside a stack's own. No Pulumi.

All cloud names are made of a stack's name, so two stacks of one project cannot have the same: the
preview of each is clean, and the second `up` meets 409s.
"""

from collections.abc import Container
from itertools import count
from pathlib import Path
from typing import Any

import yaml

from components.naming import NameKind

_LOADER = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
_LONGEST = NameKind.CLUSTER.value.longest


def names_beside(
    folder: Path, stack: str, key: str, project: str | None, unset: str | None = None
) -> dict[str, str]:
    """Names that the files of other stacks give out in `project`, and the file that has each.

    `key` is that of a config's object, `unset` the project of a file without one. Empty where the
    stack has no file in `folder`: its config may then be any of these.
    """
    own = folder / f"Pulumi.{stack}.yaml"
    if project is None or not own.is_file():
        return {}
    names: dict[str, str] = {}
    for file in sorted(folder.glob("Pulumi.*.yaml")):
        config = {} if file == own else _config(file)
        block = config.get(key)
        name = block.get("name") if isinstance(block, dict) else None
        if isinstance(name, str) and config.get("gcp:project", unset) == project:
            names.setdefault(name, file.name)
    return names


def free_name(name: str, taken: Container[str]) -> str:
    """The nearest name that is not taken."""
    ends = (f"-{number}" for number in count(2))
    return next(it for end in ends if (it := name[: _LONGEST - len(end)] + end) not in taken)


def _config(file: Path) -> dict[str, Any]:
    """What cannot be read is for its own stack to report."""
    try:
        document = yaml.load(file.read_text(encoding="utf-8"), Loader=_LOADER)
    except (OSError, ValueError, RecursionError, yaml.YAMLError):
        return {}
    config = document.get("config") if isinstance(document, dict) else None
    if not isinstance(config, dict):
        return {}
    # An ESC environment may give a project that nobody can see here.
    return {"gcp:project": None, **config} if "environment" in document else config
