"""Service accounts, project-level role bindings, and the rules that all bindings share."""

from __future__ import annotations

import re
from typing import Any

from sandbox.cloud.kind import Kind, digest
from sandbox.cloud.resource import Inputs
from sandbox.cloud.view import View
from sandbox.errors import CloudError

ROLE = re.compile(r"(roles/|projects/[^/]+/roles/|organizations/[^/]+/roles/)[\w.]+")
IDENTITY = re.compile(
    r"(principal|principalSet)://iam\.googleapis\.com/projects/(?P<number>\d+)/locations/global/"
    r"workloadIdentityPools/(?P<project>[^/]+)\.svc\.id\.goog/"
    r"(subject/ns/[^/]+/sa/[^/]+|namespace/[^/]+|kubernetes\.cluster/.+)"
)


class ServiceAccount(Kind):
    token = "gcp:serviceaccount/account:Account"
    api = "iam.googleapis.com"

    def admit(self, inputs: Inputs, cloud: View) -> None:
        del cloud
        account = str(inputs.get("accountId"))
        # hashicorp/terraform-provider-google-beta resource_google_service_account.go:94, 93c65b2d.
        if not re.fullmatch(r"[a-z]([-a-z0-9]{4,28}[a-z0-9])", account):
            raise CloudError(
                "INVALID_ARGUMENT",
                f'account id "{account}" must have 6 to 30 lowercase letters, digits or hyphens',
            )

    def outputs(self, inputs: Inputs, cloud: View, resource_id: str) -> dict[str, Any]:
        email = resource_id.rsplit("/", 1)[-1]
        return {
            "name": resource_id,
            "email": email,
            "member": f"serviceAccount:{email}",
            "uniqueId": str(int(digest(resource_id, length=16), 16)),
        }


class IamMember(Kind):
    """One member of a role in a policy. The provider reads the policy, adds or takes away the
    member, and writes it back: a member that is there is no error (hashicorp/
    terraform-provider-google-beta google-beta/tpgiamresource/resource_iam_member.go,
    resourceIamMemberCreate and resourceIamMemberDelete, 93c65b2d of 2026-08-21)."""

    merged = True


class ProjectIamMember(IamMember):
    """On a project; the member must exist when it belongs to this project."""

    token = "gcp:projects/iAMMember:IAMMember"
    api = "cloudresourcemanager.googleapis.com"

    def admit(self, inputs: Inputs, cloud: View) -> None:
        check_binding(inputs, inputs["project"], cloud)

    def outputs(self, inputs: Inputs, cloud: View, resource_id: str) -> dict[str, Any]:
        return {"etag": digest(resource_id)}


def check_binding(inputs: Inputs, project: str, cloud: View) -> None:
    """Refuse a role that is none, and a member of `project` or of an identity pool that does not
    exist."""
    # hashicorp/terraform-provider-google issue 5107.
    if not ROLE.fullmatch(inputs["role"]):
        raise CloudError("INVALID_ARGUMENT", f'role "{inputs["role"]}" is not a role name')
    member = str(inputs["member"])
    if member.startswith(("principal:", "principalSet:")):
        _check_identity(member, cloud)
    elif member.startswith("serviceAccount:") and f"@{project}." in member:
        members = {account.outputs["member"] for account in cloud.find(ServiceAccount.token)}
        # GoogleCloudPlatform/generative-ai issue 944.
        if member not in members:
            raise CloudError("INVALID_ARGUMENT", f"{member} does not exist")


def _check_identity(member: str, cloud: View) -> None:
    """A Kubernetes identity: its pool exists, and project number and id name the same project."""
    found = IDENTITY.fullmatch(member)
    # hashicorp/terraform-provider-google issue 12672.
    if found is None:
        raise CloudError(
            "INVALID_ARGUMENT",
            f'member "{member}" is of an unknown type; nearest: principal://iam.googleapis.com/'
            "projects/NUMBER/locations/global/workloadIdentityPools/PROJECT.svc.id.goog/subject/"
            "ns/NAMESPACE/sa/NAME",
        )
    project, number = found["project"], found["number"]
    # terraform-google-modules/terraform-google-kubernetes-engine issue 916.
    if project not in cloud.identity_pools:
        raise CloudError(
            "INVALID_ARGUMENT", f"Identity Pool does not exist ({project}.svc.id.goog)"
        )
    if number != cloud.project_number(project):
        raise CloudError(
            "INVALID_ARGUMENT",
            f"Identity Pool does not exist (projects/{number}/{project}.svc.id.goog); the number "
            f"of {project} is {cloud.project_number(project)}",
        )
