"""One further interface of a pool's nodes, as the pool, the cluster and pods all know it."""

from dataclasses import dataclass

import pulumi


@dataclass(frozen=True, kw_only=True)
class NodeNetwork:
    """`name` is the Network object's and `interface` what pods see, such as rdma-0 and eth2.

    `network` and `subnetwork` are names in the cluster's project. Order counts: the first of a list
    becomes the nodes' second interface.
    """

    name: str
    interface: str
    rdma: bool
    network: pulumi.Input[str]
    subnetwork: pulumi.Input[str]
