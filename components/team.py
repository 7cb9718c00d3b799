"""A team's part of a cluster that it shares: its namespace, who may do what there and how much, and
the identity of its pods.

Leaves out the queue that the team's workloads wait in, and what IAM asks of its members.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import pulumi
import pulumi_gcp as gcp
import pulumi_kubernetes as k8s

from components.bucket_grant import kubernetes_principal
from components.custom_object import object_name
from components.lifecycle import child_of, fixed_name
from components.members import ROLES, MemberArgs, subjects
from components.naming import NameKind, check_name
from components.team_access import BASELINE, namespace_labels, team_access_spec
from components.team_quota import TeamQuotaArgs, defaults_spec, quota_spec
from components.team_roles import role_rules


@dataclass(frozen=True, kw_only=True)
class TeamBucketArgs:
    """A role that the team's pods have on a bucket; `key` tells the team's buckets apart."""

    key: str
    bucket_name: pulumi.Input[str]
    role: str


@dataclass(frozen=True, kw_only=True)
class TeamArgs:
    """`team` is the name of the namespace, too; `account_name` that of its pods' service account.

    The project's number and the workload pool, PROJECT.svc.id.goog, name the account in IAM.
    """

    team: str
    members: Sequence[MemberArgs] = ()
    quota: TeamQuotaArgs | None = None
    account_name: str = "team"
    buckets: Sequence[TeamBucketArgs] = ()
    project_number: pulumi.Input[str]
    workload_pool: pulumi.Input[str]
    pod_security: str = BASELINE
    labels: pulumi.Input[dict[str, str]]


class Team(pulumi.ComponentResource):
    """`namespace` is its name, known once workloads can be made there and nothing lets them past
    the quota; `service_account` is known once it has its rights on buckets."""

    namespace: pulumi.Output[str]
    service_account: pulumi.Output[str]

    def __init__(
        self, name: str, args: TeamArgs, opts: pulumi.ResourceOptions | None = None
    ) -> None:
        super().__init__("gke-ai-stacks:team:Team", name, None, opts)
        self._args = args
        made = k8s.core.v1.Namespace(
            f"{name}-namespace",
            metadata={
                "name": check_name(NameKind.NAMESPACE, args.team),
                "labels": self._namespace_labels(),
            },
            opts=fixed_name(self),
        )
        inside = object_name(made)
        bounds = [*self._quota(inside), self._access(inside)]
        for role in ROLES:
            self._role(role, inside)
        account = k8s.core.v1.ServiceAccount(
            f"{name}-account",
            metadata=self._metadata(check_name(NameKind.KUBERNETES, args.account_name), inside),
            opts=fixed_name(self),
        )
        grants = [self._grant(bucket, inside, object_name(account)) for bucket in args.buckets]
        self.namespace = pulumi.Output.all(inside, *map(object_name, bounds)).apply(
            lambda it: str(it[0])
        )
        self.service_account = pulumi.Output.all(object_name(account), *grants).apply(
            lambda it: str(it[0])
        )
        self.register_outputs(
            {"namespace": self.namespace, "service_account": self.service_account}
        )

    def _namespace_labels(self) -> pulumi.Output[dict[str, str]]:
        own = namespace_labels(self._args.team, self._args.pod_security)
        return pulumi.Output.from_input(self._args.labels).apply(lambda it: {**it, **own})

    def _quota(self, inside: pulumi.Output[str]) -> list[pulumi.CustomResource]:
        """The defaults before the quota, which refuses pods that have none."""
        quota = self._args.quota
        if quota is None:
            return []
        found: list[pulumi.CustomResource] = []
        if defaults := defaults_spec(quota):
            found.append(
                k8s.core.v1.LimitRange(
                    f"{self.pulumi_resource_name}-defaults",
                    metadata=self._metadata("defaults", inside),
                    spec=defaults,
                    opts=fixed_name(self),
                )
            )
        found.append(
            k8s.core.v1.ResourceQuota(
                f"{self.pulumi_resource_name}-quota",
                metadata=self._metadata("team", inside),
                spec=quota_spec(quota),
                opts=fixed_name(self, depends_on=list(found)),
            )
        )
        return found

    def _access(self, inside: pulumi.Output[str]) -> pulumi.CustomResource:
        return k8s.networking.v1.NetworkPolicy(
            f"{self.pulumi_resource_name}-access",
            metadata=self._metadata("team", inside),
            spec=team_access_spec(),
            opts=fixed_name(self),
        )

    def _role(self, role: str, inside: pulumi.Output[str]) -> None:
        members = subjects(self._args.members, role)
        if not members:
            return
        made = k8s.rbac.v1.Role(
            f"{self.pulumi_resource_name}-{role}-role",
            metadata=self._metadata(f"team-{role}", inside),
            rules=role_rules(role),
            opts=fixed_name(self),
        )
        k8s.rbac.v1.RoleBinding(
            f"{self.pulumi_resource_name}-{role}-binding",
            metadata=self._metadata(f"team-{role}", inside),
            role_ref={
                "api_group": "rbac.authorization.k8s.io",
                "kind": "Role",
                "name": object_name(made),
            },
            subjects=members,
            opts=fixed_name(self),
        )

    def _grant(
        self, bucket: TeamBucketArgs, inside: pulumi.Output[str], account: pulumi.Output[str]
    ) -> pulumi.Output[str]:
        grant = gcp.storage.BucketIAMMember(
            f"{self.pulumi_resource_name}-{bucket.key}-grant",
            bucket=bucket.bucket_name,
            role=bucket.role,
            member=kubernetes_principal(
                project_number=self._args.project_number,
                workload_pool=self._args.workload_pool,
                namespace=inside,
                service_account=account,
            ),
            opts=child_of(self),
        )
        return grant.member

    def _metadata(self, name: str, inside: pulumi.Output[str]) -> k8s.meta.v1.ObjectMetaArgsDict:
        return {"name": name, "namespace": inside, "labels": self._args.labels}
