"""The IAM roles that a stack's caller needs, by what the stack makes."""

from collections.abc import Iterable
from typing import Literal

from pydantic import Field

from catalog.table import Fact, Table, load_table

# What neither Google Cloud nor a cluster knows: components, providers, the stack itself.
_OURS = ("gke-ai-stacks:", "pulumi:")


class TypeRoles(Fact):
    """What it takes to `change` resources of a type, and to `read` them."""

    change: tuple[str, ...] = Field(min_length=1)
    read: tuple[str, ...] = Field(min_length=1)
    source: str


class RoleTable(Table):
    """`limits` are the only roles that a role is to grant, `state` is for the state's bucket."""

    types: dict[str, TypeRoles]
    limits: dict[str, tuple[str, ...]]
    state: str

    def of(self, resource_type: str) -> TypeRoles:
        """The entry whose start of a type is the longest; LookupError where there is none."""
        starts = [start for start in self.types if resource_type.startswith(start)]
        if not starts:
            raise LookupError(f"no role is known for {resource_type}")
        return self.types[max(starts, key=len)]


def roles_table() -> RoleTable:
    return load_table(RoleTable, "roles")


def roles_of(types: Iterable[str], task: Literal["change", "read"]) -> dict[str, list[str]]:
    """Roles, each with the types that it is for, both sorted."""
    table, found = roles_table(), dict[str, set[str]]()
    for one in types:
        if not one.startswith(_OURS):
            for role in getattr(table.of(one), task):
                found.setdefault(role, set()).add(one)
    return {role: sorted(found[role]) for role in sorted(found)}
