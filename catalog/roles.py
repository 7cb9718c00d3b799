"""The IAM roles that a stack's caller needs, by what the stack makes and what the caller is for."""

from collections.abc import Collection, Iterable
from functools import cache
from typing import Literal, TypeAlias, get_args

from .permissions import Operation, permission_table
from .table import Fact, Table, load_table

Task: TypeAlias = Literal["preview", "drift", "up", "destroy"]
TASKS: tuple[Task, ...] = get_args(Task)

_OPERATIONS: dict[Task, tuple[Operation, ...]] = {
    "preview": ("read",),
    "drift": ("read",),
    "up": ("create", "read", "update", "delete"),
    "destroy": ("read", "delete"),
}
_SECRETS = "container.secrets.get"
CUSTOM = "custom/"


class CustomRole(Fact):
    """A role of the project's own, and what the predefined one opens besides."""

    title: str
    instead_of: str
    opens: str


class RoleTable(Table):
    """`roles` are verbs by the start of a permission, the least role first; `limits` are the only
    roles that a role is to grant, `state` is for the state's bucket, which roles that are to
    `spare_the_state` do not reach. A name of `roles` that begins with CUSTOM is of `custom`."""

    roles: dict[str, dict[str, str]]
    limits: dict[str, tuple[str, ...]]
    custom: dict[str, CustomRole]
    spare_the_state: tuple[str, ...]
    state: dict[Task, str]


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
    needed = {one: _needed(one, task) for one in types}
    roles = fewest(frozenset[str]().union(*needed.values()))
    return {
        role: sorted(one for one in needed if _missing(needed[one], set(roles) - {role}))
        for role in roles
    }


def _needed(resource_type: str, task: Task) -> frozenset[str]:
    """A preview compares with the state: it reads what exists already and is not the stack's, and
    objects of the cluster, but no Secret, also where Helm keeps releases in them
    (pulumi/pulumi-kubernetes provider/pkg/provider/helm_release.go:508, commit 94977969). A change
    that it may not try on the server it takes as the client sees it (provider.go:1800)."""
    table = permission_table()
    needed = frozenset(it for one in _OPERATIONS[task] for it in table.needed(resource_type, one))
    if task != "preview":
        return needed
    calls = table.types.get(resource_type)
    return frozenset() if calls is not None and calls.create else needed - {_SECRETS}


def _missing(wanted: frozenset[str], roles: Iterable[str]) -> frozenset[str]:
    return wanted.difference(*map(allowed_by, roles))
