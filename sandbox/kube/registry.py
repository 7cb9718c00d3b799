"""The kinds the simulated API server knows; a kind is added by adding a line to `_KINDS`.

Kinds of `_DEFINED` are served only while their definition is there: a chart or an add-on brings it.
"""

from dataclasses import dataclass
from difflib import get_close_matches

from kube.errors import KubeError
from sandbox.kube.custom_resources import served_versions
from sandbox.kube.store import Store


@dataclass(frozen=True, kw_only=True)
class Kind:
    api_version: str
    kind: str
    namespaced: bool = True
    custom: bool = False

    @property
    def group(self) -> str:
        return self.api_version.partition("/")[0]


def _kinds(api_version: str, *names: str, namespaced: bool = True, custom: bool = False):
    return [
        Kind(api_version=api_version, kind=name, namespaced=namespaced, custom=custom)
        for name in names
    ]


_RBAC = "rbac.authorization.k8s.io/v1"
_SCALING = "autoscaling.gke.io/v1beta1"
_GMP = "monitoring.googleapis.com/v1"
KUEUE_GROUP = "kueue.x-k8s.io"
RAY_GROUP = "ray.io"
JOB_SET_GROUP = "jobset.x-k8s.io"
NVIDIA_GROUP = "resource.nvidia.com"
_KINDS = [
    *_kinds("v1", "Namespace", "PersistentVolume", namespaced=False),
    *_kinds("v1", "ConfigMap", "Secret", "ServiceAccount", "Service", "PersistentVolumeClaim"),
    *_kinds("v1", "Pod", "PodTemplate", "ResourceQuota", "LimitRange"),
    *_kinds("apps/v1", "Deployment", "DaemonSet"),
    *_kinds("autoscaling/v2", "HorizontalPodAutoscaler"),
    *_kinds("batch/v1", "Job"),
    *_kinds("policy/v1", "PodDisruptionBudget"),
    *_kinds("networking.k8s.io/v1", "NetworkPolicy"),
    *_kinds("scheduling.k8s.io/v1", "PriorityClass", namespaced=False),
    *_kinds("storage.k8s.io/v1", "StorageClass", namespaced=False),
    *_kinds(
        "admissionregistration.k8s.io/v1",
        "ValidatingAdmissionPolicy",
        "ValidatingAdmissionPolicyBinding",
        namespaced=False,
    ),
    *_kinds(_RBAC, "Role", "RoleBinding"),
    *_kinds(_RBAC, "ClusterRole", "ClusterRoleBinding", namespaced=False),
    *_kinds("resource.k8s.io/v1", "ResourceClaimTemplate"),
    *_kinds("cloud.google.com/v1", "ComputeClass", namespaced=False, custom=True),
    *_kinds("autoscaling.x-k8s.io/v1", "ProvisioningRequest", custom=True),
    *_kinds("networking.gke.io/v1", "Network", "GKENetworkParamSet", namespaced=False, custom=True),
    *_kinds(_SCALING, "AutoscalingMetric", custom=True),
    *_kinds(_GMP, "PodMonitoring", custom=True),
    *_kinds("helm.sh/v3", "Release", custom=True),
]
_DEFINED = [
    *_kinds("ray.io/v1", "RayCluster", "RayJob", custom=True),
    *_kinds(f"{JOB_SET_GROUP}/v1alpha2", "JobSet", custom=True),
    *_kinds(f"{NVIDIA_GROUP}/v1beta1", "ComputeDomain", custom=True),
    *(
        kind
        for version in ("v1beta1", "v1beta2")
        for kind in [
            *_kinds(f"{KUEUE_GROUP}/{version}", "LocalQueue", "Workload", custom=True),
            *_kinds(
                f"{KUEUE_GROUP}/{version}",
                "AdmissionCheck",
                "ClusterQueue",
                "Cohort",
                "ProvisioningRequestConfig",
                "ResourceFlavor",
                "Topology",
                "WorkloadPriorityClass",
                namespaced=False,
                custom=True,
            ),
        ]
    ),
]
_BROUGHT_BY = {
    JOB_SET_GROUP: "the Helm chart jobset brings it",
    KUEUE_GROUP: "the Helm chart kueue brings it",
    NVIDIA_GROUP: "the Helm chart dra-driver-nvidia-gpu brings it",
    RAY_GROUP: "the cluster's Ray operator add-on or the Helm chart kuberay-operator brings it",
}
_ALL = [*_KINDS, *_DEFINED]
REGISTRY = {(kind.api_version, kind.kind): kind for kind in _ALL}


def lookup(api_version: object, kind: object, store: Store | None = None) -> Kind:
    """The kind, if the API server of `store` serves it; without a store, any kind that is known."""
    found = REGISTRY.get((str(api_version), str(kind)))
    if found and (store is None or _is_served(store, found)):
        return found
    # kubernetes/apimachinery pkg/api/meta/errors.go, v0.35.4.
    raise KubeError(
        f'no matches for kind "{kind}" in version "{api_version}"; '
        + (_nearest_served(store, found) if found and store else _nearest(str(kind))),
        reason="NoMatch",
    )


def _is_served(store: Store, kind: Kind) -> bool:
    if kind not in _DEFINED or (kind.group == RAY_GROUP and store.ray_addon):
        return True
    return kind.api_version in served_versions(store, kind.group, kind.kind)


def _nearest_served(store: Store, kind: Kind) -> str:
    if served := served_versions(store, kind.group, kind.kind):
        return f"{kind.kind} is served in version {served[0]}"
    return _BROUGHT_BY[kind.group]


def _nearest(kind: str) -> str:
    served = [known.api_version for known in _ALL if known.kind == kind]
    if served:
        return f"{kind} is served in version {served[-1]}"
    by_lower = {known.kind.lower(): known for known in _ALL}
    close = get_close_matches(kind.lower(), by_lower, n=1, cutoff=0.0)
    nearest = by_lower[close[0]]
    return f"the nearest known kind is {nearest.kind} in version {nearest.api_version}"
