"""NetworkPolicies for pods that serve whoever reaches them and for namespaces of teams, as plain
data. Pure.

Dataplane V2 always enforces it (GKE documentation, "About GKE Dataplane V2", Security), which every
cluster of a stack has; stacks/parts/cluster/existing_rules.py judges clusters of others. The
interfaces of device networks and RDMA are not in it: a NetworkPolicy is about a pod's default
network.
"""

from collections.abc import Mapping, Sequence
from typing import Any

# Which team a namespace is of; those of the stack itself have none.
TEAM_LABEL = "gke-ai-stacks/team"
# What a pod of a model server's namespace is labelled with to reach the server.
CLIENT_LABEL = "client-of"
_NAMESPACE = "kubernetes.io/metadata.name"
# Dataplane V2 takes pods for no part of any range.
_NO_POD = {"ipBlock": {"cidr": "0.0.0.0/0"}}


def pod_access_spec(
    pods: Mapping[str, str],
    *,
    namespace: Any,
    beside: Mapping[str, str],
    ports: Sequence[int] = (),
    for_teams: bool = False,
    from_outside: bool,
) -> dict[str, Any]:
    """`pods` and `beside` are labels; without `ports` it is every port.

    In their namespace, only pods with the labels of `beside` reach `pods`, and in `default` none.
    Other namespaces do: operators and collectors are there. Namespaces of teams do only with
    `for_teams`, whichever stack made them: teams may be those of the platform that the cluster
    belongs to. What is no pod does only with `from_outside`, but for the own node, whose kubelet
    probes and forwards ports (Kubernetes documentation, "Network Policies"): nobody has published
    from which addresses GKE's Ray operator comes. That is a range of all addresses, of which some
    data planes take pods for part.
    """
    elsewhere: list[dict[str, Any]] = [
        {"key": _NAMESPACE, "operator": "NotIn", "values": [namespace, "default"]}
    ]
    if not for_teams:
        elsewhere.append({"key": TEAM_LABEL, "operator": "DoesNotExist"})
    rule: dict[str, Any] = {
        "from": [
            {"podSelector": {"matchLabels": dict(beside)}},
            {"namespaceSelector": {"matchExpressions": elsewhere}},
        ]
    }
    if from_outside:
        rule["from"].append(_NO_POD)
    if ports:
        rule["ports"] = [{"port": port, "protocol": "TCP"} for port in ports]
    return {
        "podSelector": {"matchLabels": dict(pods)},
        "policyTypes": ["Ingress"],
        "ingress": [rule],
    }


def team_access_spec() -> Any:
    """A NetworkPolicy's spec: pods of other teams and of `default` reach none of the namespace.

    The namespaces without a team do, and what is no pod: GKE's operators and collectors are there.
    Policies of one pod add up (Kubernetes documentation, "Network Policies"): within the namespace
    pods reach each other, whatever a narrower one says, and none but a model server's lets other
    teams in.
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
                    _NO_POD,
                ]
            }
        ],
    }
