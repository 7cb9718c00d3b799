"""gIB, Google's NCCL network plugin for RDMA, on every node of GPU pools, also of later ones.

What its DaemonSet does is Google's: GoogleCloudPlatform/container-engine-accelerators,
gpudirect-rdma, nccl-rdma-installer.yaml and nccl-rdma-installer-autopilot.yaml. Autopilot lets a
privileged pod in only when it is one that Google knows, so containers, volumes and commands are as
they are there.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import pulumi
import pulumi_kubernetes as k8s

from ..base.component import Component
from ..base.lifecycle import fixed_name, object_name
from ..base.namespace import with_pod_security
from ..base.naming import NameKind, name_is
from ..base.node_terms import on_any, one_of, selector_terms
from ..base.pod_security import PRIVILEGED
from ..base.tokens import formerly
from ..pools.labels import GKE_ACCELERATOR
from .gib import NODE_DRIVER_DIR, NODE_GIB_DIR

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
        # The images of trainings bring NCCL; Google's manifests install it on Autopilot alone
        # (container-engine-accelerators 2da1c92f of 2026-05-06).
        "initContainers": [_installer(image, installs_nccl=autopilot)],
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
    chosen = one_of(GKE_ACCELERATOR, accelerators)
    return on_any([{"matchExpressions": [chosen]}])


def _installer(image: str, *, installs_nccl: bool) -> dict[str, Any]:
    script = _SCRIPT.format(
        options=" --install-nccl" if installs_nccl else "",
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


# An image of a few GB on every node.
_MINUTES = 30


@dataclass(frozen=True, kw_only=True)
class NcclRdmaInstallerArgs:
    """`node_selectors`, of each pool with RDMA its own, are known once the nodes are there: with
    none, there is nothing to wait for.

    `installer_name` tells installers of one cluster apart. On Autopilot it goes to all nodes with
    one of the `accelerators`, from a namespace of its own, and installs NCCL, too.
    """

    installer_name: str
    own_namespace: str = AUTOPILOT_NAMESPACE
    image: str
    pause_image: str
    node_selectors: Sequence[pulumi.Input[dict[str, str]]]
    accelerators: Sequence[str] = ()
    autopilot: bool = False
    labels: pulumi.Input[dict[str, str]] = field(default_factory=dict[str, str])

    def check(self) -> None:
        name_is("installer_name", NameKind.KUBERNETES, self.installer_name)


class NcclRdmaInstaller(Component, in_cluster=True):
    namespace: pulumi.Output[str]
    daemon_set_name: pulumi.Output[str]

    def __init__(
        self, name: str, args: NcclRdmaInstallerArgs, opts: pulumi.ResourceOptions | None = None
    ) -> None:
        super().__init__(
            "gke-ai:index:NcclRdmaInstaller",
            name,
            args,
            formerly("nccl_rdma_installer:NcclRdmaInstaller", opts),
        )
        self.namespace = self._namespace(name, args)
        daemon_set = k8s.apps.v1.DaemonSet(
            f"{name}-daemon-set",
            metadata={
                "name": args.installer_name,
                "namespace": self.namespace,
                "labels": args.labels,
            },
            spec=installer_spec(
                installer_name=args.installer_name,
                image=args.image,
                pause_image=args.pause_image,
                placement=_placement(args),
                autopilot=args.autopilot,
            ),
            opts=fixed_name(self, minutes=_MINUTES),
        )
        self._daemon_set = daemon_set
        self.daemon_set_name = object_name(daemon_set)
        self.register_outputs(
            {"namespace": self.namespace, "daemon_set_name": self.daemon_set_name}
        )

    def once_ready(
        self, node_selector: pulumi.Input[dict[str, str]]
    ) -> pulumi.Output[dict[str, str]]:
        """The same selector, known once all nodes have the plugin."""
        return pulumi.Output.all(node_selector, self._daemon_set.metadata).apply(lambda it: it[0])

    def _namespace(self, name: str, args: NcclRdmaInstallerArgs) -> pulumi.Output[str]:
        if not args.autopilot:
            return pulumi.Output.from_input(STANDARD_NAMESPACE)
        made = k8s.core.v1.Namespace(
            f"{name}-namespace",
            metadata={
                "name": args.own_namespace,
                "labels": with_pod_security(args.labels, PRIVILEGED),
            },
            opts=fixed_name(self),
        )
        return object_name(made)


def _placement(args: NcclRdmaInstallerArgs) -> dict[str, Any]:
    if args.autopilot:
        return on_accelerators(args.accelerators)
    if len(args.node_selectors) == 1:
        return {"nodeSelector": args.node_selectors[0]}
    return on_any(pulumi.Output.all(*args.node_selectors).apply(selector_terms))
