"""The TPU slices that Autopilot makes for pods which name the class, with networks to claim.

Leaves out the pods' claims on the networks. Fields: GoogleCloudPlatform/compute-class-api
api/cloud.google.com/v1/types.go and GKE documentation, "ComputeClass".
"""

from dataclasses import dataclass
from typing import Any

import pulumi
import pulumi_kubernetes as k8s

from components.capacity import CapacityArgs, CapacityMode, ReservationArgs
from components.lifecycle import fixed_name, object_name
from components.naming import NameKind, check_name

_DRANET = {"dra": {"networking": {"enabled": True}}}


@dataclass(frozen=True, kw_only=True)
class TpuComputeClassArgs:
    """`accelerator` is the value of GKE's label, such as tpu-v6e-slice; `chips` are a host's.

    With `dranet`, GKE gives the nodes all further interfaces that they have, for pods to claim.
    """

    class_name: str
    zone: str
    machine_type: str
    accelerator: str
    topology: str
    chips: int
    dranet: bool
    capacity: CapacityArgs
    labels: pulumi.Input[dict[str, str]]

    def __post_init__(self) -> None:
        """Raises ValueError for a capacity that a class has no word for."""
        if self.capacity.queued:
            raise ValueError(
                f'mode "{self.capacity.mode}" is for node pools that a provisioning request names, '
                f"and the class {self.class_name} makes pools of its own; nearest: flex-start"
            )


class TpuComputeClass(pulumi.ComponentResource):
    """`class_name` is known once the class is there; slices come when pods ask for them."""

    class_name: pulumi.Output[str]

    def __init__(
        self, name: str, args: TpuComputeClassArgs, opts: pulumi.ResourceOptions | None = None
    ) -> None:
        super().__init__("gke-ai-stacks:tpu_compute_class:TpuComputeClass", name, None, opts)
        made = k8s.apiextensions.CustomResource(
            f"{name}-class",
            api_version="cloud.google.com/v1",
            kind="ComputeClass",
            metadata={
                "name": check_name(NameKind.COMPUTE_CLASS, args.class_name),
                "labels": args.labels,
            },
            spec={
                "nodePoolAutoCreation": {"enabled": True},
                **({"nodePoolConfig": _DRANET} if args.dranet else {}),
                "priorities": [_priority(args)],
                "whenUnsatisfiable": "DoNotScaleUp",
            },
            opts=fixed_name(self),
        )
        self.class_name = object_name(made)
        self.register_outputs({"class_name": self.class_name})


def _priority(args: TpuComputeClassArgs) -> dict[str, Any]:
    return {
        "machineType": args.machine_type,
        "tpu": {"type": args.accelerator, "count": args.chips, "topology": args.topology},
        **({"acceleratorNetworkProfile": "auto"} if args.dranet else {}),
        **_capacity(args.capacity, args.zone),
    }


def _capacity(capacity: CapacityArgs, zone: str) -> dict[str, Any]:
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
