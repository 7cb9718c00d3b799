"""The identity of a node pool's machines, with the one role that GKE asks of it, and the one that
image streaming asks besides.

Workloads never use it: they get their own through Workload Identity.
"""

from dataclasses import dataclass

import pulumi
import pulumi_gcp as gcp

from ..base.component import Component
from ..base.lifecycle import fixed_name
from ..base.naming import NameKind, cloud_name, names_are_of
from ..base.tokens import formerly
from ..project.apis import ProjectArgs

# Logs, metrics and autoscaling metadata; GKE's own page on hardening names this role alone.
_ROLE = "roles/container.defaultNodeServiceAccount"
# For nodes with an account of their own (GKE documentation, "Use Image streaming to pull container
# images", requirements).
_STREAMING_ROLE = "roles/serviceusage.serviceUsageConsumer"
# The API that images stream from, of the same page.
IMAGE_STREAMING = "containerfilesystem"


@dataclass(frozen=True, kw_only=True)
class NodeServiceAccountArgs(ProjectArgs):
    """`pool` is the kind of nodes; with `image_streaming` they may read images as they come."""

    base_name: str
    pool: str
    image_streaming: bool = False

    def check(self) -> None:
        names_are_of("base_name", NameKind.SERVICE_ACCOUNT, self.base_name, self.pool)

    @property
    def further_apis(self) -> tuple[str, ...]:
        return (IMAGE_STREAMING,) if self.image_streaming else ()


class NodeServiceAccount(Component, apis=("iam", "cloudresourcemanager")):
    """Nodes wait for the whole component, so they never start without the roles: a grant that is
    replaced leaves them as they are, and an account that is replaced does not."""

    email: pulumi.Output[str]

    def __init__(
        self, name: str, args: NodeServiceAccountArgs, opts: pulumi.ResourceOptions | None = None
    ) -> None:
        super().__init__(
            "gke-ai:index:NodeServiceAccount",
            name,
            args,
            formerly("node_service_account:NodeServiceAccount", opts),
        )
        account = gcp.serviceaccount.Account(
            f"{name}-account",
            project=args.project_with("iam"),
            account_id=cloud_name(NameKind.SERVICE_ACCOUNT, args.base_name, args.pool),
            display_name=f"Nodes of {args.base_name}, pool {args.pool}",
            opts=fixed_name(self),
        )
        # One member of one role: others add bindings to the project too, and an authoritative
        # binding would take theirs away.
        roles = {"role": _ROLE}
        if args.image_streaming:
            roles["streaming-role"] = _STREAMING_ROLE
        for key, role in roles.items():
            gcp.projects.IAMMember(
                f"{name}-{key}",
                project=args.project_with("cloudresourcemanager"),
                role=role,
                member=account.email.apply(lambda email: f"serviceAccount:{email}"),
                opts=fixed_name(self),
            )
        self.email = account.email
        self.register_outputs({"email": self.email})
