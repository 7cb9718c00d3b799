"""The identity of a node pool's machines, with the one role that GKE asks of it, and the one that
image streaming asks besides.

Workloads never use it: they get their own through Workload Identity.
"""

from dataclasses import dataclass

import pulumi
import pulumi_gcp as gcp

from components.lifecycle import fixed_name
from components.naming import NameKind, cloud_name
from components.tokens import formerly

# Logs, metrics and autoscaling metadata; GKE's own page on hardening names this role alone.
_ROLE = "roles/container.defaultNodeServiceAccount"
# For nodes with an account of their own (GKE documentation, "Use Image streaming to pull container
# images", requirements).
_STREAMING_ROLE = "roles/serviceusage.serviceUsageConsumer"


@dataclass(frozen=True, kw_only=True)
class NodeServiceAccountArgs:
    """The same project twice, each known once its API is on."""

    iam_project: pulumi.Input[str]
    resource_manager_project: pulumi.Input[str]
    base_name: str
    pool: str
    image_streaming: bool = False


class NodeServiceAccount(pulumi.ComponentResource):
    """Nodes wait for the whole component, so they never start without the roles: a grant that is
    replaced leaves them as they are, and an account that is replaced does not."""

    email: pulumi.Output[str]

    def __init__(
        self, name: str, args: NodeServiceAccountArgs, opts: pulumi.ResourceOptions | None = None
    ) -> None:
        super().__init__(
            "gke-ai:index:NodeServiceAccount",
            name,
            None,
            formerly("node_service_account:NodeServiceAccount", opts),
        )
        account = gcp.serviceaccount.Account(
            f"{name}-account",
            project=args.iam_project,
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
                project=args.resource_manager_project,
                role=role,
                member=account.email.apply(lambda email: f"serviceAccount:{email}"),
                opts=fixed_name(self),
            )
        self.email = account.email
        self.register_outputs({"email": self.email})
