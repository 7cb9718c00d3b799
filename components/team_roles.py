"""What members of a team may do in its namespace, as rules of Kubernetes' roles. Pure.

The rules stand here in full: of Kubernetes' own `view` and `edit`, Kueue's chart adds to them the
right to see its objects and the jobs that it queues, JobSet's and KubeRay's charts add nothing, and
`edit` may change the namespace's network policies and act as its service accounts
(k8s.io/kubernetes 1.35.4, plugin/pkg/auth/authorizer/rbac/bootstrappolicy/policy.go; charts/kueue
of kueue 0.19.2; charts/jobset of jobset 0.12.0; helm-chart/kuberay-operator, feeaf72fa).
"""

from collections.abc import Mapping, Sequence
from typing import Any

from components.members import EDIT, VIEW

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
