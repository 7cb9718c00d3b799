"""Where nodes stand, for Kueue, as plain data. Pure.

Sources: kubernetes-sigs/kueue v0.19.2, apis/kueue/v1beta2/topology_types.go; the labels are those
that GKE sets (Google Cloud documentation, "Schedule GKE workloads with Topology Aware Scheduling",
read 2026-11-22; the same four in GoogleCloudPlatform/cluster-toolkit
examples/gke-a4/kueue-configuration.yaml.tftpl, 104708037).
"""

from collections.abc import Sequence
from typing import Any, Literal, get_args

# From the widest to the narrowest. The last one every node has.
TopologyLevel = Literal[
    "cloud.google.com/gce-topology-block",
    "cloud.google.com/gce-topology-subblock",
    "cloud.google.com/gce-topology-host",
    "kubernetes.io/hostname",
]
TOPOLOGY_LEVELS: tuple[TopologyLevel, ...] = get_args(TopologyLevel)


def topology_spec(levels: Sequence[str]) -> dict[str, Any]:
    """A Topology; `levels` are from the widest to the narrowest."""
    return {"levels": [{"nodeLabel": level} for level in levels]}
