"""Who reaches Ray's pods: its dashboard takes jobs from anybody who does, and runs them with the
pods' tokens and roles. Pure.
"""

from typing import Any

from components.pod_access import pod_access_spec
from components.ray_manifest import CLUSTER_LABEL


def ray_access_spec(cluster_name: str, namespace: Any, *, in_team: bool = False) -> dict[str, Any]:
    """A NetworkPolicy's spec: pods beside Ray in its namespace and in `default` do not reach it.

    GKE's operator submits jobs from another namespace.
    """
    pods = {CLUSTER_LABEL: cluster_name}
    return pod_access_spec(pods, namespace=namespace, beside=pods, in_team=in_team)
