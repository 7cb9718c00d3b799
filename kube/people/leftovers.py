"""What an object has in Google Cloud, which may stay there when a cluster goes before the object.

GKE tries to delete load balancers and persistent disks with a cluster and does not promise to
(gcloud reference, `gcloud container clusters delete`, read 2026-11-26). Standalone network endpoint
groups stay where their controller ends first, or where a backend service names them (GKE
documentation, "Container-native load balancing through standalone zonal NEGs", read 2026-11-26).
Snapshots, service attachments and certificates are deleted by controllers that end with the
cluster. Config Connector deletes what its objects stand for when these are deleted, by its
finalizer (GoogleCloudPlatform/k8s-config-connector).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from kube.kinds import (
    CLAIM,
    GATEWAY,
    INGRESS,
    MANAGED_CERTIFICATE,
    PERSISTENT_VOLUME,
    SERVICE,
    SERVICE_ATTACHMENT,
    VOLUME_SNAPSHOT,
    Kind,
)
from kube.objects import JsonObject, annotations_of, dig
from kube.reading import document

CONFIG_CONNECTOR = ".cnrm.cloud.google.com"
_NEG = "cloud.google.com/neg"
# Of a volume that a driver made for a claim (kubernetes-csi/external-provisioner
# pkg/controller/controller.go).
_PROVISIONED = "pv.kubernetes.io/provisioned-by"
_IN_TREE = "kubernetes.io/gce-pd"
# Drivers of GKE, and what each makes for a claim.
_MADE = {
    _IN_TREE: "disk",
    "pd.csi.storage.gke.io": "disk",
    "filestore.csi.storage.gke.io": "Filestore instance",
    "lustre.csi.storage.gke.io": "Lustre instance",
    "parallelstore.csi.storage.gke.io": "Parallelstore instance",
}
_DISKS = (_IN_TREE, "pd.csi.storage.gke.io")
_BY_KIND: Mapping[Kind, str] = {
    INGRESS: "load balancer",
    GATEWAY: "load balancer",
    VOLUME_SNAPSHOT: "snapshot",
    SERVICE_ATTACHMENT: "service attachment",
    MANAGED_CERTIFICATE: "certificate",
}


@dataclass(frozen=True)
class Leftover:
    """`what` is in Google Cloud; with `retained` it stays even where the object goes in order."""

    what: str
    retained: bool = False

    @property
    def sentence(self) -> str:
        return f"its {self.what} {'stays' if self.retained else 'may stay'} in Google Cloud"


def leftover_of(kind: Kind, obj: JsonObject, volume: JsonObject | None = None) -> Leftover | None:
    """`volume` is the PersistentVolume of a claim."""
    if kind == SERVICE:
        return _of_service(obj)
    if kind == PERSISTENT_VOLUME:
        return _of_volume(obj)
    if kind == CLAIM:
        return None if volume is None else _of_volume(volume)
    what = _BY_KIND.get(kind)
    if what is None and kind.api_version.partition("/")[0].endswith(CONFIG_CONNECTOR):
        what = "resource"
    return None if what is None else Leftover(what)


def _of_service(service: JsonObject) -> Leftover | None:
    if dig(service, "spec", "type") == "LoadBalancer":
        return Leftover("load balancer")
    return Leftover("network endpoint groups") if _has_standalone_groups(service) else None


def _has_standalone_groups(service: JsonObject) -> bool:
    """Those of an Ingress go with the Ingress."""
    return bool(dig(document(annotations_of(service).get(_NEG) or "{}"), "exposed_ports"))


def _of_volume(volume: JsonObject) -> Leftover | None:
    """A volume on what somebody else made, as a stack's bucket is, leaves nothing of its own."""
    spec = volume.get("spec") or {}
    driver = str(dig(spec, "csi", "driver") or _IN_TREE)
    handle = str(dig(spec, "csi", "volumeHandle") or dig(spec, "gcePersistentDisk", "pdName") or "")
    own = driver in _DISKS or _PROVISIONED in annotations_of(volume)
    if not (handle and own and driver in _MADE):
        return None
    name = handle.rpartition("/disks/")[2]
    return Leftover(
        f"{_MADE[driver]} {name}", spec.get("persistentVolumeReclaimPolicy") != "Delete"
    )
