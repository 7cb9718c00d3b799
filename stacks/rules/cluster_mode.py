"""Where the control plane of a cluster can be."""

from collections.abc import Iterator

from stacks.parts.cluster.config import ClusterLocation, StackCluster
from stacks.problems import Problem


def location_problems(cluster: StackCluster) -> Iterator[Problem]:
    """Of an Autopilot cluster."""
    if cluster.location is ClusterLocation.ZONAL:
        yield Problem(
            "cluster.location", "Autopilot clusters are always regional; nearest: regional"
        )
