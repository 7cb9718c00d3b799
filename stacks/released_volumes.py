"""A volume whose claim is gone is made anew, for no other claim is ever bound to it: a destroy was
ended halfway, or had the claim as its target. So is one whose Lustre instance is gone: the next one
may have the address of the last, and what mounts it would go on with a file system that is not
there.

A retained volume stays Released (Kubernetes documentation, "Persistent Volumes", section "Retain":
"not yet available for another claim"): the binder takes a claim for a volume's own only where the
uid in `claimRef` is that claim's (kubernetes/kubernetes
pkg/controller/volume/persistentvolume/pv_controller.go, syncVolume, v1.35.4).
"""

from typing import Any

import pulumi

from stacks.by_hand import without_its_claim
from stacks.on_record import Record, Recorded
from stacks.refusal import LUSTRE

_TYPE = "kubernetes:core/v1:PersistentVolume"
_INSTANCE = "gke-ai:index:LustreInstance"
_TIMES = "gke-ai-stacks/claims"


def install(record: Record) -> None:
    """Another number is another volume. It stays on the object, or the next run would make one
    more."""

    def pair(
        args: pulumi.ResourceTransformationArgs,
    ) -> pulumi.ResourceTransformationResult | None:
        volume = record.get(args.type_, args.name) if args.type_ == _TYPE else None
        number = 0 if volume is None else _times(volume) + _is_released(record, volume)
        if not number:
            return None
        metadata: Any = args.props["metadata"]
        annotations = {**(metadata.get("annotations") or {}), _TIMES: str(number)}
        options = pulumi.ResourceOptions.merge(
            args.opts,
            pulumi.ResourceOptions(replace_on_changes=["metadata.annotations"]),
        )
        props = {**args.props, "metadata": {**metadata, "annotations": annotations}}
        return pulumi.ResourceTransformationResult(props, options)

    pulumi.runtime.register_stack_transformation(pair)


def _is_released(record: Record, volume: Recorded) -> bool:
    return without_its_claim(record, volume) or without_its_instance(record, volume)


def without_its_instance(record: Record, volume: Recorded) -> bool:
    """Whether the stack has made the instance behind the volume, and has it on record no more."""
    csi = (volume.outputs.get("spec") or {}).get("csi") or {}
    handle = csi.get("volumeHandle")
    made = any(handle == it.outputs.get("handle") for it in record.of_type(_INSTANCE))
    return handle is not None and made and not record.of_type(LUSTRE)


def _times(volume: Recorded) -> int:
    annotations = (volume.outputs.get("metadata") or {}).get("annotations") or {}
    return int(annotations.get(_TIMES, 0))
