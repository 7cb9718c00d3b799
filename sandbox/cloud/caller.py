"""Who calls the simulated cloud, and what it is told that it may not do."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

from catalog.permissions import Operation, permission_table
from catalog.roles import allowed_by, roles_table
from catalog.table import nearest_names
from cli.errors import UserError
from sandbox.errors import CloudError

_SET_POLICY = "resourcemanager.projects.setIamPolicy"


@dataclass(frozen=True)
class Caller:
    """One with predefined roles on the project; without any, its owner."""

    roles: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        known = roles_table().roles
        for role in self.roles:
            if role not in known:
                near = nearest_names(role, known)
                raise UserError(f'--roles: "{role}" is not a role it knows; nearest: {near}')

    def check(self, resource_type: str, operation: Operation, where: str) -> None:
        """Raises CloudError for the first permission that is missing."""
        if not self.roles:
            return
        for permission in permission_table().needed(resource_type, operation):
            if permission not in self._allowed:
                is_object = resource_type.startswith("kubernetes:")
                why = _forbidden(permission, where) if is_object else _denied(permission, where)
                raise CloudError("PERMISSION_DENIED", why)

    def check_connect(self, host: str) -> None:
        """Raises CloudError where the caller may not reach control planes by their names."""
        for permission in permission_table().dns_endpoint if self.roles else ():
            if permission not in self._allowed:
                raise CloudError("PERMISSION_DENIED", _denied(permission, host))

    def check_grant(self, role: str) -> None:
        """Raises CloudError for a role that the caller may not give or take: one with a limit is
        held with the condition that `make roles` prints, where no other role lets it set
        policies. The first sentence is Google's (hashicorp/terraform-provider-google issue 10079,
        of a caller with such a condition), which does not say why."""
        limits = roles_table().limits
        limited = [it for it in self.roles if it in limits]
        free = frozenset[str]().union(*(allowed_by(it) for it in self.roles if it not in limits))
        if not limited or _SET_POLICY in free or any(role in limits[it] for it in limited):
            return
        given = ", ".join(limits[limited[0]])
        raise CloudError(
            "PERMISSION_DENIED",
            f"Policy update access denied. {limited[0]} has a condition, by which its holder gives "
            f"and takes {given}, and not {role}",
        )

    @cached_property
    def _allowed(self) -> frozenset[str]:
        return frozenset[str]().union(*map(allowed_by, self.roles))


def _denied(permission: str, where: str) -> str:
    """As each API words it: hashicorp/terraform-provider-google issue 4825, pulumi/examples issue
    150, 2i2c-org/infrastructure issue 488."""
    service = permission.partition(".")[0]
    if service == "compute":
        return f"Required '{permission}' permission for '{where}'"
    if service == "container":
        return f'Required "{permission}" permission(s) for "{where}".'
    resource = f"//{service}.googleapis.com/{where}"
    return f"Permission '{permission}' denied on resource '{resource}' (or it may not exist)."


def _forbidden(permission: str, where: str) -> str:
    """As the authorizer of GKE words it, which elastic/cloud-on-k8s issue 310 quotes."""
    return f'{where} is forbidden: Required "{permission}" permission.'
