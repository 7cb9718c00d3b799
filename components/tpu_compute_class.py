"""The TPU slices that Autopilot makes for pods which name the class, with networks to claim.

Leaves out the pods' claims on the networks.
"""

from dataclasses import dataclass

import pulumi

from components.capacity import CapacityArgs
from components.component import Component
from components.compute_class import capacity_of, compute_class
from components.lifecycle import object_name
from components.tokens import formerly


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


class TpuComputeClass(Component, in_cluster=True):
    """`class_name` is known once the class is there; slices come when pods ask for them."""

    class_name: pulumi.Output[str]

    def __init__(
        self, name: str, args: TpuComputeClassArgs, opts: pulumi.ResourceOptions | None = None
    ) -> None:
        super().__init__(
            "gke-ai:index:TpuComputeClass",
            name,
            args,
            formerly("tpu_compute_class:TpuComputeClass", opts),
        )
        made = compute_class(
            self,
            name,
            class_name=args.class_name,
            labels=args.labels,
            dranet=args.dranet,
            priority={
                "machineType": args.machine_type,
                "tpu": {"type": args.accelerator, "count": args.chips, "topology": args.topology},
                **capacity_of(args.capacity, args.zone),
            },
        )
        self.class_name = object_name(made)
        self.register_outputs({"class_name": self.class_name})
