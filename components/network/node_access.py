"""What pods have of the nodes that they run on."""

from collections.abc import Sequence
from dataclasses import dataclass, field

import pulumi
import pulumi_gcp as gcp

from .node_network import NodeNetwork
from .resource_claim_template import PodClaimArgs


@dataclass(frozen=True, kw_only=True)
class NodeAccessArgs:
    """`pools` are where the nodes come from, `networks` their further interfaces, and `claims` what
    a pod claims of them, by names of its own."""

    pools: Sequence[gcp.container.NodePool] = ()
    networks: Sequence[NodeNetwork] = ()
    claims: dict[str, PodClaimArgs] = field(default_factory=dict[str, PodClaimArgs])

    @property
    def needed(self) -> list[pulumi.Resource]:
        """What the pods wait for though no value of theirs comes from it."""
        return [*self.pools, *(one for it in self.networks for one in it.objects)]

    @property
    def lent(self) -> list[pulumi.Resource]:
        """What cannot go before the pods have."""
        return [
            *(one for it in self.networks for one in (*it.made, *it.objects)),
            *(it.source for it in self.claims.values() if it.source is not None),
            *self.pools,
        ]
