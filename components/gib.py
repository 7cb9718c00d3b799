"""gIB, Google's NCCL network plugin for RDMA: where it lies on a node, and how pods see it. Pure.

Paths: GoogleCloudPlatform/container-engine-accelerators, gpudirect-rdma.
"""

from typing import Any

NODE_DRIVER_DIR = "/home/kubernetes/bin/nvidia"
NODE_GIB_DIR = "/home/kubernetes/bin/gib"
POD_DRIVER_DIR = "/usr/local/nvidia"
POD_GIB_DIR = "/usr/local/gib"
# The installer puts the plugin's libraries beside the driver's.
LIBRARY_PATH = f"{POD_DRIVER_DIR}/lib64"


def gib_volumes() -> list[dict[str, Any]]:
    return [
        {"name": "nvidia", "hostPath": {"path": NODE_DRIVER_DIR}},
        {"name": "gib", "hostPath": {"path": NODE_GIB_DIR}},
    ]


def gib_mounts() -> list[dict[str, Any]]:
    """Read-only: other pods of the node have the same files."""
    return [
        {"name": "nvidia", "mountPath": POD_DRIVER_DIR, "readOnly": True},
        {"name": "gib", "mountPath": POD_GIB_DIR, "readOnly": True},
    ]


def wait_for_gib() -> list[str]:
    """A command that ends once the installer has put the plugin on this node."""
    files = (
        f"{POD_GIB_DIR}/lib64/libnccl-net_internal.so",
        f"{POD_GIB_DIR}/configs",
        f"{POD_GIB_DIR}/scripts/set_nccl_env.sh",
    )
    there = " && ".join(f"[ -e {file} ]" for file in files)
    return ["bash", "-c", f"until {there}; do sleep 2; done"]
