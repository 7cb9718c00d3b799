"""One further interface of a pool's nodes, as the pool, the cluster and pods all know it, and how a
pod asks GKE for such interfaces."""

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import pulumi


@dataclass(frozen=True, kw_only=True)
class NodeNetwork:
    """`name` is the Network object's and `interface` what pods see, such as rdma-0 and eth2.

    `network` and `subnetwork` are names in the cluster's project, plain text that is known before
    anything exists; `vpc` and `subnet` are the resources that have them, `objects` the Network
    object and its parameters, where a program makes them. Order counts: the first of a list becomes
    the nodes' second interface. `rdma` is for GPUs, whose pods then need a plug-in of NCCL's, and
    `irdma` for processes that speak to it themselves.
    """

    name: str
    interface: str
    rdma: bool
    network: str
    subnetwork: str
    irdma: bool = False
    vpc: pulumi.CustomResource | None = None
    subnet: pulumi.CustomResource | None = None
    objects: Sequence[pulumi.Resource] = ()

    @property
    def made(self) -> list[pulumi.Resource]:
        """What nodes with the interface are replaced with."""
        return [it for it in (self.vpc, self.subnet) if it is not None]

    @property
    def network_made(self) -> pulumi.Input[str]:
        """The network's name, once it is there."""
        return self.network if self.vpc is None else _name(self.vpc)

    @property
    def subnetwork_made(self) -> pulumi.Input[str]:
        """The subnetwork's name, once it is there."""
        return self.subnetwork if self.subnet is None else _name(self.subnet)


_NAME = "name"


def _name(resource: pulumi.CustomResource) -> pulumi.Output[str]:
    return getattr(resource, _NAME)


_FIRST = "eth0"


def interface_annotations(networks: Iterable[tuple[str, str]]) -> dict[str, str]:
    """`networks` are (interface, Network object) beside the cluster's own, which stays the default.

    Raises ValueError where two have the same interface, or one has the first.
    """
    wanted = [(_FIRST, "default"), *networks]
    taken: dict[str, str] = {}
    for interface, network in wanted:
        if interface in taken:
            raise ValueError(
                f"{interface} cannot be both {taken[interface]} and {network}; "
                f"nearest: {_next_free({it for it, _ in wanted})}"
            )
        taken[interface] = network
    listed = [{"interfaceName": interface, "network": network} for interface, network in wanted]
    return {
        "networking.gke.io/default-interface": _FIRST,
        "networking.gke.io/interfaces": json.dumps(listed),
    }


def _next_free(taken: set[str]) -> str:
    return next(name for number in range(len(taken) + 1) if (name := f"eth{number}") not in taken)
