"""The roles that the caller of a stack needs, as the commands that grant them.

    python -m tools.roles [STACK] [--read]

STACK is one whose resources are recorded in tests/stacks/inventory; without it the table of
docs/roles.md is printed. With `--read` the commands are for previews alone. PROJECT and MEMBER
stand in them as they are.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

import yaml

from catalog.roles import roles_of, roles_table

INVENTORY = Path(__file__).resolve().parent.parent / "tests" / "stacks" / "inventory"


def types_of(stack: str) -> list[str]:
    """The types of all resources of a recorded stack."""
    recorded = yaml.safe_load((INVENTORY / f"{stack}.yaml").read_text(encoding="utf-8"))
    return sorted(recorded["counts"])


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
    parser.add_argument("stack", nargs="?", choices=recorded_stacks())
    parser.add_argument("--read", action="store_true")
    given = parser.parse_args(arguments)
    print("\n".join(commands(given.stack, read=given.read)) if given.stack else table())
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
