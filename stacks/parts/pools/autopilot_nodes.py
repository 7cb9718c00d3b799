"""What pods ask an Autopilot cluster for, as node selectors. Pure.

Labels: GKE documentation ("Choose compute classes for Autopilot Pods", "Consume reserved zonal
resources") and Google's manifests for verl on Autopilot.
"""

from catalog import Accelerator
from stacks.parts.pools.capacity import Capacity, SpecificReservation, Spot

_GKE = "cloud.google.com"
# A machine for each pod, of a family with fast cores: for Ray's head and other single pods.
AUTOPILOT_CPU_FAMILY = "c2"
CPU_SELECTOR = {
    f"{_GKE}/compute-class": "Performance",
    f"{_GKE}/machine-family": AUTOPILOT_CPU_FAMILY,
}


def gpu_selector(accelerator: Accelerator, capacity: Capacity, zone: str) -> dict[str, str]:
    """A whole machine with these accelerators; the zone is that of their network's profile."""
    selector = {
        f"{_GKE}/compute-class": "Performance",
        f"{_GKE}/gke-accelerator": accelerator.type,
        f"{_GKE}/gke-accelerator-count": str(accelerator.count),
        "topology.kubernetes.io/zone": zone,
    }
    if isinstance(capacity, Spot):
        selector[f"{_GKE}/gke-spot"] = "true"
    if isinstance(capacity, SpecificReservation):
        selector |= _reservation(capacity)
    return selector


def _reservation(capacity: SpecificReservation) -> dict[str, str]:
    parts = {
        "affinity": "specific",
        "name": capacity.name,
        "project": capacity.project,
        "blocks": capacity.block,
        "subblocks": capacity.sub_block,
    }
    return {f"{_GKE}/reservation-{key}": value for key, value in parts.items() if value}
