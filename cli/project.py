"""The project: its name, its folder and the stacks that have a config in it."""

from __future__ import annotations

from difflib import get_close_matches
from pathlib import Path

PROJECT = "gke-ai-stacks"
# A clone, or what an installed wheel is in.
CODE_FOLDER = Path(__file__).resolve().parent.parent
# What `pulumi new` makes a project of.
TEMPLATE = CODE_FOLDER / "aistack" / "template"


def _project_folder() -> Path:
    """A clone is its own project, wherever the user is. With a wheel it is the folder with a
    Pulumi.yaml that the user is in, or below."""
    here = Path.cwd()
    return next(
        (it for it in (CODE_FOLDER, here, *here.parents) if (it / "Pulumi.yaml").is_file()), here
    )


PROJECT_FOLDER = _project_folder()


def stack_names(folder: Path = PROJECT_FOLDER) -> list[str]:
    """Every stack that has a config file."""
    files = folder.glob("Pulumi.*.yaml")
    return sorted(file.name.removeprefix("Pulumi.").removesuffix(".yaml") for file in files)


def stacks_like(name: str, known: list[str]) -> list[str]:
    """The stack that is meant by a name that none has, else all that there are."""
    return get_close_matches(name, known, n=1) or known


def no_such_stack(name: str, folder: Path = PROJECT_FOLDER) -> str:
    """Why a stack without a config file is not found; `name` may have its organization before it.
    Empty where it has one."""
    own = name.rpartition("/")[2]
    if (folder / f"Pulumi.{own}.yaml").is_file():
        return ""
    near = ", ".join(stacks_like(own, stack_names(folder))) or "a folder with a Pulumi.NAME.yaml"
    return f'--stack: "{name}": there is no Pulumi.{own}.yaml; nearest: {near}'
