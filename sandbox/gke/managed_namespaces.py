"""The namespaces of an Autopilot cluster that are GKE's: nobody else makes or ends them.

GKE publishes no list; these names and its words are those of Qovery/engine,
src/cloud_provider/gcp/kubernetes/mod.rs, read 2026-11-22.
"""

from kube.errors import KubeError

_MANAGED = frozenset(
    {
        "gke-gmp-system",
        "gke-managed-cim",
        "gke-managed-filestorecsi",
        "gmp-public",
        "kube-system",
    }
)


def refuse_managed(name: str, verb: str) -> None:
    """Raises KubeError where the namespace is GKE's."""
    if name in _MANAGED:
        raise KubeError(
            f'namespaces "{name}" is forbidden: GKE Warden authz '
            f'[denied by managed-namespaces-limitation]: the namespace "{name}" is managed and '
            f'the request\'s verb "{verb}" is denied',
            reason="Forbidden",
        )
