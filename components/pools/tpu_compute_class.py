"""The TPU slices that Autopilot makes for pods which name the class, with networks to claim.

Leaves out the pods' claims on the networks.
"""

from dataclasses import dataclass, field

import pulumi

from ..base.arguments import refuse, topology_is
from ..base.capacity import CapacityArgs
from ..base.component import Component
from ..base.lifecycle import object_name
from ..base.naming import NameKind, name_is
from ..base.tokens import formerly
from .compute_class import capacity_of, compute_class


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
    labels: pulumi.Input[dict[str, str]] = field(default_factory=dict[str, str])

    def check(self) -> None:
        name_is("class_name", NameKind.COMPUTE_CLASS, self.class_name)
        topology_is("topology", self.topology)
        if self.capacity.queued:
            refuse(
                "capacity.mode",
                self.capacity.mode,
                "is for node pools that a provisioning request names, and a class makes pools of "
                "its own",
                "flex-start",
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
