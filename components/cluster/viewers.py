"""What IAM asks of those who use a cluster by Kubernetes' own roles: to find it, and no more.

Once for all teams of a cluster: a grant is the project's, and the team that went last would take
it from the others.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import pulumi
import pulumi_gcp as gcp

from ..base.component import Component
from ..base.lifecycle import fixed_name
from ..base.members import MemberArgs, iam_members
from ..base.tokens import formerly
from ..project.apis import ProjectArgs

# It has container.clusters.get, without which nobody gets in, and nothing inside a cluster (GKE
# documentation, "Authorize actions in clusters using role-based access control").
_ROLE = "roles/container.clusterViewer"


@dataclass(frozen=True, kw_only=True)
class ClusterViewersArgs(ProjectArgs):
    members: Sequence[MemberArgs]


class ClusterViewers(Component, apis=("cloudresourcemanager",)):
    """`iam_members`, such as user:EMAIL, are known once they can find the project's clusters."""

    iam_members: pulumi.Output[list[str]]

    def __init__(
        self, name: str, args: ClusterViewersArgs, opts: pulumi.ResourceOptions | None = None
    ) -> None:
        super().__init__(
            "gke-ai:index:ClusterViewers",
            name,
            args,
            formerly("cluster_viewers:ClusterViewers", opts),
        )
        # One member of one role, as for nodes: others add bindings to the project, too.
        grants = [
            gcp.projects.IAMMember(
                f"{name}-{member}",
                project=args.project_with("cloudresourcemanager"),
                role=_ROLE,
                member=member,
                opts=fixed_name(self),
            )
            for member in iam_members(args.members)
        ]
        self.iam_members = pulumi.Output.all(*(grant.member for grant in grants))
        self.register_outputs({"iam_members": self.iam_members})
