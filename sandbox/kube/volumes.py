"""PersistentVolumes and claims: what fits what, why a claim waits, and what is in use.

Source: kubernetes/kubernetes pkg/controller/volume/persistentvolume/pv_controller.go:271-298, :308,
:381 and :469, v1.35.4.
"""

from collections.abc import Iterator, Mapping
from fractions import Fraction
from typing import Any

from kube import quantity
from kube.objects import (
    JsonObject,
    dig,
    labels_of,
    maps,
    matches_labels,
    name_of,
    namespace_of,
)
from sandbox.kube.store import Store

_PROVISIONED_BY = "pv.kubernetes.io/provisioned-by"


def bind_volumes(store: Store) -> None:
    for claim in store.all("PersistentVolumeClaim"):
        if dig(claim, "status", "phase") == "Bound":
            continue
        volume = _choice(store, claim)
        if volume is None:
            store.patch(claim, status={"phase": "Pending"})
        else:
            _bind(store, claim, volume)
    for volume in store.all("PersistentVolume"):
        _settle(store, volume)


def waits_because(store: Store, claim: Mapping[str, Any]) -> str:
    """Why a claim is Pending; empty when it is Bound."""
    if dig(claim, "status", "phase") == "Bound":
        return ""
    spec = claim["spec"]
    if wanted := spec.get("volumeName"):
        volume = store.get("v1", "PersistentVolume", "", wanted)
        if volume is None:
            return f'persistentvolume "{wanted}" not found'
        return _mismatch(volume, claim)
    class_name = spec.get("storageClassName") or ""
    mode = store.binding_mode(class_name)
    if mode == "WaitForFirstConsumer":
        return "waiting for first consumer to be created before binding"
    if class_name and mode is None:
        return f'storageclass.storage.k8s.io "{class_name}" not found'
    return "no persistent volumes available for this claim and no storage class is set"


def _choice(store: Store, claim: JsonObject) -> JsonObject | None:
    spec = claim["spec"]
    if wanted := spec.get("volumeName"):
        volume = store.get("v1", "PersistentVolume", "", wanted)
        return volume if volume is not None and not _mismatch(volume, claim) else None
    volumes = store.all("PersistentVolume")
    fitting = [volume for volume in volumes if not _mismatch(volume, claim)]
    # A volume reserved for this claim first, then the smallest, as the binder does.
    fitting.sort(key=lambda pv: (dig(pv, "spec", "claimRef") is None, _capacity(pv), name_of(pv)))
    if fitting:
        return fitting[0]
    mode = store.binding_mode(spec.get("storageClassName") or "")
    if mode == "Immediate" or (mode == "WaitForFirstConsumer" and _wanted_by_pod(store, claim)):
        return _provision(store, claim)
    return None


def _mismatch(volume: Mapping[str, Any], claim: Mapping[str, Any]) -> str:
    pv, pvc, name = volume["spec"], claim["spec"], name_of(volume)
    reference = pv.get("claimRef")
    if reference and not _refers_to(reference, claim):
        if _is_named(reference, claim):
            return f'volume "{name}" is still held by an earlier claim of this name (Released)'
        return f'volume "{name}" already bound to a different claim.'
    storage = dig(pvc, "resources", "requests", "storage")
    request, why = quantity.parse(storage), ""
    modes = [mode for mode in pvc["accessModes"] if mode not in pv["accessModes"]]
    # Kubernetes itself looks at no size where volume and claim name each other; nobody wants less
    # than was asked for.
    if _capacity(volume) < request:
        why = f"requested PV is too small: {pv['capacity']['storage']} for a claim of {storage}"
    elif (pv.get("storageClassName") or "") != (pvc.get("storageClassName") or ""):
        has, wants = pv.get("storageClassName") or "", pvc.get("storageClassName") or ""
        why = f'storageClassName does not match: "{has}" for a claim of "{wants}"'
    elif modes:
        why = "incompatible accessMode: the volume lacks " + ", ".join(modes)
    elif pv.get("volumeMode") != pvc.get("volumeMode"):
        why = "incompatible volumeMode"
    elif pvc.get("selector") and not matches_labels(pvc["selector"], labels_of(volume)):
        why = "labels do not match the claim's selector"
    return f'Cannot bind to requested volume "{name}": {why}' if why else ""


def _is_named(reference: Mapping[str, Any], claim: Mapping[str, Any]) -> bool:
    return reference.get("name") == name_of(claim) and reference.get("namespace") == namespace_of(
        claim
    )


def _refers_to(reference: Mapping[str, Any], claim: Mapping[str, Any]) -> bool:
    uid = reference.get("uid")
    return _is_named(reference, claim) and uid in (None, "", claim["metadata"]["uid"])


def _capacity(volume: Mapping[str, Any]) -> Fraction:
    return quantity.parse(dig(volume, "spec", "capacity", "storage"))


def _bind(store: Store, claim: JsonObject, volume: JsonObject) -> None:
    reference = {
        **(volume["spec"].get("claimRef") or {}),
        "apiVersion": "v1",
        "kind": "PersistentVolumeClaim",
        "namespace": namespace_of(claim),
        "name": name_of(claim),
        "uid": claim["metadata"]["uid"],
    }
    store.patch(volume, spec={**volume["spec"], "claimRef": reference})
    status = {
        "phase": "Bound",
        "accessModes": volume["spec"]["accessModes"],
        "capacity": volume["spec"]["capacity"],
    }
    store.patch(claim, spec={**claim["spec"], "volumeName": name_of(volume)}, status=status)


def _settle(store: Store, volume: JsonObject) -> None:
    holder, reference = claim_of(store, volume), volume["spec"].get("claimRef") or {}
    free = "Released" if reference.get("uid") else "Available"
    phase = "Bound" if holder is not None else free
    store.patch(volume, status={"phase": phase})


def claim_of(store: Store, volume: Mapping[str, Any]) -> JsonObject | None:
    """The claim that a volume is bound to."""
    reference = volume["spec"].get("claimRef") or {}
    if not reference.get("uid"):
        return None
    namespace, name = reference.get("namespace") or "", reference.get("name") or ""
    claim = store.get("v1", "PersistentVolumeClaim", namespace, name)
    return claim if claim and claim["metadata"]["uid"] == reference["uid"] else None


def claim_names(pod_spec: Mapping[str, Any]) -> list[str]:
    volumes = maps(pod_spec.get("volumes"))
    names = [dig(volume, "persistentVolumeClaim", "claimName") for volume in volumes]
    return [name for name in names if name]


def pods_using(store: Store, claim: Mapping[str, Any]) -> list[JsonObject]:
    return [
        pod
        for pod in store.all("Pod")
        if namespace_of(pod) == namespace_of(claim) and name_of(claim) in claim_names(pod["spec"])
    ]


def _wanted_by_pod(store: Store, claim: JsonObject) -> bool:
    return bool(pods_using(store, claim))


def _provision(store: Store, claim: JsonObject) -> JsonObject:
    class_name = claim["spec"]["storageClassName"]
    made = store.get("storage.k8s.io/v1", "StorageClass", "", class_name) or {}
    provisioner = made.get("provisioner") or "pd.csi.storage.gke.io"
    policy = made.get("reclaimPolicy") or "Delete"
    name = f"pvc-{claim['metadata']['uid']}"
    manifest = {
        "apiVersion": "v1",
        "kind": "PersistentVolume",
        "metadata": {"name": name, "annotations": {_PROVISIONED_BY: provisioner}},
        "spec": {
            "accessModes": claim["spec"]["accessModes"],
            "capacity": {"storage": dig(claim, "spec", "resources", "requests", "storage")},
            "csi": {"driver": provisioner, "volumeHandle": name},
            "persistentVolumeReclaimPolicy": policy,
            "storageClassName": class_name,
            "volumeMode": claim["spec"]["volumeMode"],
        },
    }
    return store.add(manifest, owner=claim if policy == "Delete" else None)


def unmountable(store: Store, pod: Mapping[str, Any]) -> Iterator[str]:
    """What a kubelet says of bound volumes whose storage does not answer (kubernetes/kubernetes
    pkg/volume/util/operationexecutor/operation_generator.go:553, v1.35.4)."""
    for name in claim_names(pod["spec"]):
        claim = store.get("v1", "PersistentVolumeClaim", namespace_of(pod), name)
        volume_name = dig(claim, "spec", "volumeName") if claim else None
        volume = store.get("v1", "PersistentVolume", "", volume_name) if volume_name else None
        csi = dig(volume, "spec", "csi") if volume else None
        if csi and store.mounts and (why := store.mounts(csi)):
            yield f'MountVolume.MountDevice failed for volume "{volume_name}" : rpc error: {why}'
