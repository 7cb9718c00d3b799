"""What the guard stands in front of: what is hard to get back. Pure."""

from collections.abc import Mapping
from typing import Any

from catalog import Catalog, FactError

NODE_POOL = "gcp:container/nodePool:NodePool"
KUBERNETES = "kubernetes:"
NAMESPACE = "kubernetes:core/v1:Namespace"
RELEASE = "kubernetes:helm.sh/v3:Release"
# Its chart has the custom resource definitions among its templates: with them go all objects.
_KUEUE = "kueue"
CLUSTER = "gcp:container/cluster:Cluster"
_ALWAYS = frozenset(
    {
        "gcp:compute/network:Network",
        "gcp:compute/subnetwork:Subnetwork",
        CLUSTER,
        "gcp:lustre/instance:Instance",
        "gcp:redis/instance:Instance",
        "gcp:storage/bucket:Bucket",
        NAMESPACE,
    }
)


def is_guarded(token: str, inputs: Mapping[str, Any], catalog: Catalog) -> bool:
    """Whether a resource with these inputs is guarded: of node pools, those with accelerators, and
    of Helm releases, Kueue.

    A pool of machines that the catalog does not know counts as one of them.
    """
    if token == RELEASE:
        return inputs.get("name") == _KUEUE
    if token != NODE_POOL:
        return token in _ALWAYS
    config = inputs.get("nodeConfig")
    if not isinstance(config, Mapping) or config.get("guestAccelerators"):
        return True
    try:
        return catalog.machine(str(config.get("machineType"))).accelerator is not None
    except FactError:
        return True
