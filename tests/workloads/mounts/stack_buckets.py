"""The buckets that a stack's pods mount, as its manifests say it to GKE's driver and its sidecar.

Source: GoogleCloudPlatform/gcs-fuse-csi-driver pkg/csi_driver/utils.go and pkg/webhook (commit
5fcdc04a of 2026-08-21): options stand with the volume or with its claim's, annotations limit the
sidecar, and what they leave out is GKE's own.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from catalog import Catalog
from kube import quantity
from kube.objects import annotations_of, dig, maps
from sandbox.gke.pod_webhooks import GCSFUSE_DRIVER
from tests.conftest import ROOT, recorded
from tests.unit.stack_graphs import built
from tests.workloads.mounts.pod_bucket import PodBucket

STACKS = sorted(path.name.split(".")[1] for path in ROOT.glob("Pulumi.*.yaml"))
_MIB = 1 << 20


def buckets_of(stack: str) -> dict[str, PodBucket]:
    """By what mounts them."""
    made = built(recorded, stack, keys=("hugging_face_token",))
    manifests = [it.inputs for it in made.resources if "apiVersion" in it.inputs]
    claimed = {
        dig(it, "spec", "claimRef", "name"): it["spec"]
        for it in manifests
        if it["kind"] == "PersistentVolume"
    }
    real = {
        it.inputs["name"]: bool(dig(it.inputs, "hierarchicalNamespace", "enabled"))
        for it in made.of_type(":Bucket")
    }
    found: dict[str, PodBucket] = {}
    for manifest in manifests:
        owner = f"{manifest['kind']} {manifest['metadata']['name']}"
        for path, template in _pod_templates(manifest, owner):
            for volume in maps(template["spec"].get("volumes")):
                behind = claimed.get(dig(volume, "persistentVolumeClaim", "claimName"), {})
                csi = volume.get("csi") or behind.get("csi") or {}
                if csi.get("driver") == GCSFUSE_DRIVER:
                    attributes: Mapping[str, str] = csi["volumeAttributes"]
                    inline = attributes.get("mountOptions", "").split(",")
                    options = *behind.get("mountOptions", ()), *filter(None, inline)
                    folders = real[attributes.get("bucketName") or csi["volumeHandle"]]
                    limits = _limits(annotations_of(template))
                    found[f"{path} {volume['name']}"] = PodBucket(options, folders, *limits)
    return found


def _pod_templates(node: Any, path: str) -> Iterator[tuple[str, Mapping[str, Any]]]:
    if isinstance(node, Mapping):
        if dig(node, "spec", "containers"):
            yield path, node
        for key, inner in node.items():
            yield from _pod_templates(inner, f"{path}.{key}")
    elif isinstance(node, list):
        for index, inner in enumerate(node):
            yield from _pod_templates(inner, f"{path}[{index}]")


def _limits(annotations: Mapping[str, str]) -> Iterator[int | None]:
    usual = Catalog.load().gcsfuse_sidecar
    own = {"memory": usual.memory_mib, "ephemeral-storage": usual.ephemeral_storage_mib}
    for name, mib in own.items():
        given = annotations.get(f"gke-gcsfuse/{name}-limit")
        yield mib if given is None else int(quantity.parse(given) // _MIB) or None
