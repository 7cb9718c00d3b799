"""Nodes' further interfaces as objects that pods ask for by name.

Each is a Network and the parameter set behind it. Both take the VPC's names from its outputs, so
they are gone before it is.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

import pulumi
import pulumi_kubernetes as k8s

from ..base.component import Component
from ..base.lifecycle import fixed_name, object_name
from ..base.naming import NameKind, name_is
from ..base.tokens import formerly
from .node_network import NodeNetwork

_PARAMETERS = "GKENetworkParamSet"


@dataclass(frozen=True, kw_only=True)
class DeviceNetworksArgs:
    api_version: str
    networks: Sequence[NodeNetwork]
    labels: pulumi.Input[dict[str, str]] = field(default_factory=dict[str, str])

    def check(self) -> None:
        for place, one in enumerate(self.networks):
            name_is(f"networks[{place}].name", NameKind.DEVICE_NETWORK, one.name)


class DeviceNetworks(Component, in_cluster=True):
    """`network_names` has the order of `networks`, and is known once all objects exist. Pods take
    `networks` from here, with their objects: they wait for these, and go before them."""

    network_names: pulumi.Output[list[str]]

    def __init__(
        self, name: str, args: DeviceNetworksArgs, opts: pulumi.ResourceOptions | None = None
    ) -> None:
        super().__init__(
            "gke-ai:index:DeviceNetworks",
            name,
            args,
            formerly("device_networks:DeviceNetworks", opts),
        )
        self.networks: list[NodeNetwork] = []
        names: list[pulumi.Output[str]] = []
        for one in args.networks:
            metadata: k8s.meta.v1.ObjectMetaArgsDict = {
                "name": one.name,
                "labels": args.labels,
            }
            parameters = k8s.apiextensions.CustomResource(
                f"{name}-parameters-{one.name}",
                api_version=args.api_version,
                kind=_PARAMETERS,
                metadata=metadata,
                spec={
                    "vpc": one.network_made,
                    "vpcSubnet": one.subnetwork_made,
                    # Of IRDMA: GoogleCloudPlatform/cluster-toolkit examples/gke-h4d/
                    # gke-h4d.yaml:81, 10470803; GoogleCloudPlatform/kubernetes-engine-samples
                    # hpc/mpi/hpl-demo.tpl.yaml, 2b503651; 2026-11-24.
                    "deviceMode": "RDMA" if one.rdma or one.irdma else "NetDevice",
                },
                # An interface is what it was when its node came, so another spec is another object.
                opts=fixed_name(self, replace_on_changes=["spec"]),
            )
            network = k8s.apiextensions.CustomResource(
                f"{name}-network-{one.name}",
                api_version=args.api_version,
                kind="Network",
                metadata=metadata,
                spec={
                    "type": "Device",
                    "parametersRef": {
                        "group": args.api_version.partition("/")[0],
                        "kind": _PARAMETERS,
                        "name": object_name(parameters),
                    },
                },
                # Replaced parameters keep their name, so by its own spec the Network would stay
                # and refer to what is being deleted.
                opts=fixed_name(self, replace_on_changes=["spec"], replace_with=[parameters]),
            )
            self.networks.append(replace(one, objects=[parameters, network]))
            names.append(object_name(network))
        self.network_names = pulumi.Output.all(*names)
        self.register_outputs({"network_names": self.network_names})
