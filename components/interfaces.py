"""The annotations by which a pod asks GKE for further interfaces. Pure."""

import json
from collections.abc import Iterable

_FIRST = "eth0"


def interface_annotations(networks: Iterable[tuple[str, str]]) -> dict[str, str]:
    """`networks` are (interface, Network object) beside the cluster's own, which stays the default.

    Raises ValueError where two have the same interface, or one has the first.
    """
    wanted = [(_FIRST, "default"), *networks]
    taken: dict[str, str] = {}
    for interface, network in wanted:
        if interface in taken:
            raise ValueError(
                f"{interface} cannot be both {taken[interface]} and {network}; "
                f"nearest: {_next_free({it for it, _ in wanted})}"
            )
        taken[interface] = network
    listed = [{"interfaceName": interface, "network": network} for interface, network in wanted]
    return {
        "networking.gke.io/default-interface": _FIRST,
        "networking.gke.io/interfaces": json.dumps(listed),
    }


def _next_free(taken: set[str]) -> str:
    return next(name for number in range(len(taken) + 1) if (name := f"eth{number}") not in taken)
