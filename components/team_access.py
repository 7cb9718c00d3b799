"""How a team's namespace is kept apart from those of the others, as plain data. Pure."""

from typing import Any

from components.pod_access import TEAM_LABEL

_NAMESPACE = "kubernetes.io/metadata.name"
_POD_SECURITY = "pod-security.kubernetes.io"
BASELINE = "baseline"
PRIVILEGED = "privileged"


def namespace_labels(team: str, pod_security: str) -> dict[str, str]:
    """Of which team a namespace is, and what its pods may ask of their node.

    Raises ValueError for a level that is none. `baseline` takes no pod that mounts folders of its
    node, as those do that speak RDMA by gIB.
    """
    if pod_security not in (BASELINE, PRIVILEGED):
        raise ValueError(
            f'pod_security "{pod_security}" of the team {team} is not {BASELINE} or {PRIVILEGED}; '
            f"nearest: {BASELINE}"
        )
    return {
        TEAM_LABEL: team,
        f"{_POD_SECURITY}/enforce": pod_security,
        # For Deployments and Jobs, whose pods are refused only after them.
        f"{_POD_SECURITY}/warn": pod_security,
    }


def team_access_spec() -> Any:
    """A NetworkPolicy's spec: pods of other teams and of `default` reach none of the namespace.

    The namespaces without a team do, and what is no pod: GKE's operators and collectors are there.
    Policies of one pod add up: within the namespace pods reach each other, whatever a narrower one
    says, and those that let more in have to be `in_team`.
    """
    elsewhere = [
        {"key": TEAM_LABEL, "operator": "DoesNotExist"},
        {"key": _NAMESPACE, "operator": "NotIn", "values": ["default"]},
    ]
    return {
        "podSelector": {},
        "policyTypes": ["Ingress"],
        "ingress": [
            {
                "from": [
                    {"podSelector": {}},
                    {"namespaceSelector": {"matchExpressions": elsewhere}},
                    # Dataplane V2 takes pods for no part of any range.
                    {"ipBlock": {"cidr": "0.0.0.0/0"}},
                ]
            }
        ],
    }
