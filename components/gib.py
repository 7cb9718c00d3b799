"""gIB, Google's NCCL network plugin for RDMA: where it lies on a node, how pods see it, and what
NCCL is told of it. Pure.

Paths: GoogleCloudPlatform/container-engine-accelerators, gpudirect-rdma. Google asks every process
to have sourced the plugin's own set_nccl_env.sh (AI Hypercomputer documentation, "Optimize cluster
networking by using NCCL/gIB", read 2026-11-24), and many have no shell that could: KubeRay writes
the command that starts Ray's. So a pod does it once, before its container starts, and NCCL reads
the result as its file of settings, whose lines give way to a process's own variables (NVIDIA/nccl
src/misc/param.cc, setEnvFile: setenv with overwrite 0).
"""

from collections.abc import Mapping
from typing import Any

NODE_DRIVER_DIR = "/home/kubernetes/bin/nvidia"
NODE_GIB_DIR = "/home/kubernetes/bin/gib"
POD_DRIVER_DIR = "/usr/local/nvidia"
POD_GIB_DIR = "/usr/local/gib"
# The installer puts the plugin's libraries beside the driver's.
LIBRARY_PATH = f"{POD_DRIVER_DIR}/lib64"
_SETTINGS = "nccl-settings"
# Of every release of NCCL; NCCL_CONF_FILE is of 2.23 and newer (NCCL's user guide, env.html).
_SETTINGS_FILE = "/etc/nccl.conf"
_WRITTEN_IN = "/run/nccl"
_WRITTEN = "nccl.conf"


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


def nccl_volumes() -> list[tuple[dict[str, Any], dict[str, Any]]]:
    """Volumes with their mounts of a container whose NCCL uses the plugin, once `nccl_container`
    has ended."""
    settings = {"name": _SETTINGS, "mountPath": _SETTINGS_FILE, "subPath": _WRITTEN}
    return [
        *zip(gib_volumes(), gib_mounts(), strict=True),
        ({"name": _SETTINGS, "emptyDir": {}}, {**settings, "readOnly": True}),
    ]


def nccl_container(image: str, settings: Mapping[str, str]) -> dict[str, Any]:
    """Waits for the plugin, and writes what NCCL is told: what its script says, and `settings`
    where that says nothing. It is to see no file of settings itself, which is not there yet."""
    return {
        "name": "wait-for-nccl-plugin",
        "image": image,
        "command": ["bash", "-c", settings_script()],
        "env": [{"name": name, "value": value} for name, value in settings.items()],
        "volumeMounts": [*gib_mounts(), {"name": _SETTINGS, "mountPath": _WRITTEN_IN}],
    }


def settings_script(gib: str = POD_GIB_DIR, folder: str = _WRITTEN_IN) -> str:
    """By bash alone: an image may have no more."""
    return f"""\
{_once_there(gib)}
source {gib}/scripts/set_nccl_env.sh
for name in "${{!NCCL_@}}"; do
  echo "$name=${{!name}}"
done >{folder}/{_WRITTEN}
"""


def wait_for_gib() -> list[str]:
    """A command that ends once the installer has put the plugin on this node."""
    return ["bash", "-c", _once_there(POD_GIB_DIR)]


def _once_there(gib: str) -> str:
    files = ("lib64/libnccl-net_internal.so", "configs", "scripts/set_nccl_env.sh")
    there = " && ".join(f"[ -e {gib}/{file} ]" for file in files)
    return f"until {there}; do sleep 2; done"
