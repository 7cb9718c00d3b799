"""A NetworkPolicy for pods that serve whoever reaches them, as plain data. Pure.

Dataplane V2, which every cluster here has, enforces it. The interfaces of device networks and RDMA
are not in it: a NetworkPolicy is about a pod's default network.
"""

from collections.abc import Mapping, Sequence
from typing import Any

# Which team a namespace is of; those of the stack itself have none.
TEAM_LABEL = "gke-ai-stacks/team"
# What a pod of a model server's namespace is labelled with to reach the server.
CLIENT_LABEL = "client-of"
_NAMESPACE = "kubernetes.io/metadata.name"


def pod_access_spec(
    pods: Mapping[str, str],
    *,
    namespace: Any,
    beside: Mapping[str, str],
    ports: Sequence[int] = (),
    in_team: bool = False,
) -> dict[str, Any]:
    """`pods` and `beside` are labels; without `ports` it is every port.

    In their namespace, only pods with the labels of `beside` reach `pods`, and in `default` none.
    Other namespaces do, and what is no pod: GKE's operators and collectors are there, and nobody
    has published where. `in_team`: namespaces of other teams do not.
    """
    elsewhere: list[dict[str, Any]] = [
        {"key": _NAMESPACE, "operator": "NotIn", "values": [namespace, "default"]}
    ]
    if in_team:
        elsewhere.append({"key": TEAM_LABEL, "operator": "DoesNotExist"})
    rule: dict[str, Any] = {
        "from": [
            {"podSelector": {"matchLabels": dict(beside)}},
            {"namespaceSelector": {"matchExpressions": elsewhere}},
            # Dataplane V2 takes pods for no part of any range.
            {"ipBlock": {"cidr": "0.0.0.0/0"}},
        ]
    }
    if ports:
        rule["ports"] = [{"port": port, "protocol": "TCP"} for port in ports]
    return {
        "podSelector": {"matchLabels": dict(pods)},
        "policyTypes": ["Ingress"],
        "ingress": [rule],
    }
