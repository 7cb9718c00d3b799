"""What was read of the parts that exist already."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from components.existing_bucket import ExistingBucket
from components.existing_facts import ClusterFacts
from components.existing_lustre import ExistingLustre
from components.existing_network import ExistingNetwork


@dataclass(frozen=True, kw_only=True)
class Adopted:
    """What was read; None, and no key, where the stack makes the part itself or has none.
    `operators` are in the cluster by their Helm charts."""

    network: ExistingNetwork | None = None
    cluster: ClusterFacts | None = None
    operators: tuple[str, ...] = ()
    lustre: ExistingLustre | None = None
    buckets: Mapping[str, ExistingBucket] = field(default_factory=dict[str, ExistingBucket])

    @property
    def network_project(self) -> str | None:
        """Whose the network is."""
        if self.network is not None:
            return self.network.found.project
        return None if self.cluster is None else self.cluster.network_id.split("/")[1]
