"""The stack as its config file has it: nothing of it has to be there."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from aistack.errors import VerbError
from aistack.exit_codes import ExitCode
from catalog.strict_yaml import YamlError
from cli.overrides import apply_overrides
from cli.project import PROJECT, PROJECT_FOLDER, no_such_stack

if TYPE_CHECKING:
    from stacks.plan import Plan

# Where a file leaves the project to `pulumi config set`.
_PROJECT = "project"


def planned(name: str, overrides: Sequence[str], folder: Path = PROJECT_FOLDER) -> Plan:
    """Without the rules that refuse what cannot fit: that is what is asked. Raises VerbError."""
    from stacks.config import PLACES, ConfigError, object_of, validate
    from stacks.parts.jobs.rules import fit_rules
    from stacks.stack_file import project_values, read_stack_file
    from stacks.tokens import SECRETS

    file = folder / f"Pulumi.{name}.yaml"
    if said := no_such_stack(name, folder):
        raise VerbError(said)
    try:
        shared = folder / "Pulumi.yaml"
        config = {
            **(project_values(shared, PROJECT) if shared.is_file() else {}),
            **read_stack_file(file, PROJECT).config,
        }
    except YamlError as error:
        raise VerbError(f"{file.name}: {error}", ExitCode.REFUSED) from None
    apply_overrides(config, overrides)
    places = {it: config.get(f"gcp:{it}") for it in PLACES}
    places["project"] = places["project"] or _PROJECT
    try:
        values = object_of(_text(config.get(f"{PROJECT}:stack")))
        raw = {**values, **places}
        return validate(raw, secrets_set=frozenset(SECRETS), without=(fit_rules,))
    except ConfigError as error:
        raise VerbError(f"{file.name}: {error}", ExitCode.REFUSED) from None


def _text(value: object) -> str | None:
    """As Pulumi hands it over."""
    return value if value is None or isinstance(value, str) else json.dumps(value)


def chosen(plan: Plan, asked: str | None) -> Mapping[str, Any]:
    """Jobs of the stack by name: all, or the one that is asked for. Raises VerbError."""
    from catalog.table import nearest_names

    jobs = plan.stack.jobs
    if asked is None:
        return jobs
    if asked not in jobs:
        near = nearest_names(asked, jobs, "none, the stack has no jobs" if not jobs else None)
        raise VerbError(
            f'--job: "{asked}": the stack has no such job; nearest: {near}', ExitCode.NOT_FOUND
        )
    return {asked: jobs[asked]}
