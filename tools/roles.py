"""The roles that the caller of a stack needs, as the commands that grant them.

    make roles [STACK=NAME] [FOR=TASK] [NAMES=1]

NAME is any that has a Pulumi.NAME.yaml, which is previewed on a sandbox as it stands now. Without
it the table of docs/roles.md is printed, of the shipped stacks.
TASK is preview, drift, up or destroy; by default up. PROJECT, MEMBER and STATE_BUCKET stand in the
commands as they are. `NAMES=1` prints the roles with commas between them, as `aistack sandbox up
--roles` takes them.
"""

from __future__ import annotations

import argparse
import math
import sys
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory

from catalog.roles import CUSTOM, TASKS, Task, allowed_by, roles_of, roles_table
from catalog.strict_yaml import read_yaml
from cli.errors import UserError
from cli.urns import token_of
from sandbox.faults import Faults

INVENTORY = Path(__file__).resolve().parent.parent / "tests" / "stacks" / "inventory"


def types_of(stack: str) -> list[str]:
    """The types of all resources of a shipped stack, as they are recorded."""
    return sorted(read_yaml(INVENTORY / f"{stack}.yaml")["counts"])


@cache
def previewed(stack: str) -> tuple[str, ...]:
    """The types of all resources of a stack as its file stands now: a shipped stack may have been
    changed since it was recorded."""
    # The engine and its SDK cost about a second to import.
    from sandbox.engine import Engine, RunOptions
    from sandbox.workspace import Workspace

    with TemporaryDirectory() as folder:
        workspace = Workspace(Path(folder) / "sandbox", stack)
        with workspace.lock():
            quiet = RunOptions(speed=math.inf, faults=Faults(), on_output=lambda line: None)
            result = Engine(workspace, workspace.prepare([])).run("preview", quiet)
    if not result.ok:
        raise UserError("\n".join(result.report.diagnostics))
    return tuple(sorted({token_of(urn) for urn in result.plan}))


def recorded_stacks() -> list[str]:
    return sorted(file.stem for file in INVENTORY.glob("*.yaml"))


def commands(stack: str, task: Task = "up") -> list[str]:
    """One command a role, after those that make the project's own."""
    roles = roles_of(previewed(stack), task)
    made = [_creation(it) for it in roles if it.startswith(CUSTOM)]
    given = [
        f"gcloud projects add-iam-policy-binding PROJECT --member=MEMBER --role={_full(role)}"
        f" --condition={_condition(role)}"
        for role in roles
    ]
    state = (
        "gcloud storage buckets add-iam-policy-binding gs://STATE_BUCKET --member=MEMBER "
        f"--role={roles_table().state[task]}"
    )
    return [*made, *given, state]


def _creation(role: str) -> str:
    name = role.removeprefix(CUSTOM)
    # One role of a name is for all tasks and stacks of a project.
    return (
        f'gcloud iam roles describe {name} --project=PROJECT --format="value(name)" || '
        f'gcloud iam roles create {name} --project=PROJECT --title="'
        f'{roles_table().custom[name].title}" --permissions={",".join(sorted(allowed_by(role)))}'
    )


def _full(role: str) -> str:
    if role.startswith(CUSTOM):
        return f"projects/PROJECT/roles/{role.removeprefix(CUSTOM)}"
    return role


def table() -> str:
    """Which stacks need which roles for `up`, as Markdown."""
    by_stack = {stack: roles_of(types_of(stack), "up") for stack in recorded_stacks()}
    rows = ["| role | for | stacks |", "| --- | --- | --- |"]
    for role in sorted({role for roles in by_stack.values() for role in roles}):
        stacks = [stack for stack, roles in by_stack.items() if role in roles]
        types = {_short(one) for stack in stacks for one in by_stack[stack][role]}
        where = "all" if len(stacks) == len(by_stack) else ", ".join(f"`{it}`" for it in stacks)
        rows.append(f"| `{role}` | {', '.join(sorted(types))} | {where} |")
    return "\n".join(rows)


def _short(resource_type: str) -> str:
    provider, _, kind = resource_type.partition(":")
    return "what is in the cluster" if provider == "kubernetes" else kind.rpartition(":")[2]


def _condition(role: str) -> str:
    if role in roles_table().spare_the_state:
        state = "projects/_/buckets/STATE_BUCKET"
        return f"\"title=not-the-state,expression=!resource.name.startsWith('{state}')\""
    granted = roles_table().limits.get(role)
    if granted is None:
        return "None"
    # Between colons, for the expression has commas.
    return (
        '"^:^title=these-roles-alone:expression=api.getAttribute('
        f"'iam.googleapis.com/modifiedGrantsByRole', []).hasOnly({list(granted)})\""
    )


def main(arguments: Sequence[str]) -> int:
    parser = argparse.ArgumentParser(prog="python -m tools.roles", description=__doc__)
    parser.add_argument("stack", nargs="?")
    parser.add_argument("--for", choices=TASKS, default="up", dest="task")
    parser.add_argument("--names", action="store_true")
    given = parser.parse_args(arguments)
    if given.stack is None:
        print(table())
    elif given.names:
        print(",".join(roles_of(previewed(given.stack), given.task)))
    else:
        print("\n".join(commands(given.stack, given.task)))
    return 0


if __name__ == "__main__":
    try:
        sys.exit(main(sys.argv[1:]))
    except UserError as error:
        sys.exit(f"error: {error}")
