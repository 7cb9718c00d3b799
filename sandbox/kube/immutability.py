"""Which changes replace an object (Pulumi's provider) and which the API server refuses.

The two differ: the provider replaces before asking the server, from a table of its own. Both tables
are taken from pulumi-kubernetes 4.x `provider/pkg/provider/diff.go` and the API's validation:
kubernetes/kubernetes pkg/apis/{core,apps,batch,rbac,scheduling,storage}/validation, v1.35.4.
"""

from collections.abc import Collection, Iterator, Mapping
from typing import Any

from kube import paths, quantity
from kube.objects import dig

_IDENTITY = ("apiVersion", "kind", "metadata.name", "metadata.namespace")
_VOLUME_SOURCES = [
    "awsElasticBlockStore",
    "azureDisk",
    "azureFile",
    "cephfs",
    "cinder",
    "csi",
    "fc",
    "flexVolume",
    "flocker",
    "gcePersistentDisk",
    "glusterfs",
    "hostPath",
    "iscsi",
    "local",
    "nfs",
    "photonPersistentDisk",
    "portworxVolume",
    "quobyte",
    "rbd",
    "scaleIO",
    "storageos",
    "vsphereVolume",
]
_POD_FIELDS = [
    "affinity",
    "automountServiceAccountToken",
    "dnsConfig",
    "dnsPolicy",
    "enableServiceLinks",
    "hostAliases",
    "hostIPC",
    "hostNetwork",
    "hostPID",
    "hostname",
    "imagePullSecrets",
    "nodeName",
    "nodeSelector",
    "overhead",
    "preemptionPolicy",
    "priority",
    "priorityClassName",
    "readinessGates",
    "restartPolicy",
    "runtimeClassName",
    "schedulerName",
    "securityContext",
    "serviceAccount",
    "serviceAccountName",
    "shareProcessNamespace",
    "subdomain",
    "terminationGracePeriodSeconds",
    "volumes",
]
_CONTAINER_FIELDS = [
    "args",
    "command",
    "env",
    "image",
    "imagePullPolicy",
    "lifecycle",
    "livenessProbe",
    "ports",
    "readinessProbe",
    "resources",
    "securityContext",
    "stdin",
    "stdinOnce",
    "terminationMessagePath",
    "terminationMessagePolicy",
    "tty",
    "volumeDevices",
    "volumeMounts",
    "workingDir",
]
_REPLACES: dict[str, tuple[str, ...]] = {
    "PersistentVolume": tuple(f"spec.{name}" for name in _VOLUME_SOURCES),
    "PersistentVolumeClaim": (
        "spec.accessModes",
        "spec.selector",
        "spec.storageClassName",
        "spec.volumeName",
    ),
    "Pod": (
        *(f"spec.{name}" for name in _POD_FIELDS),
        *(f"spec.containers[*].{name}" for name in _CONTAINER_FIELDS),
        *(f"spec.initContainers[*].{name}" for name in _CONTAINER_FIELDS),
    ),
    "Service": ("spec.clusterIP",),
    "Deployment": ("spec.selector",),
    "DaemonSet": ("spec.selector",),
    "Job": ("spec.completions", "spec.parallelism", "spec.selector", "spec.template"),
    "RoleBinding": ("roleRef",),
    "ClusterRoleBinding": ("roleRef",),
    "StorageClass": ("parameters", "provisioner"),
    "Secret": ("type",),
}
_REFUSED: dict[str, tuple[str, ...]] = {
    "PersistentVolume": (*_REPLACES["PersistentVolume"], "spec.volumeMode"),
    "PersistentVolumeClaim": ("spec",),
    "Pod": ("spec",),
    "Deployment": ("spec.selector",),
    "DaemonSet": ("spec.selector",),
    "Job": ("spec.completionMode", "spec.completions", "spec.selector", "spec.template"),
    "JobSet": (
        "spec.failurePolicy",
        "spec.managedBy",
        "spec.network",
        "spec.replicatedJobs",
        "spec.startupPolicy",
        "spec.successPolicy",
    ),
    "RoleBinding": ("roleRef",),
    "ClusterRoleBinding": ("roleRef",),
    "StorageClass": ("parameters", "provisioner", "reclaimPolicy", "volumeBindingMode"),
    "PriorityClass": ("value", "preemptionPolicy"),
    "Secret": ("type",),
    "Service": ("spec.clusterIP",),
    "ResourceClaimTemplate": ("spec",),
    "LocalQueue": ("spec.clusterQueue",),
    "AdmissionCheck": ("spec.controllerName",),
    "Topology": ("spec.levels",),
    "RayCluster": ("spec.managedBy",),
    "RayJob": ("spec.managedBy",),
    "ProvisioningRequest": ("spec",),
    # Stricter than the published CRDs: GKE reads both only when it makes the nodes' interfaces.
    "Network": ("spec",),
    "GKENetworkParamSet": ("spec",),
}
_POD_MAY_CHANGE = (
    "spec.activeDeadlineSeconds",
    "spec.containers[*].image",
    "spec.initContainers[*].image",
    "spec.terminationGracePeriodSeconds",
    "spec.tolerations",
)
_TEMPLATE = "spec.replicatedJobs[*].template.spec.template"
# Of a JobSet that is or gets suspended (kubernetes-sigs/jobset pkg/webhooks, v0.12.0).
_SUSPENDED_MAY_CHANGE = (
    f"{_TEMPLATE}.metadata.annotations",
    f"{_TEMPLATE}.metadata.labels",
    f"{_TEMPLATE}.spec.nodeSelector",
    f"{_TEMPLATE}.spec.schedulingGates",
    f"{_TEMPLATE}.spec.tolerations",
)


def replaced_by(
    kind: str,
    old: Mapping[str, Any],
    new: Mapping[str, Any],
    *,
    mutable_secrets: bool = False,
    mutable_config_maps: bool = False,
    unknown: Collection[str] = (),
) -> list[str]:
    """Paths of changed inputs for which Pulumi's provider replaces the object.

    `old` and `new` are both inputs. The provider treats the data of Secrets and ConfigMaps as
    immutable unless its options enableSecretMutable and enableConfigMapMutable say otherwise.
    `unknown` are properties of which nothing is known, as the engine sends them in a cascade of
    replacements: they replace where they hold a field that does (seen, pulumi-kubernetes 4.34).
    """
    rules = [*_IDENTITY, *_REPLACES.get(kind, ())]
    if kind == "Secret" and (not mutable_secrets or new.get("immutable")):
        rules += ["data", "stringData"]
    if kind == "ConfigMap" and (not mutable_config_maps or new.get("immutable")):
        rules += ["data", "binaryData"]
    old, new = _in_namespace(old), _in_namespace(new)
    cascade = [path for path in unknown if paths.holds(path, rules)]
    found = [path for path in paths.differences(old, new) if paths.under(path, rules)]
    return [*found, *(path for path in cascade if path not in found)]


def _in_namespace(manifest: Mapping[str, Any]) -> Mapping[str, Any]:
    metadata = manifest.get("metadata") or {}
    # Of what the engine does not know yet, there is nothing to say.
    if not isinstance(metadata, Mapping):
        return manifest
    # "default" and unset are one namespace; for a cluster-wide kind both sides agree anyway.
    return {
        **manifest,
        "metadata": {**metadata, "namespace": metadata.get("namespace") or "default"},
    }


def refused_changes(kind: str, live: Mapping[str, Any], new: Mapping[str, Any]) -> Iterator[str]:
    """What the API server answers to an update of what it holds immutable."""
    rules = list(_REFUSED.get(kind, ()))
    frozen = bool(live.get("immutable"))
    if kind in ("Secret", "ConfigMap") and frozen:
        rules += ["data", "binaryData", "immutable", "sandboxSecretDigests"]
    held = kind == "JobSet" and any(dig(it, "spec", "suspend") for it in (live, new))
    for path in paths.differences(live, new):
        if not paths.under(path, rules) or _allowed(kind, path):
            continue
        if held and paths.under(path, _SUSPENDED_MAY_CHANGE):
            continue
        shown = path.replace("sandboxSecretDigests", "data")
        yield f"{shown}: field is immutable" + (" when `immutable` is set" if frozen else "")
    if kind == "ResourceFlavor" and dig(live, "spec", "topologyName"):
        for field in ("nodeLabels", "tolerations", "topologyName"):
            if dig(live, "spec", field) != dig(new, "spec", field):
                yield f"spec.{field}: field is immutable when topologyName is set"
    if kind == "PersistentVolumeClaim":
        yield from _shrinks(live, new)


def _allowed(kind: str, path: str) -> bool:
    if kind == "Pod":
        return paths.under(path, _POD_MAY_CHANGE)
    return kind == "PersistentVolumeClaim" and path.startswith("spec.resources")


def _shrinks(live: Mapping[str, Any], new: Mapping[str, Any]) -> Iterator[str]:
    path = ("spec", "resources", "requests", "storage")
    before, after = dig(live, *path), dig(new, *path)
    if quantity.parse(after) < quantity.parse(before):
        yield f"spec.resources.requests.storage: {after} is less than {before}, a claim only grows"
