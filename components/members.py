"""Who may do something: people and Google groups, by e-mail, as Kubernetes and IAM name them. Pure.

GKE takes an e-mail for the user's or the group's name; a group counts only in a cluster with a
security group that it is a member of.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

USER = "user"
GROUP = "group"
VIEW = "view"
EDIT = "edit"

_EMAIL = re.compile(r"[a-z0-9._%+'-]+@[a-z0-9-]+(?:\.[a-z0-9-]+)+")
# Google's own word; the group of this name holds the groups that Kubernetes may know of.
_SECURITY_GROUP = "gke-security-groups"
_API_GROUP = "rbac.authorization.k8s.io"
_KINDS = {USER: "User", GROUP: "Group"}


@dataclass(frozen=True, kw_only=True)
class MemberArgs:
    """`kind` is user or group, `role` is view or edit."""

    email: str
    kind: str
    role: str

    def __post_init__(self) -> None:
        """Raises ValueError for what is no e-mail, kind or role."""
        check_email(self.email)
        for field, value, known in (("kind", self.kind, (USER, GROUP)), ("role", self.role, ROLES)):
            if value not in known:
                raise ValueError(
                    f'{field} "{value}" of {self.email} is not one of {", ".join(known)}; '
                    f"nearest: {known[0]}"
                )


ROLES = (VIEW, EDIT)


def check_email(email: str) -> str:
    """Returns the e-mail. Raises ValueError where it is none, or not in lower case: Kubernetes
    compares names letter by letter."""
    if _EMAIL.fullmatch(email):
        return email
    near = re.sub(r"[^a-z0-9._%+'@-]+", "", email.lower())
    near = near if _EMAIL.fullmatch(near) else "name@example.com"
    raise ValueError(f'"{email}" is not an e-mail in lower case; nearest: {near}')


def check_security_group(email: str) -> str:
    """Returns the e-mail. Raises ValueError where it is not the one that GKE knows in a domain."""
    name, at, domain = email.partition("@")
    if name != _SECURITY_GROUP or not _EMAIL.fullmatch(email):
        near = f"{_SECURITY_GROUP}@{domain if at and domain else 'example.com'}".lower()
        raise ValueError(
            f'"{email}" is not the security group of a domain, whose name GKE fixes; nearest: '
            f"{near if _EMAIL.fullmatch(near) else f'{_SECURITY_GROUP}@example.com'}"
        )
    return email


def subjects(members: Sequence[MemberArgs], role: str) -> list[Any]:
    """Those of a role as a RoleBinding names them, each once, in a stable order."""
    found = {(one.kind, one.email) for one in members if one.role == role}
    return [
        {"apiGroup": _API_GROUP, "kind": _KINDS[kind], "name": email}
        for kind, email in sorted(found)
    ]


def iam_members(members: Sequence[MemberArgs]) -> list[str]:
    """All of them as IAM names them, each once, in a stable order."""
    return sorted({f"{one.kind}:{one.email}" for one in members})
