"""What pods mount, claim and run on. None of it can go before they have, so whatever runs the pods
is replaced with it."""

from collections.abc import Sequence
from dataclasses import dataclass, field

import pulumi
import pulumi_gcp as gcp

from ..buckets.mount import BucketMountArgs
from ..network.node_network import NodeNetwork
from ..network.resource_claim_template import PodClaimArgs
from .arguments import refuse
from .static_volume import VolumeMount


@dataclass(frozen=True, kw_only=True)
class MountArgs:
    """`name` tells a pod's volumes apart. One of `volume`, `bucket` and `claim_name`, of a claim
    that exists already, is given."""

    name: str
    volume: VolumeMount | None = None
    bucket: BucketMountArgs | None = None
    claim_name: pulumi.Input[str] | None = None

    def check(self) -> None:
        names = ("volume", "bucket", "claim_name")
        given = [it for it in names if getattr(self, it) is not None]
        if len(given) != 1:
            reason = "is not one thing to mount: a volume, a bucket or the name of a claim"
            near = f"{given[0] if given else 'volume'} alone"
            refuse("volume", " and ".join(given) or None, reason, near)

    @property
    def claimed(self) -> pulumi.Input[str] | None:
        """The claim's name, known once it is bound; None of a bucket."""
        return self.claim_name if self.volume is None else self.volume.claim_name

    @property
    def held(self) -> list[pulumi.Resource]:
        """What cannot go before the pods have."""
        return [
            *([] if self.volume is None else self.volume.resources()),
            *([] if self.bucket is None else self.bucket.resources()),
        ]


@dataclass(frozen=True, kw_only=True)
class OnNodesArgs:
    """What pods have of their nodes: `pools` are where these come from, for a job whose machines
    are replaced under it is lost, `networks` their further interfaces, all of which a pod gets, and
    `claims` what it claims of them, by names."""

    pools: Sequence[gcp.container.NodePool] = ()
    networks: Sequence[NodeNetwork] = ()
    claims: dict[str, PodClaimArgs] = field(default_factory=dict[str, PodClaimArgs])

    @property
    def needed(self) -> list[pulumi.Resource]:
        """What the pods wait for though no value of theirs comes from it."""
        return [*self.pools, *(one for it in self.networks for one in it.objects)]

    @property
    def templates(self) -> dict[str, pulumi.Input[str]]:
        """Names of the claims' templates."""
        return {name: it.template_name for name, it in self.claims.items()}

    @property
    def of_nodes(self) -> list[pulumi.Resource]:
        """What cannot go before the pods have."""
        return [
            *(one for it in self.networks for one in (*it.made, *it.objects)),
            *(it.source for it in self.claims.values() if it.source is not None),
            *self.pools,
        ]
