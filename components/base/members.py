"""Who may do something: people and Google groups, by e-mail, as Kubernetes and IAM name them. Pure.

GKE takes an e-mail for the user's or the group's name; a group counts only in a cluster with a
security group that it is a member of (GKE documentation, "Configure Google Groups for RBAC").
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from .arguments import checked, one_of

USER = "user"
GROUP = "group"
VIEW = "view"
EDIT = "edit"

_EMAIL = re.compile(r"[a-z0-9._%+'-]+@[a-z0-9-]+(?:\.[a-z0-9-]+)+")
# Google's own word; the group of this name holds the groups that Kubernetes may know of.
_SECURITY_GROUP = "gke-security-groups"
_API_GROUP = "rbac.authorization.k8s.io"
# Of Google's own ones, and of users' (IAM documentation, "Types of service accounts").
_OF_SERVICE_ACCOUNTS = (".gserviceaccount.com", "@gserviceaccount.com")
_KINDS = {USER: "User", GROUP: "Group"}


@dataclass(frozen=True, kw_only=True)
class MemberArgs:
    """`kind` is user or group, `role` is view or edit."""

    email: str
    kind: str
    role: str

    def check(self) -> None:
        checked("email", check_email, self.email)
        one_of("kind", self.kind, (USER, GROUP), "is not user or group")
        one_of("role", self.role, ROLES, "is not view or edit")


ROLES = (VIEW, EDIT)


def check_email(email: str) -> str:
    """Returns the e-mail. Raises ValueError where it is none, not in lower case, for Kubernetes
    compares names letter by letter, or a service account's."""
    if _EMAIL.fullmatch(email):
        check_no_service_account(email)
        return email
    kind, near = _kind_and_email(email)
    if not _EMAIL.fullmatch(near):
        kind, near = "", "name@example.com"
    check_no_service_account(near)
    where = "the key groups, with " if kind == GROUP else ""
    raise ValueError(f'"{email}" is not an e-mail in lower case; nearest: {where}{near}')


def check_no_service_account(email: str) -> None:
    """IAM knows a service account by `serviceAccount:` alone (IAM documentation, "Principal
    identifiers"; hashicorp/terraform-provider-google-beta
    website/docs/r/google_project_iam.html.markdown, `member/members`, 93c65b2d)."""
    if email.endswith(_OF_SERVICE_ACCOUNTS):
        raise ValueError(
            f'"{email}" is a service account, which is no user or group to IAM, and for which no '
            "key here is; nearest: leave it out"
        )


def _kind_and_email(text: str) -> tuple[str, str]:
    """What a text may mean that is no e-mail as it stands: as IAM writes it, as a mail program
    does, or in capitals. Nothing is taken out of a name, for what is left would be somebody
    else's."""
    written = text.strip().lower()
    if of_a_mail := re.fullmatch(r"[^<>]*<([^<>]+)>", written):
        written = of_a_mail[1].strip()
    kind, colon, rest = written.partition(":")
    if not colon:
        kind, rest = "", written
    return kind.strip(), re.sub(r"\s*@\s*", "@", rest.strip())


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
