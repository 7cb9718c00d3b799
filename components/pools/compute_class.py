"""What classes for TPU slices and for machines with GPUs have in common: a single priority, and
where its machines come from.

Fields: GoogleCloudPlatform/compute-class-api api/cloud.google.com/v1/types.go, and "ComputeClass"
in the GKE documentation.
"""

from typing import Any

import pulumi
import pulumi_kubernetes as k8s

from ..base.capacity import CapacityArgs, CapacityMode, ReservationArgs
from ..base.lifecycle import fixed_name

_DRANET = {"dra": {"networking": {"enabled": True}}}


def compute_class(
    parent: pulumi.Resource,
    name: str,
    *,
    class_name: str,
    labels: pulumi.Input[dict[str, str]],
    dranet: bool,
    priority: dict[str, Any],
) -> k8s.apiextensions.CustomResource:
    """One with a single priority. With `dranet`, GKE gives the nodes all further interfaces that
    they have, in networks that it makes, for pods to claim."""
    profile = {"acceleratorNetworkProfile": "auto"} if dranet else {}
    return k8s.apiextensions.CustomResource(
        f"{name}-class",
        api_version="cloud.google.com/v1",
        kind="ComputeClass",
        metadata={"name": class_name, "labels": labels},
        spec={
            "nodePoolAutoCreation": {"enabled": True},
            **({"nodePoolConfig": _DRANET} if dranet else {}),
            "priorities": [{**priority, **profile}],
            "whenUnsatisfiable": "DoNotScaleUp",
        },
        opts=fixed_name(parent),
    )


def capacity_of(capacity: CapacityArgs, zone: str) -> dict[str, Any]:
    found: dict[str, Any] = {"spot": capacity.spot}
    if capacity.reservation is None:
        found["location"] = {"zones": [zone]}
    else:
        # GKE refuses a location beside a specific reservation, which has zones of its own.
        specific = [_reservation(capacity.reservation, zone)]
        found["reservations"] = {"affinity": "Specific", "specific": specific}
    if capacity.mode == CapacityMode.ANY_RESERVATION:
        found["reservations"] = {"affinity": "AnyBestEffort"}
    if capacity.on_request:
        found["flexStart"] = {"enabled": True}
    if capacity.max_run_seconds is not None:
        found["maxRunDurationSeconds"] = capacity.max_run_seconds
    return found


def _reservation(reservation: ReservationArgs, zone: str) -> dict[str, Any]:
    found: dict[str, Any] = {"name": reservation.name, "zones": [zone]}
    if reservation.project is not None:
        found["project"] = reservation.project
    if reservation.block is not None:
        block: dict[str, Any] = {"name": reservation.block}
        if reservation.sub_block is not None:
            block["reservationSubBlock"] = {"name": reservation.sub_block}
        found["reservationBlock"] = block
    return found
