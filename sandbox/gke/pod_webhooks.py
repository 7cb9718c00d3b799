"""GKE's own admission webhooks for pods: additional networks, the Cloud Storage FUSE sidecar and
the machines of a provisioning request.

Source of the sidecar: GoogleCloudPlatform/gcs-fuse-csi-driver pkg/webhook, 5fcdc04a. The webhook
for networks is not published; its annotations are (GoogleCloudPlatform/gke-networking-api
apis/network/v1/annotations.go:109, v0.2.11), and it asks for the resources that GKE's nodes offer.
Left out: the sidecar's own volumes, for nothing mounts in a simulated pod.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from kube import quantity
from kube.errors import KubeError
from kube.objects import JsonObject, annotations_of, dig, maps, namespace_of
from kube.pod_networks import INTERFACES, interfaces_of, networks_of
from sandbox.gke.queued_machines import with_request
from sandbox.gke.tpu_webhook import tolerating_tpus
from sandbox.kube.store import Store

NETWORK_RESOURCE = "networking.gke.io.networks/"
DEFAULT_INTERFACE = "networking.gke.io/default-interface"
_NETWORKS_WEBHOOK = "networking.gke.io"

GCSFUSE = "gke-gcsfuse/volumes"
GCSFUSE_DRIVER = "gcsfuse.csi.storage.gke.io"
_GCSFUSE_WEBHOOK = "gcsfuse-sidecar-injector.csi.storage.gke.io"
_PREFETCH_ATTRIBUTE = "gcsfuseMetadataPrefetchOnMount"


@dataclass(frozen=True)
class _Sidecar:
    """A container that the webhook adds; `defaults` are each resource's request and limit."""

    name: str
    prefix: str
    defaults: Mapping[str, tuple[str, str]]

    def annotations(self) -> list[str]:
        return [f"{self.prefix}{name}-{kind}" for name in self.defaults for kind in _KINDS]

    def container(self, annotations: Mapping[str, str]) -> JsonObject:
        requests: dict[str, str] = {}
        limits: dict[str, str] = {}
        for name, default in self.defaults.items():
            request, limit = (annotations.get(f"{self.prefix}{name}-{kind}") for kind in _KINDS)
            if request is None and limit is None:
                request, limit = default
            elif request is None:
                # No limit, written as 0, leaves the usual request.
                request = limit if limit and quantity.parse(limit) else default[0]
            for amounts, amount in ((requests, request), (limits, limit or request)):
                if amount is not None and quantity.parse(amount):
                    amounts[name] = amount
        return {
            "name": self.name,
            "restartPolicy": "Always",
            "env": [{"name": "NATIVE_SIDECAR", "value": "TRUE"}],
            "resources": {"requests": requests, "limits": limits},
        }


_KINDS = ("request", "limit")
_SIDECAR = _Sidecar(
    "gke-gcsfuse-sidecar",
    "gke-gcsfuse/",
    {
        "cpu": ("250m", "250m"),
        "memory": ("256Mi", "256Mi"),
        "ephemeral-storage": ("5Gi", "5Gi"),
    },
)
_PREFETCH = _Sidecar(
    "gke-gcsfuse-metadata-prefetch",
    "gke-gcsfuse/metadata-prefetch-",
    {
        "cpu": ("10m", "50m"),
        "memory": ("10Mi", "250Mi"),
        "ephemeral-storage": ("10Mi", "0"),
    },
)


def denial(pod: Mapping[str, Any]) -> str:
    """Why a webhook refuses a pod; empty when none does."""
    annotations = annotations_of(pod)
    for webhook, problems in (
        (_NETWORKS_WEBHOOK, _interface_problems(annotations)),
        (_GCSFUSE_WEBHOOK, _sidecar_problems(annotations)),
    ):
        if problem := next(problems, ""):
            return f'admission webhook "{webhook}" denied the request: {problem}'
    return ""


def mutated(store: Store, pod: Mapping[str, Any]) -> JsonObject:
    """The pod as the webhooks leave it; one that they refuse is left as it is."""
    spec = dict(pod["spec"])
    annotations = annotations_of(pod)
    if not denial(pod):
        spec = _with_networks(store, spec, networks_of(annotations))
        if annotations.get(GCSFUSE, "").lower() == "true":
            spec = _with_sidecars(store, pod, spec)
    return {**pod, "spec": tolerating_tpus(with_request(store, pod, spec))}


def gcsfuse_volumes(store: Store, pod: Mapping[str, Any]) -> Iterator[tuple[str, JsonObject]]:
    """The buckets that a pod mounts: the kubelet's name of the volume, and its csi source."""
    for volume in maps(pod["spec"].get("volumes")):
        name, csi = volume["name"], volume.get("csi")
        if claim := dig(volume, "persistentVolumeClaim", "claimName"):
            bound = store.get("v1", "PersistentVolumeClaim", namespace_of(pod), claim)
            name = dig(bound, "spec", "volumeName") or ""
            csi = dig(store.get("v1", "PersistentVolume", "", name), "spec", "csi")
        if csi and csi.get("driver") == GCSFUSE_DRIVER:
            yield name, csi


def mount_options(store: Store, pod: Mapping[str, Any]) -> Iterator[tuple[str, list[str]]]:
    """The same volumes with what Cloud Storage FUSE is told."""
    for name, csi in gcsfuse_volumes(store, pod):
        volume = store.get("v1", "PersistentVolume", "", name)
        inline = str(dig(csi, "volumeAttributes", "mountOptions") or "")
        yield name, [*(dig(volume, "spec", "mountOptions") or ()), *inline.split(",")]


def has_sidecar(pod: Mapping[str, Any]) -> bool:
    spec = pod["spec"]
    containers = maps(spec.get("initContainers")) + maps(spec.get("containers"))
    return any(container.get("name") == _SIDECAR.name for container in containers)


def _interface_problems(annotations: Mapping[str, str]) -> Iterator[str]:
    interfaces = interfaces_of(annotations)
    if interfaces is None:
        yield f"{INTERFACES}: is not a JSON list of objects with interfaceName and network"
        return
    names: list[object] = []
    for index, item in enumerate(interfaces):
        at = f"{INTERFACES}[{index}]"
        for field in ("interfaceName", "network"):
            if not isinstance(item.get(field), str) or not item[field]:
                yield f"{at}.{field}: required value"
        if item.get("interfaceName") in names:
            yield f'{at}.interfaceName: duplicate value "{item["interfaceName"]}"'
        names.append(item.get("interfaceName"))
    default = annotations.get(DEFAULT_INTERFACE)
    if default is not None and default not in names:
        yield f'{DEFAULT_INTERFACE}: "{default}" is none of the interfaces in {INTERFACES}'


def _with_networks(store: Store, spec: JsonObject, networks: list[str]) -> JsonObject:
    wanted: dict[str, int] = {}
    for name in networks:
        # A network that is not there has an address on no node, so nobody starts without it.
        network = store.get("networking.gke.io/v1", "Network", "", name)
        kinds = ("", ".IP") if dig(network, "spec", "type") == "Device" else (".IP",)
        for kind in kinds:
            resource = f"{NETWORK_RESOURCE}{name}{kind}"
            wanted[resource] = wanted.get(resource, 0) + 1
    containers = maps(spec.get("containers"))
    asked = {name for container in containers for name in _limits(container)}
    missing = {name: str(count) for name, count in wanted.items() if name not in asked}
    if not missing:
        return spec
    first, *others = containers
    resources = first.get("resources") or {}
    limits = {**_limits(first), **missing}
    return spec | {"containers": [{**first, "resources": {**resources, "limits": limits}}, *others]}


def _limits(container: Mapping[str, Any]) -> dict[str, Any]:
    return (container.get("resources") or {}).get("limits") or {}


def _sidecar_problems(annotations: Mapping[str, str]) -> Iterator[str]:
    if annotations.get(GCSFUSE, "false") not in ("True", "true", "False", "false"):
        yield f"the acceptable values for \"{GCSFUSE}\" are 'True', 'true', 'false' or 'False'"
        return
    for sidecar in (_SIDECAR, _PREFETCH):
        for key in sidecar.annotations():
            try:
                quantity.parse(annotations.get(key, "0"))
            except KubeError as error:
                yield (
                    "failed to parse sidecar container resource allocation from pod annotations: "
                    f"{key}: {error.message}"
                )


def _with_sidecars(store: Store, pod: Mapping[str, Any], spec: JsonObject) -> JsonObject:
    attributes = [csi.get("volumeAttributes") or {} for _, csi in gcsfuse_volumes(store, pod)]
    prefetches = any(each.get(_PREFETCH_ATTRIBUTE) in ("True", "true") for each in attributes)
    added = [_SIDECAR, _PREFETCH] if prefetches else [_SIDECAR]
    # A sidecar of the user's own only names another image for this one.
    names = [sidecar.name for sidecar in added]
    kept = {
        field: [each for each in maps(spec.get(field)) if each.get("name") not in names]
        for field in ("initContainers", "containers")
    }
    made = [sidecar.container(annotations_of(pod)) for sidecar in added]
    return spec | {**kept, "initContainers": [*made, *kept["initContainers"]]}
