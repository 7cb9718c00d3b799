"""Levels of the Pod Security Standards, and the labels by which a namespace enforces one. Pure.

The API server refuses pods past the level (kubernetes/kubernetes v1.35.4
staging/src/k8s.io/pod-security-admission/api/constants.go). `restricted` is for no namespace with
users' images: it wants pods that run as another user than root.
"""

BASELINE = "baseline"
PRIVILEGED = "privileged"
_PREFIX = "pod-security.kubernetes.io"


def pod_security_labels(level: str) -> dict[str, str]:
    """Raises ValueError for a level that is none. `baseline` takes no pod that mounts folders of
    its node, as those do that speak RDMA by gIB."""
    if level not in (BASELINE, PRIVILEGED):
        raise ValueError(
            f'pod_security "{level}" is not {BASELINE} or {PRIVILEGED}; nearest: {BASELINE}'
        )
    return {
        f"{_PREFIX}/enforce": level,
        # For Deployments and Jobs, whose pods are refused only after them.
        f"{_PREFIX}/warn": level,
    }
