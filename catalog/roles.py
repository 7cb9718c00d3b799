"""The predefined IAM roles that a stack's caller needs, by what the stack makes."""

from collections.abc import Collection, Iterable
from functools import cache
from typing import Literal, TypeAlias

from catalog.permissions import Operation, permission_table
from catalog.table import Table, load_table

Task: TypeAlias = Literal["change", "read"]

# What neither Google Cloud nor a cluster knows: components, providers, the stack itself.
_OURS = ("gke-ai-stacks:", "pulumi:")
_OPERATIONS: dict[Task, tuple[Operation, ...]] = {
    "change": ("create", "read", "update", "delete"),
    "read": ("read",),
}


class RoleTable(Table):
    """`roles` are verbs by the start of a permission, the least role first; `limits` are the only
    roles that a role is to grant, `state` is for the state's bucket."""

    roles: dict[str, dict[str, str]]
    limits: dict[str, tuple[str, ...]]
    state: str


def roles_table() -> RoleTable:
    return load_table(RoleTable, "roles")


@cache
def allowed_by(role: str) -> frozenset[str]:
    """Raises LookupError for a role that nobody has looked up."""
    resources = roles_table().roles[role].items()
    return frozenset(f"{name}.{verb}" for name, verbs in resources for verb in verbs.split())


def fewest(needed: Collection[str]) -> list[str]:
    """Roles that together allow what is needed, and none that the others make needless; the more a
    role allows, the sooner it is left out."""
    wanted = frozenset(needed)
    chosen = [role for role in roles_table().roles if wanted & allowed_by(role)]
    for role in reversed(tuple(chosen)):
        if not _missing(wanted, others := [it for it in chosen if it != role]):
            chosen = others
    if missing := _missing(wanted, chosen):
        raise LookupError(f"no role is known for {', '.join(sorted(missing))}")
    return sorted(chosen)


def roles_of(types: Iterable[str], task: Task) -> dict[str, list[str]]:
    """Roles, each with the types that no other of them suffices for, both sorted."""
    needed = {one: _needed(one, task) for one in types if not one.startswith(_OURS)}
    roles = fewest(frozenset[str]().union(*needed.values()))
    return {
        role: sorted(one for one in needed if _missing(needed[one], set(roles) - {role}))
        for role in roles
    }


def _needed(resource_type: str, task: Task) -> frozenset[str]:
    table = permission_table()
    return frozenset(it for one in _OPERATIONS[task] for it in table.needed(resource_type, one))


def _missing(wanted: frozenset[str], roles: Iterable[str]) -> frozenset[str]:
    return wanted.difference(*map(allowed_by, roles))
