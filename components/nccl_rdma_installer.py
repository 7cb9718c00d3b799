"""gIB, Google's NCCL network plugin for RDMA, on every node of GPU pools, also of later ones."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import pulumi
import pulumi_kubernetes as k8s

from components.custom_object import object_name
from components.lifecycle import fixed_name
from components.naming import NameKind, check_name
from components.nccl_installer_manifest import (
    AUTOPILOT_NAMESPACE,
    STANDARD_NAMESPACE,
    installer_spec,
    on_accelerators,
    on_any,
    selector_terms,
)

# An image of a few GB on every node.
_MINUTES = 30


@dataclass(frozen=True, kw_only=True)
class NcclRdmaInstallerArgs:
    """`node_selectors`, of each pool with RDMA its own, are known once the nodes are there: with
    none, there is nothing to wait for.

    `installer_name` tells installers of one cluster apart. On Autopilot it goes to all nodes with
    one of the `accelerators`, from a namespace of its own.
    """

    installer_name: str = "nccl-rdma-installer"
    own_namespace: str = AUTOPILOT_NAMESPACE
    image: str
    pause_image: str
    node_selectors: Sequence[pulumi.Input[dict[str, str]]]
    accelerators: Sequence[str] = ()
    autopilot: bool = False
    labels: pulumi.Input[dict[str, str]]


class NcclRdmaInstaller(pulumi.ComponentResource):
    namespace: pulumi.Output[str]
    daemon_set_name: pulumi.Output[str]

    def __init__(
        self, name: str, args: NcclRdmaInstallerArgs, opts: pulumi.ResourceOptions | None = None
    ) -> None:
        super().__init__("gke-ai-stacks:nccl_rdma_installer:NcclRdmaInstaller", name, None, opts)
        self.namespace = self._namespace(name, args)
        daemon_set = k8s.apps.v1.DaemonSet(
            f"{name}-daemon-set",
            metadata={
                "name": check_name(NameKind.KUBERNETES, args.installer_name),
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
            metadata={"name": args.own_namespace, "labels": args.labels},
            opts=fixed_name(self),
        )
        return object_name(made)


def _placement(args: NcclRdmaInstallerArgs) -> dict[str, Any]:
    if args.autopilot:
        return on_accelerators(args.accelerators)
    if len(args.node_selectors) == 1:
        return {"nodeSelector": args.node_selectors[0]}
    return on_any(pulumi.Output.all(*args.node_selectors).apply(selector_terms))
