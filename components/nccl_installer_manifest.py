"""The DaemonSet that puts gIB on GPU nodes, as plain data. Pure.

What it does is Google's: GoogleCloudPlatform/container-engine-accelerators, gpudirect-rdma,
nccl-rdma-installer.yaml and nccl-rdma-installer-autopilot.yaml. Autopilot lets a privileged pod in
only when it is one that Google knows, so containers, volumes and commands are as they are there.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from components.gib import NODE_DRIVER_DIR, NODE_GIB_DIR

# Autopilot keeps kube-system to itself.
AUTOPILOT_NAMESPACE = "rdma-system"
STANDARD_NAMESPACE = "kube-system"

_NODE_LIBRARIES = f"{NODE_DRIVER_DIR}/lib64"
# Where the installer sees the node's directories.
_SEEN = "/usr/local"
_SCRIPT = """\
set -ex
/scripts/container_entry.sh install{options}
cp -r /var/lib/gib/lib64/. {libraries}
cp -r /var/lib/gib/. {gib}
echo "installation finishes"
"""


def installer_spec(
    *,
    installer_name: str,
    image: str,
    pause_image: str,
    placement: Mapping[str, Any],
    autopilot: bool,
) -> Any:
    """Installs in an init container and then rests, so a pod that is ready is a node that is.
    `placement` says which nodes, as the functions below do."""
    names = {"k8s-app": installer_name}
    pod: dict[str, Any] = {
        **placement,
        # Whatever a node is tainted with, pods that tolerate it will want the plugin.
        "tolerations": [{"operator": "Exists"}],
        "hostNetwork": True,
        "hostPID": True,
        "volumes": [
            {
                "name": "library-dir-host",
                "hostPath": {"path": _NODE_LIBRARIES, "type": "DirectoryOrCreate"},
            },
            {"name": "gib", "hostPath": {"path": NODE_GIB_DIR}},
        ],
        "initContainers": [_installer(image, autopilot)],
        "containers": [{"name": "pause", "image": pause_image}],
    }
    if not autopilot:
        pod["priorityClassName"] = "system-node-critical"
    return {
        "selector": {"matchLabels": names},
        "template": {"metadata": {"labels": {"name": installer_name, **names}}, "spec": pod},
    }


def on_accelerators(accelerators: Sequence[str]) -> dict[str, Any]:
    """Nodes with any of these. Google's own node affinity is such a one: on Autopilot, a pod with
    another could miss what Autopilot knows."""
    chosen = _in("cloud.google.com/gke-accelerator", accelerators)
    return on_any([{"matchExpressions": [chosen]}])


def on_any(terms: Any) -> dict[str, Any]:
    """Nodes that one of the terms picks."""
    required = {"requiredDuringSchedulingIgnoredDuringExecution": {"nodeSelectorTerms": terms}}
    return {"affinity": {"nodeAffinity": required}}


def selector_terms(selectors: Sequence[Mapping[str, str]]) -> list[dict[str, Any]]:
    """Terms that pick the nodes that any of the selectors does, each said once."""
    each = {tuple(sorted(it.items())): it for it in selectors}.values()
    return [{"matchExpressions": [_in(key, [it[key]]) for key in sorted(it)]} for it in each]


def _in(label: str, values: Sequence[str]) -> dict[str, Any]:
    return {"key": label, "operator": "In", "values": list(values)}


def _installer(image: str, autopilot: bool) -> dict[str, Any]:
    script = _SCRIPT.format(
        # Standard nodes bring a libnccl with the driver.
        options=" --install-nccl" if autopilot else "",
        libraries=_SEEN + _NODE_LIBRARIES,
        gib=_SEEN + NODE_GIB_DIR,
    )
    return {
        "name": "nccl-rdma-installer",
        "image": image,
        "command": ["/bin/sh", "-c"],
        "args": [script],
        "resources": {"requests": {"cpu": "150m"}},
        "securityContext": {"privileged": True},
        "volumeMounts": [
            {"name": "library-dir-host", "mountPath": _SEEN + _NODE_LIBRARIES},
            {"name": "gib", "mountPath": _SEEN + NODE_GIB_DIR},
        ],
    }
