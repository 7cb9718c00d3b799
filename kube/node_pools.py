"""What the inputs of a node pool say of the interfaces of its nodes."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from components.pools.labels import DRANET_LABEL


def is_dranet(inputs: Mapping[str, Any]) -> bool:
    """Whether pods claim the nodes' additional interfaces of GKE's own driver."""
    labels = (inputs.get("nodeConfig") or {}).get("labels") or {}
    return all(labels.get(key) == value for key, value in DRANET_LABEL.items())


def additional_networks(inputs: Mapping[str, Any]) -> list[tuple[str, str]]:
    """References to the network and the subnetwork of each additional interface, in order."""
    configs = (inputs.get("networkConfig") or {}).get("additionalNodeNetworkConfigs") or []
    return [(str(config.get("network")), str(config.get("subnetwork"))) for config in configs]
