"""The kinds the simulated API server knows; a kind is added by adding a line to `_KINDS`."""

from dataclasses import dataclass
from difflib import get_close_matches

from sandbox.kube.errors import KubeError


@dataclass(frozen=True, kw_only=True)
class Kind:
    api_version: str
    kind: str
    namespaced: bool = True
    custom: bool = False


def _kinds(api_version: str, *names: str, namespaced: bool = True, custom: bool = False):
    return [
        Kind(api_version=api_version, kind=name, namespaced=namespaced, custom=custom)
        for name in names
    ]


_RBAC = "rbac.authorization.k8s.io/v1"
_KINDS = [
    *_kinds("v1", "Namespace", "PersistentVolume", namespaced=False),
    *_kinds("v1", "ConfigMap", "Secret", "ServiceAccount", "Service", "PersistentVolumeClaim"),
    *_kinds("v1", "Pod", "PodTemplate"),
    *_kinds("apps/v1", "Deployment", "DaemonSet"),
    *_kinds("batch/v1", "Job"),
    *_kinds("scheduling.k8s.io/v1", "PriorityClass", namespaced=False),
    *_kinds("storage.k8s.io/v1", "StorageClass", namespaced=False),
    *_kinds(_RBAC, "Role", "RoleBinding"),
    *_kinds(_RBAC, "ClusterRole", "ClusterRoleBinding", namespaced=False),
    *_kinds("resource.k8s.io/v1", "ResourceClaimTemplate"),
    *_kinds("cloud.google.com/v1", "ComputeClass", namespaced=False, custom=True),
    *_kinds("ray.io/v1", "RayCluster", "RayJob", custom=True),
    *_kinds("autoscaling.x-k8s.io/v1", "ProvisioningRequest", custom=True),
    *_kinds("networking.gke.io/v1", "Network", "GKENetworkParamSet", namespaced=False, custom=True),
]
REGISTRY = {(kind.api_version, kind.kind): kind for kind in _KINDS}


def lookup(api_version: object, kind: object) -> Kind:
    if found := REGISTRY.get((str(api_version), str(kind))):
        return found
    raise KubeError(
        f'no matches for kind "{kind}" in version "{api_version}"; '
        + _nearest(str(api_version), str(kind)),
        reason="NoMatch",
    )


def _nearest(api_version: str, kind: str) -> str:
    served = [known.api_version for known in _KINDS if known.kind == kind]
    if served:
        return f"{kind} is served in version {served[0]}"
    by_lower = {known.kind.lower(): known for known in _KINDS}
    close = get_close_matches(kind.lower(), by_lower, n=1, cutoff=0.0)
    nearest = by_lower[close[0]]
    return f"the nearest known kind is {nearest.kind} in version {nearest.api_version}"
