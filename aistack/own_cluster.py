"""Whether a state names the cluster of the user's own config.

Whoever may push a branch may write a state, and files, commands and tokens go to the cluster that
it names. The config is on the user's own machine: it says which cluster is meant.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from aistack.errors import VerbError
from aistack.offered import offered_up
from catalog.strict_yaml import YamlError
from cli.project import PROJECT

_PLACE = "gcp:project"
# What the provider takes where its config has none, in its order: pulumi/pulumi-gcp
# provider/resources.go, the defaults of `project`.
PROJECT_VARIABLES = (
    "GOOGLE_PROJECT",
    "GOOGLE_CLOUD_PROJECT",
    "GCLOUD_PROJECT",
    "CLOUDSDK_CORE_PROJECT",
)


class _Wanted(NamedTuple):
    """What the config says of a field, and the state's output that it is compared with."""

    field: str
    value: str
    output: str


def check_cluster(name: str, outputs: Mapping[str, Any], folder: Path) -> None:
    """`folder` has the configs. Raises VerbError for a state that names another cluster, and where
    no config says which is meant."""
    for field, wanted, output in _wanted(folder / f"Pulumi.{name}.yaml"):
        found = outputs.get(output)
        if found != wanted:
            raise VerbError(
                f'{field}: the state of "{name}" says "{str(found)[:80]}", and Pulumi.{name}.yaml '
                f'"{wanted}": nothing goes to a cluster that the config does not name; nearest: '
                f"`{offered_up()}`, which writes the state again, or the config that is up"
            )


def _wanted(file: Path) -> Iterator[_Wanted]:
    from stacks.stack_file import project_values, read_stack_file

    try:
        config = {
            **project_values(file.with_name("Pulumi.yaml"), PROJECT),
            **read_stack_file(file, PROJECT).config,
        }
    except FileNotFoundError:
        config = {}
    except (OSError, YamlError) as error:
        raise VerbError(f"{file.name}: {error}") from None
    project = config.get(_PLACE) or _by_environment()
    if not isinstance(project, str) or not project:
        why = "has none in plain" if config else "is not here"
        raise VerbError(
            f"{_PLACE}: {file.name} {why}, and a state may name another's cluster; nearest: "
            f"{_PLACE}: PROJECT, under config, or the variable {PROJECT_VARIABLES[0]}"
        )
    yield _Wanted(_PLACE, project, "project")
    if file.exists():
        yield from _named(file)


def _by_environment() -> str:
    """The user's own word where no config has one."""
    return next((found for it in PROJECT_VARIABLES if (found := os.environ.get(it))), "")


def _named(file: Path) -> Iterator[_Wanted]:
    """A config that is refused now, or a platform's cluster, leaves the project alone."""
    from aistack.fit.planned import planned

    try:
        plan = planned(file.name.removeprefix("Pulumi.").removesuffix(".yaml"), (), file.parent)
    except VerbError:
        return
    cluster = plan.stack.cluster
    if cluster.is_made:
        yield _Wanted("cluster.name", plan.cluster_name, "cluster_name")
        yield _Wanted("cluster.location", plan.location, "cluster_location")
    elif cluster.existing is not None:
        yield _Wanted("cluster.existing.name", cluster.existing.name, "cluster_name")
        yield _Wanted("cluster.existing.location", cluster.existing.location, "cluster_location")
