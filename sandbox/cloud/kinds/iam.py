"""Service accounts and project-level role bindings."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from sandbox.cloud.kind import Inputs, Kind, digest
from sandbox.errors import CloudError

if TYPE_CHECKING:
    from sandbox.cloud.cloud import Cloud

ROLE = re.compile(r"(roles/|projects/[^/]+/roles/|organizations/[^/]+/roles/)[\w.]+")


class ServiceAccount(Kind):
    token = "gcp:serviceaccount/account:Account"
    api = "iam.googleapis.com"

    def admit(self, inputs: Inputs, cloud: Cloud) -> None:
        del cloud
        account = str(inputs.get("accountId"))
        if not re.fullmatch(r"[a-z]([-a-z0-9]{4,28}[a-z0-9])", account):
            raise CloudError(
                "INVALID_ARGUMENT",
                f'account id "{account}" must have 6 to 30 lowercase letters, digits or hyphens',
            )

    def outputs(self, inputs: Inputs, cloud: Cloud, resource_id: str) -> dict[str, Any]:
        email = resource_id.rsplit("/", 1)[-1]
        return {
            "name": resource_id,
            "email": email,
            "member": f"serviceAccount:{email}",
            "uniqueId": str(int(digest(resource_id, length=16), 16)),
        }


class ProjectIamMember(Kind):
    """One additive binding; the member must exist when it is a service account of this project."""

    token = "gcp:projects/iAMMember:IAMMember"
    api = "cloudresourcemanager.googleapis.com"

    def admit(self, inputs: Inputs, cloud: Cloud) -> None:
        if not ROLE.fullmatch(inputs["role"]):
            raise CloudError("INVALID_ARGUMENT", f'role "{inputs["role"]}" is not a role name')
        member, project = str(inputs["member"]), inputs["project"]
        if not member.startswith("serviceAccount:") or f"@{project}." not in member:
            return
        emails = {account.outputs["member"] for account in cloud.find(ServiceAccount.token)}
        if member not in emails:
            raise CloudError("INVALID_ARGUMENT", f"{member} does not exist")

    def outputs(self, inputs: Inputs, cloud: Cloud, resource_id: str) -> dict[str, Any]:
        return {"etag": digest(resource_id)}
