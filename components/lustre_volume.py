"""A Managed Lustre instance as a volume and a claim on it. The instance outlives both."""

from dataclasses import dataclass

import pulumi
import pulumi_gcp as gcp
import pulumi_kubernetes as k8s

from components.lifecycle import fixed_name
from components.naming import NameKind, cloud_name

_DRIVER = "lustre.csi.storage.gke.io"
_ACCESS = ["ReadWriteMany"]


@dataclass(frozen=True, kw_only=True)
class LustreMount:
    """What is under a mounted file system.

    A claim cannot go while pods mount it. So whatever mounts it is replaced with any of these, or
    the replacement would wait for pods that nobody takes away.
    """

    instance: gcp.lustre.Instance
    volume: k8s.core.v1.PersistentVolume
    claim: k8s.core.v1.PersistentVolumeClaim

    def resources(self) -> list[pulumi.Resource]:
        return [self.instance, self.volume, self.claim]


@dataclass(frozen=True, kw_only=True)
class LustreVolumeArgs:
    """All but the names come from the instance's own outputs, so they cannot drift from it."""

    instance: gcp.lustre.Instance
    namespace: pulumi.Input[str]
    base_name: str
    handle: pulumi.Input[str]
    address: pulumi.Input[str]
    filesystem: pulumi.Input[str]
    capacity_gib: pulumi.Input[str]
    labels: pulumi.Input[dict[str, str]]


class LustreVolume(pulumi.ComponentResource):
    mount: LustreMount

    def __init__(
        self, name: str, args: LustreVolumeArgs, opts: pulumi.ResourceOptions | None = None
    ) -> None:
        super().__init__("gke-ai-stacks:lustre_volume:LustreVolume", name, None, opts)
        claim_name = cloud_name(NameKind.KUBERNETES, args.base_name, "pvc")
        capacity = {"storage": pulumi.Output.concat(args.capacity_gib, "Gi")}
        volume = k8s.core.v1.PersistentVolume(
            f"{name}-volume",
            metadata={
                "name": cloud_name(NameKind.KUBERNETES, args.base_name, "pv"),
                "labels": args.labels,
            },
            spec={
                "capacity": capacity,
                "access_modes": _ACCESS,
                "persistent_volume_reclaim_policy": "Retain",
                "volume_mode": "Filesystem",
                "storage_class_name": "",
                "claim_ref": {"namespace": args.namespace, "name": claim_name},
                "csi": {
                    "driver": _DRIVER,
                    "volume_handle": args.handle,
                    "volume_attributes": {"ip": args.address, "filesystem": args.filesystem},
                },
            },
            # A volume with another claim or another instance behind it is another volume. A
            # retained volume whose claim was made anew stays Released and is never bound again,
            # so both are replaced together.
            opts=fixed_name(self, replace_on_changes=["spec"]),
        )
        claim = k8s.core.v1.PersistentVolumeClaim(
            f"{name}-claim",
            metadata={"name": claim_name, "namespace": args.namespace, "labels": args.labels},
            spec={
                "access_modes": _ACCESS,
                "storage_class_name": "",
                "volume_name": volume.metadata.apply(lambda meta: meta.name or ""),
                "resources": {"requests": capacity},
            },
            # Kubernetes lets only dynamically provisioned claims grow.
            opts=fixed_name(self, replace_on_changes=["spec"]),
        )
        self.mount = LustreMount(instance=args.instance, volume=volume, claim=claim)
        self.register_outputs({"volume": volume, "claim": claim})
