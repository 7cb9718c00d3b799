"""What the guard stands in front of: what is hard to get back. Pure."""

from collections.abc import Mapping
from typing import Any

from catalog import Catalog, FactError

NODE_POOL = "gcp:container/nodePool:NodePool"
_ALWAYS = frozenset(
    {
        "gcp:compute/network:Network",
        "gcp:compute/subnetwork:Subnetwork",
        "gcp:container/cluster:Cluster",
        "gcp:lustre/instance:Instance",
        "gcp:storage/bucket:Bucket",
    }
)


def is_guarded(token: str, inputs: Mapping[str, Any], catalog: Catalog) -> bool:
    """Whether a resource with these inputs is guarded: of node pools, those with accelerators.

    A pool of machines that the catalog does not know counts as one of them.
    """
    if token != NODE_POOL:
        return token in _ALWAYS
    config = inputs.get("nodeConfig")
    if not isinstance(config, Mapping) or config.get("guestAccelerators"):
        return True
    try:
        return catalog.machine(str(config.get("machineType"))).accelerator is not None
    except FactError:
        return True
