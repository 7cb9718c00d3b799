"""Secondary boot disks of node pools: made of disk images, and read by image streaming.

Rules: GKE documentation, "Use secondary boot disks to preload data or container images". What GKE
says where it refuses was not found: the words are ours.
"""

from __future__ import annotations

from components.pools.node_config import IMAGE_CACHE
from sandbox.cloud.resource import Inputs
from sandbox.cloud.view import View
from sandbox.errors import CloudError


def check_secondary_disks(node: Inputs, project: str, cloud: View) -> None:
    """`project` is the cluster's, which an image that names none is of."""
    for disk in node.get("secondaryBootDisks") or []:
        path = str(disk["diskImage"])
        whole = path if path.startswith("projects/") else f"projects/{project}/{path}"
        if cloud.get(whole) is None:
            raise CloudError("NOT_FOUND", f"the disk image {whole} was not found")
        # terraform-google-modules/terraform-google-kubernetes-engine pull request 2580.
        if disk.get("mode") == IMAGE_CACHE and not streams(node):
            raise CloudError(
                "INVALID_ARGUMENT",
                f"a secondary boot disk of mode {IMAGE_CACHE} needs image streaming on its nodes",
            )


def streams(node: Inputs) -> bool:
    """Whether nodes with this config start containers while their image still comes."""
    return bool((node.get("gcfsConfig") or {}).get("enabled"))
