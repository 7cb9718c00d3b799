"""NVIDIA's driver on nodes on which GKE installs none: those whose GPUs pods claim.

What its DaemonSet does is Google's: GoogleCloudPlatform/container-engine-accelerators,
nvidia-driver-installer/cos/daemonset-preloaded-latest.yaml, 992db812 of 2026-06-09. Without
`--version=latest` it installs GKE's default, which does not run CUDA 13 (rapidsai/deployment issue
#656). The installer's image is on the nodes, for their own system. Left out: dividing GPUs, which
nobody claims.
"""

from dataclasses import dataclass, field
from typing import Any

import pulumi
import pulumi_kubernetes as k8s

from ..base.component import Component
from ..base.lifecycle import fixed_name, object_name
from ..base.naming import NameKind, name_is
from ..base.tokens import formerly
from .gib import NODE_DRIVER_DIR, POD_DRIVER_DIR
from .rdma_installer import on_any, selector_terms

_NAMESPACE = "kube-system"
# The driver's kernel module, for each node.
_MINUTES = 30
_IMAGE = "cos-nvidia-installer:fixed"
_TOOLS = ("/var/lib/cos-tools", "/build/cos-tools")
_VULKAN = (f"{NODE_DRIVER_DIR}/vulkan/icd.d", "/etc/vulkan/icd.d")
_SCRIPT = """\
if lsmod | grep nvidia; then
  echo "there is a driver already"
else
  /cos-gpu-installer install --version=latest
fi
"""
_FOLDERS = {
    "dev": ("/dev", "/dev"),
    "nvidia-install-dir-host": (NODE_DRIVER_DIR, POD_DRIVER_DIR),
    "root-mount": ("/", "/root"),
    "cos-tools": _TOOLS,
    "vulkan-icd-mount": _VULKAN,
}


@dataclass(frozen=True, kw_only=True)
class GpuDriverInstallerArgs:
    """`node_selectors`, of each pool whose GPUs are claimed, are known once the nodes are there."""

    installer_name: str = "nvidia-driver-installer"
    pause_image: str
    node_selectors: list[pulumi.Input[dict[str, str]]]
    labels: pulumi.Input[dict[str, str]] = field(default_factory=dict[str, str])

    def check(self) -> None:
        name_is("installer_name", NameKind.KUBERNETES, self.installer_name)


class GpuDriverInstaller(Component, in_cluster=True):
    """`daemon_set_name` is known once all nodes that there are have the driver."""

    daemon_set_name: pulumi.Output[str]

    def __init__(
        self, name: str, args: GpuDriverInstallerArgs, opts: pulumi.ResourceOptions | None = None
    ) -> None:
        super().__init__(
            "gke-ai:index:GpuDriverInstaller",
            name,
            args,
            formerly("gpu_driver_installer:GpuDriverInstaller", opts),
        )
        placement = pulumi.Output.all(*args.node_selectors).apply(
            lambda it: on_any(selector_terms(it))
        )
        made = k8s.apps.v1.DaemonSet(
            f"{name}-daemon-set",
            metadata={
                "name": args.installer_name,
                "namespace": _NAMESPACE,
                "labels": args.labels,
            },
            spec=placement.apply(lambda it: installer_spec(args, it)),
            opts=fixed_name(self, minutes=_MINUTES),
        )
        self.daemon_set_name = object_name(made)
        self.register_outputs({"daemon_set_name": self.daemon_set_name})


def installer_spec(args: GpuDriverInstallerArgs, placement: dict[str, Any]) -> Any:
    """Installs in an init container and then rests."""
    names = {"k8s-app": args.installer_name}
    return {
        "selector": {"matchLabels": names},
        "template": {
            "metadata": {"labels": {"name": args.installer_name, **names}},
            "spec": {
                **placement,
                "priorityClassName": "system-node-critical",
                "tolerations": [{"operator": "Exists"}],
                "hostNetwork": True,
                "hostPID": True,
                "volumes": [
                    {"name": name, "hostPath": {"path": on_node}}
                    for name, (on_node, _) in _FOLDERS.items()
                ],
                "initContainers": [_installer()],
                "containers": [{"name": "pause", "image": args.pause_image}],
            },
        },
    }


def _installer() -> dict[str, Any]:
    folders = {
        "NVIDIA_INSTALL_DIR_HOST": NODE_DRIVER_DIR,
        "NVIDIA_INSTALL_DIR_CONTAINER": POD_DRIVER_DIR,
        "ROOT_MOUNT_DIR": "/root",
        "COS_TOOLS_DIR_HOST": _TOOLS[0],
        "COS_TOOLS_DIR_CONTAINER": _TOOLS[1],
        "VULKAN_ICD_DIR_HOST": _VULKAN[0],
        "VULKAN_ICD_DIR_CONTAINER": _VULKAN[1],
    }
    return {
        "name": "nvidia-driver-installer",
        "image": _IMAGE,
        # It is for the node's own system, and nowhere else.
        "imagePullPolicy": "Never",
        "command": ["bash", "-c", _SCRIPT],
        "env": [{"name": name, "value": value} for name, value in folders.items()],
        "resources": {"requests": {"cpu": "150m"}},
        "securityContext": {"privileged": True},
        "volumeMounts": [
            {"name": name, "mountPath": inside} for name, (_, inside) in _FOLDERS.items()
        ],
    }
