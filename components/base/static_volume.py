"""Storage that exists already as a volume and a claim on it. The storage outlives both."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import pulumi
import pulumi_kubernetes as k8s

from .lifecycle import fixed_name, object_name
from .naming import NameKind, cloud_name

_ACCESS = ["ReadWriteMany"]
BOUND = "bound"


@dataclass(frozen=True, kw_only=True)
class VolumeMount:
    """What is under a mounted file system: the storage itself, the volume and the claim.

    A claim cannot go while pods mount it. So whatever mounts it is replaced with any of these, or
    the replacement would wait for pods that nobody takes away. `backing` is what of the stack the
    storage stands on: the Lustre instance and its range, or the bucket.
    """

    backing: Sequence[pulumi.Resource]
    volume: k8s.core.v1.PersistentVolume
    claim: k8s.core.v1.PersistentVolumeClaim

    @property
    def claim_name(self) -> pulumi.Output[str]:
        """Known once the claim is bound."""
        return object_name(self.claim)

    def resources(self) -> list[pulumi.Resource]:
        return [*self.backing, self.volume, self.claim]

    def as_outputs(self) -> dict[str, Any]:
        """What a component has of it. `bound` is the volume's uid, once a claim was made for it: no
        other claim is ever bound to that volume."""
        uid = self.volume.metadata.apply(lambda meta: meta.uid)
        bound = pulumi.Output.all(uid, self.claim.id).apply(lambda both: both[0])
        return {"volume": self.volume, "claim": self.claim, BOUND: bound}


@dataclass(frozen=True, kw_only=True)
class StaticVolume:
    """A volume and its claim; `base_name` is what both names start with."""

    namespace: pulumi.Input[str]
    base_name: str
    capacity: pulumi.Input[str]
    csi: k8s.core.v1.CSIPersistentVolumeSourceArgsDict
    labels: pulumi.Input[dict[str, str]]
    storage_class: str = ""
    mount_options: Sequence[str] = ()


def static_volume(
    parent: pulumi.Resource, name: str, backing: Sequence[pulumi.Resource], wanted: StaticVolume
) -> VolumeMount:
    """The volume and the claim as children of `parent`, bound to each other alone."""
    claim_name = cloud_name(NameKind.KUBERNETES, wanted.base_name, "pvc")
    capacity = {"storage": wanted.capacity}
    spec: k8s.core.v1.PersistentVolumeSpecArgsDict = {
        "capacity": capacity,
        "access_modes": _ACCESS,
        "persistent_volume_reclaim_policy": "Retain",
        "volume_mode": "Filesystem",
        "claim_ref": {"namespace": wanted.namespace, "name": claim_name},
        "csi": wanted.csi,
    }
    # The API server does not keep an empty one, and a refresh would find a difference for ever.
    if wanted.storage_class:
        spec["storage_class_name"] = wanted.storage_class
    if wanted.mount_options:
        spec["mount_options"] = list(wanted.mount_options)
    volume = k8s.core.v1.PersistentVolume(
        f"{name}-volume",
        metadata={
            "name": cloud_name(NameKind.KUBERNETES, wanted.base_name, "pv"),
            "labels": wanted.labels,
        },
        spec=spec,
        # A volume with another claim or other storage behind it is another volume. A retained
        # volume whose claim was made anew stays Released and is never bound again, so both are
        # replaced together.
        opts=fixed_name(parent, replace_on_changes=["spec"]),
    )
    claim = k8s.core.v1.PersistentVolumeClaim(
        f"{name}-claim",
        metadata={"name": claim_name, "namespace": wanted.namespace, "labels": wanted.labels},
        spec={
            "access_modes": _ACCESS,
            "storage_class_name": wanted.storage_class,
            "volume_name": volume.metadata.apply(lambda meta: meta.name or ""),
            "resources": {"requests": capacity},
        },
        # Kubernetes lets only dynamically provisioned claims grow.
        opts=fixed_name(parent, replace_on_changes=["spec"]),
    )
    return VolumeMount(backing=backing, volume=volume, claim=claim)
