"""One further interface of a pool's nodes, as the pool, the cluster and pods all know it."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import pulumi


@dataclass(frozen=True, kw_only=True)
class NodeNetwork:
    """`name` is the Network object's and `interface` what pods see, such as rdma-0 and eth2.

    `network` and `subnetwork` are names in the cluster's project, plain text that is known before
    anything exists; `made` is the two resources that have them. Order counts: the first of a list
    becomes the nodes' second interface.
    """

    name: str
    interface: str
    rdma: bool
    network: str
    subnetwork: str
    made: Sequence[Any] = ()

    @property
    def network_made(self) -> pulumi.Input[str]:
        """The network's name, once it is there."""
        return self.made[0].name if self.made else self.network

    @property
    def subnetwork_made(self) -> pulumi.Input[str]:
        """The subnetwork's name, once it is there."""
        return self.made[1].name if self.made else self.subnetwork
