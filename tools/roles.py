"""The roles that the caller of a stack needs, as the commands that grant them.

    python -m tools.roles [STACK] [--read] [--names]

STACK is any that has a Pulumi.STACK.yaml: one whose resources are not recorded in
tests/stacks/inventory is previewed on a sandbox. Without it the table of docs/roles.md is printed.
With `--read` the commands are for reading alone. PROJECT and MEMBER stand in them as they are.
`--names` prints the roles with commas between them, as `python -m sandbox up --roles` takes them.
"""

from __future__ import annotations

import argparse
import math
import sys
from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryDirectory

import yaml

from catalog.roles import roles_of, roles_table
from sandbox.errors import UserError
from sandbox.faults import Faults
from sandbox.urns import token_of

INVENTORY = Path(__file__).resolve().parent.parent / "tests" / "stacks" / "inventory"


def types_of(stack: str) -> list[str]:
    """The types of all resources of a stack."""
    file = INVENTORY / f"{stack}.yaml"
    if not file.exists():
        return _previewed(stack)
    return sorted(yaml.safe_load(file.read_text(encoding="utf-8"))["counts"])


def _previewed(stack: str) -> list[str]:
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
    return sorted({token_of(urn) for urn in result.plan})


def recorded_stacks() -> list[str]:
    return sorted(file.stem for file in INVENTORY.glob("*.yaml"))


def commands(stack: str, *, read: bool = False) -> list[str]:
    """One command a role."""
    roles = roles_of(types_of(stack), "read" if read else "change")
    return [
        f"gcloud projects add-iam-policy-binding PROJECT --member=MEMBER --role={role}"
        f" --condition={_condition(role)}"
        for role in roles
    ]


def table() -> str:
    """Which stacks need which roles for `up`, as Markdown."""
    by_stack = {stack: roles_of(types_of(stack), "change") for stack in recorded_stacks()}
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
    granted = roles_table().limits.get(role)
    if granted is None:
        return "None"
    # Between colons, for the expression has commas.
    return (
        '"^:^title=these-roles-alone:expression=api.getAttribute('
        f"'iam.googleapis.com/modifiedGrantsByRole', []).hasOnly({list(granted)})\""
    )


def main(arguments: Sequence[str]) -> int:
    parser = argparse.ArgumentParser(prog="tools.roles", description=__doc__)
    parser.add_argument("stack", nargs="?")
    for flag in ("--read", "--names"):
        parser.add_argument(flag, action="store_true")
    given = parser.parse_args(arguments)
    if given.stack is None:
        print(table())
    elif given.names:
        print(",".join(roles_of(types_of(given.stack), "read" if given.read else "change")))
    else:
        print("\n".join(commands(given.stack, read=given.read)))
    return 0


if __name__ == "__main__":
    try:
        sys.exit(main(sys.argv[1:]))
    except UserError as error:
        sys.exit(f"error: {error}")
