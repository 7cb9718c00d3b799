"""The additional networks that a pod names in its annotations."""

from __future__ import annotations

from collections.abc import Mapping

from kube.objects import JsonObject, maps
from kube.reading import document

INTERFACES = "networking.gke.io/interfaces"
# Both names mean the cluster's own network, which every pod has.
_OWN_NETWORKS = ("default", "pod-network")


def networks_of(annotations: Mapping[str, str]) -> list[str]:
    """The additional networks of a pod, one an interface; none where the list cannot be read."""
    names = [item.get("network") for item in interfaces_of(annotations) or []]
    return [name for name in names if isinstance(name, str) and name not in _OWN_NETWORKS]


def interfaces_of(annotations: Mapping[str, str]) -> list[JsonObject] | None:
    """The annotation as it stands; None where it is no list of objects."""
    found = document(annotations.get(INTERFACES) or "[]")
    good = isinstance(found, list) and all(isinstance(item, dict) for item in found)
    return maps(found) if good else None
