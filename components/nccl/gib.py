"""gIB, Google's NCCL network plugin for RDMA: where it lies on a node, how pods see it, and what
NCCL is told of it. Pure.

Paths: GoogleCloudPlatform/container-engine-accelerators, gpudirect-rdma. Google asks every process
to have sourced the plugin's own set_nccl_env.sh (AI Hypercomputer documentation, "Optimize cluster
networking by using NCCL/gIB", read 2026-11-24), and many have no shell that could: KubeRay writes
the command that starts Ray's. So a pod does it once, before its container starts, and NCCL reads
the result as its file of settings, whose lines give way to a process's own variables (NVIDIA/nccl
src/misc/param.cc, setEnvFile: setenv with overwrite 0).
"""

import shlex
from collections.abc import Mapping
from typing import Any

NODE_DRIVER_DIR = "/home/kubernetes/bin/nvidia"
NODE_GIB_DIR = "/home/kubernetes/bin/gib"
POD_DRIVER_DIR = "/usr/local/nvidia"
POD_GIB_DIR = "/usr/local/gib"
# The installer puts the plugin's libraries beside the driver's.
LIBRARY_PATH = f"{POD_DRIVER_DIR}/lib64"
DRIVER_PATH = {"LD_LIBRARY_PATH": LIBRARY_PATH}
_SETTINGS = "nccl-settings"
# Of every release of NCCL; NCCL_CONF_FILE is of 2.23 and newer (NCCL's user guide, env.html).
_SETTINGS_FILE = "/etc/nccl.conf"
_WRITTEN_IN = "/run/nccl"
_WRITTEN = "nccl.conf"
# As long as the installer's DaemonSet may take. The container is started again then, and its pod
# shows a failure; a wait without an end looks like one that goes on.
_INSTALLED_S = 1800


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


def nccl_environment(variables: Mapping[str, str]) -> dict[str, str]:
    """Environment of every process whose NCCL uses the plugin: the `variables` of its machine
    family, and where NCCL finds libnccl-net.so."""
    return {**variables, **DRIVER_PATH}


def nccl_container(image: str, settings: Mapping[str, str]) -> dict[str, Any]:
    """Waits for the plugin, and writes NCCL's settings: `settings`, then those of the plugin's own
    script. It does not mount the file of settings, which does not exist yet."""
    return {
        "name": "wait-for-nccl-plugin",
        "image": image,
        "command": ["bash", "-c", settings_script(settings)],
        "volumeMounts": [*gib_mounts(), {"name": _SETTINGS, "mountPath": _WRITTEN_IN}],
    }


# NCCL_CONF_FILE on A3 Ultra: a page in a copy of hao-ai-lab/FastVideo, 2026-09-07 (NCCL 2.29.3);
# AI-Hypercomputer/gpu-recipes training/a4x-max/*/workload-job.yaml (scripts/nccl.conf), 2e1fd5e.
def settings_script(
    settings: Mapping[str, str], *, gib: str = POD_GIB_DIR, folder: str = _WRITTEN_IN
) -> str:
    """A bash script that writes and prints NCCL's settings, and fails without a network among those
    of the plugin.

    NCCL takes the first line of a name (NVIDIA/nccl 5067397c, src/misc/param.cc and ncclOsSetEnv),
    so lines stand in the order of precedence: `settings`, what the plugin's script exports, and the
    lines of the file that the script names in NCCL_CONF_FILE (A3 Ultra, September 2026). The
    variables of the image are in its containers anyway. No command but bash's own, for an image may
    have no other.
    """
    script = f"{gib}/scripts/set_nccl_env.sh"
    lines = " ".join(shlex.quote(f"{name}={value}") for name, value in settings.items())
    return f"""\
{_once_there(gib)}
fail() {{
  echo "nccl: $1" >&2
  exit 1
}}
unset "${{!NCCL_@}}"
source {script}
settings=()
for name in "${{!NCCL_@}}"; do
  [[ $name == NCCL_CONF_FILE ]] || settings+=("$name=${{!name}}")
done
if [[ -n ${{NCCL_CONF_FILE:-}} ]]; then
  [[ -r $NCCL_CONF_FILE ]] || fail "{script} names $NCCL_CONF_FILE, which cannot be read"
  while IFS= read -r line || [[ -n $line ]]; do
    settings+=("$line")
  done <"$NCCL_CONF_FILE"
fi
[[ $'\n'$(printf '%s\n' "${{settings[@]}}") == *$'\n'NCCL_NET=?* ]] ||
  fail "{script} sets no NCCL_NET on this node, so NCCL would go without the plug-in's settings; \
it sets: ${{settings[*]:-nothing}}"
printf '%s\n' {lines}{" " if lines else ""}"${{settings[@]}}" >{folder}/{_WRITTEN} || exit 1
echo "nccl: settings, the first line of a name counts:"
printf '%s\n' "$(<{folder}/{_WRITTEN})"
"""


def _once_there(gib: str) -> str:
    files = ("lib64/libnccl-net.so", "configs", "scripts/set_nccl_env.sh")
    there = " && ".join(f"[ -e {gib}/{file} ]" for file in files)
    return f"""\
until {there}; do
  if ((SECONDS >= {_INSTALLED_S})); then
    echo "nccl: {gib} is not whole after {_INSTALLED_S} s; does nccl-rdma-installer run here?" >&2
    exit 1
  fi
  sleep 2
done"""
