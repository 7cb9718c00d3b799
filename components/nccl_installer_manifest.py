"""The DaemonSet that puts gIB on GPU nodes, as plain data. Pure.

What it does is Google's: GoogleCloudPlatform/container-engine-accelerators, gpudirect-rdma,
nccl-rdma-installer.yaml and nccl-rdma-installer-autopilot.yaml. Autopilot lets a privileged pod in
only when it is one that Google knows, so containers, volumes and commands are as they are there.
"""

from collections.abc import Sequence
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
    node_selector: Any,
    accelerators: Sequence[str] = (),
    autopilot: bool,
) -> Any:
    """Installs in an init container and then rests, so a pod that is ready is a node that is.

    `accelerators` are those of Google's own node affinity, which Autopilot gets in place of a
    selector: a pod with another could miss what Autopilot knows.
    """
    names = {"k8s-app": installer_name}
    pod: dict[str, Any] = {
        **(_affinity(accelerators) if autopilot else {"nodeSelector": node_selector}),
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


def _affinity(accelerators: Sequence[str]) -> dict[str, Any]:
    chosen = {
        "key": "cloud.google.com/gke-accelerator",
        "operator": "In",
        "values": list(accelerators),
    }
    terms = {"nodeSelectorTerms": [{"matchExpressions": [chosen]}]}
    return {"affinity": {"nodeAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": terms}}}


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
