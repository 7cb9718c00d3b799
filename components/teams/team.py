"""A team's part of a cluster that it shares: its namespace, who may do what there and how much, and
the identity of its pods.

Leaves out the queue that the team's workloads wait in, and what IAM asks of its members. Rules of
roles stand here in full: of Kubernetes' own `view` and `edit`, Kueue's chart adds to them the right
to see its objects and the jobs that it queues, JobSet's and KubeRay's charts add nothing, and
`edit` may change the namespace's network policies and act as its service accounts
(k8s.io/kubernetes 1.35.4, plugin/pkg/auth/authorizer/rbac/bootstrappolicy/policy.go; charts/kueue
of kueue 0.19.2; charts/jobset of jobset 0.12.0; helm-chart/kuberay-operator, feeaf72fa).
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import pulumi
import pulumi_gcp as gcp
import pulumi_kubernetes as k8s

from ..base.arguments import at_least, checked
from ..base.component import Component
from ..base.lifecycle import fixed_name, object_name
from ..base.members import EDIT, ROLES, VIEW, MemberArgs, subjects
from ..base.naming import NameKind, check_own_account, name_is
from ..base.pod_access import TEAM_LABEL, team_access_spec
from ..base.pod_security import BASELINE, pod_security_labels
from ..base.tokens import formerly
from ..buckets.grant import kubernetes_principal
from .quota import (
    TeamQuotaArgs,
    defaults_spec,
    queued_defaults_spec,
    quota_spec,
    storage_spec,
)

_SEE = ("get", "list", "watch")
_CHANGE = ("create", "update", "patch", "delete", "deletecollection")
# By API group. What says how much a team has, and who reaches it, is its administrators' to change.
_SEEN: Mapping[str, Sequence[str]] = {
    "": ("namespaces", "events", "serviceaccounts", "resourcequotas", "limitranges", "pods/log"),
    "discovery.k8s.io": ("endpointslices",),
    "events.k8s.io": ("events",),
    "kueue.x-k8s.io": ("localqueues", "workloads"),
    "networking.k8s.io": ("networkpolicies",),
    "rbac.authorization.k8s.io": ("roles", "rolebindings"),
    "visibility.kueue.x-k8s.io": ("localqueues/pendingworkloads",),
}
_WORKED_WITH: Mapping[str, Sequence[str]] = {
    "": ("pods", "services", "configmaps", "persistentvolumeclaims"),
    "apps": (
        "deployments",
        "deployments/scale",
        "replicasets",
        "statefulsets",
        "statefulsets/scale",
    ),
    "autoscaling": ("horizontalpodautoscalers",),
    "batch": ("jobs", "cronjobs"),
    "jobset.x-k8s.io": ("jobsets",),
    "policy": ("poddisruptionbudgets",),
    "ray.io": ("rayclusters", "rayjobs", "rayservices"),
    "resource.k8s.io": ("resourceclaims", "resourceclaimtemplates"),
}
# Values that only those see who may start a pod with them anyhow.
_SECRETS = ("secrets",)
# `kubectl exec` and its kin upgrade a GET, and must be allowed to create, too, from 1.35 on.
_INTO_PODS = ("pods/attach", "pods/exec", "pods/portforward")


def role_rules(role: str) -> Any:
    """The rules of the role `view` or `edit`; who has `edit` needs no `view` beside it."""
    rules: Mapping[str, Any] = {
        VIEW: [*_rules(_SEEN, _SEE), *_rules(_WORKED_WITH, _SEE)],
        EDIT: [
            *_rules(_SEEN, _SEE),
            *_rules(_WORKED_WITH, (*_SEE, *_CHANGE)),
            _rule("", _SECRETS, (*_SEE, *_CHANGE)),
            _rule("", _INTO_PODS, ("get", "create")),
            _rule("", ("pods/eviction",), ("create",)),
        ],
    }
    return rules[role]


def _rules(resources: Mapping[str, Sequence[str]], verbs: Sequence[str]) -> list[dict[str, Any]]:
    return [_rule(group, names, verbs) for group, names in resources.items()]


def _rule(group: str, resources: Sequence[str], verbs: Sequence[str]) -> dict[str, Any]:
    return {"apiGroups": [group], "resources": list(resources), "verbs": list(verbs)}


def namespace_labels(team: str, pod_security: str) -> dict[str, str]:
    """Of which team a namespace is, and what its pods may ask of their node. Raises ValueError for
    a level that is none."""
    return {TEAM_LABEL: team, **pod_security_labels(pod_security)}


@dataclass(frozen=True, kw_only=True)
class TeamBucketArgs:
    """A role that the team's pods have on a bucket; `key` tells the team's buckets apart."""

    key: str
    bucket_name: pulumi.Input[str]
    role: str


@dataclass(frozen=True, kw_only=True)
class TeamArgs:
    """`team` is the name of the namespace, too; `account_name` that of its pods' service account.
    The work of a `queued` team counts by what it requests, so containers have default requests.

    `storage_gib` is what its PersistentVolumeClaims may request together.
    The project's number and the workload pool, PROJECT.svc.id.goog, name the account in IAM.
    """

    team: str
    members: Sequence[MemberArgs] = ()
    quota: TeamQuotaArgs | None = None
    queued: bool = False
    storage_gib: int = 0
    account_name: str
    buckets: Sequence[TeamBucketArgs] = ()
    project_number: pulumi.Input[str]
    workload_pool: pulumi.Input[str]
    pod_security: str = BASELINE
    labels: pulumi.Input[dict[str, str]] = field(default_factory=dict[str, str])

    def check(self) -> None:
        name_is("team", NameKind.NAMESPACE, self.team)
        name_is("account_name", NameKind.KUBERNETES, self.account_name)
        checked("account_name", check_own_account, self.account_name)
        at_least("storage_gib", self.storage_gib, 0, "is less than nothing")
        checked("pod_security", pod_security_labels, self.pod_security)


class Team(Component, in_cluster=True):
    """`namespace` is its name, known once workloads can be made there and nothing lets them past
    the quota; `service_account` is known once it has its rights on buckets."""

    namespace: pulumi.Output[str]
    service_account: pulumi.Output[str]

    def __init__(
        self, name: str, args: TeamArgs, opts: pulumi.ResourceOptions | None = None
    ) -> None:
        super().__init__("gke-ai:index:Team", name, args, formerly("team:Team", opts))
        self._args = args
        made = k8s.core.v1.Namespace(
            f"{name}-namespace",
            metadata={
                "name": args.team,
                "labels": self._namespace_labels(),
            },
            opts=fixed_name(self),
        )
        inside = object_name(made)
        bounds = [*self._quota(inside), self._storage(inside), self._access(inside)]
        for role in ROLES:
            self._role(role, inside)
        account = k8s.core.v1.ServiceAccount(
            f"{name}-account",
            metadata=self._metadata(args.account_name, inside),
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
        quota, found = self._args.quota, list[pulumi.CustomResource]()
        queued = queued_defaults_spec() if self._args.queued else None
        if defaults := queued if quota is None else defaults_spec(quota):
            found.append(
                k8s.core.v1.LimitRange(
                    f"{self.pulumi_resource_name}-defaults",
                    metadata=self._metadata("defaults", inside),
                    spec=defaults,
                    opts=fixed_name(self),
                )
            )
        if quota is not None:
            found.append(
                k8s.core.v1.ResourceQuota(
                    f"{self.pulumi_resource_name}-quota",
                    metadata=self._metadata("team", inside),
                    spec=quota_spec(quota),
                    opts=fixed_name(self, depends_on=list(found)),
                )
            )
        return found

    def _storage(self, inside: pulumi.Output[str]) -> pulumi.CustomResource:
        return k8s.core.v1.ResourceQuota(
            f"{self.pulumi_resource_name}-storage",
            metadata=self._metadata("storage", inside),
            spec=storage_spec(self._args.storage_gib),
            opts=fixed_name(self),
        )

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
            opts=fixed_name(self),
        )
        return grant.member

    def _metadata(self, name: str, inside: pulumi.Output[str]) -> k8s.meta.v1.ObjectMetaArgsDict:
        return {"name": name, "namespace": inside, "labels": self._args.labels}
