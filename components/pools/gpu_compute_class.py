"""Machines with GPUs that Autopilot makes for pods which name the class, with networks to claim.

Leaves out the pods' claims on the networks, and NCCL's plug-in. As Google's own sample has it:
GoogleCloudSamples/AIHypercomputerSamples gpu/tuning/verl_rl_autopilot/4_setup_dranet.sh, e27e53a5;
the driver, which is "default" where a class says nothing: GoogleCloudPlatform/compute-class-api
api/cloud.google.com/v1/types.go, 8067eaeb of 2026-08-21.
"""

from dataclasses import dataclass, field

import pulumi

from ..base.arguments import at_least
from ..base.capacity import CapacityArgs
from ..base.component import Component
from ..base.lifecycle import object_name
from ..base.naming import NameKind, name_is
from ..base.tokens import formerly
from .compute_class import capacity_of, compute_class


@dataclass(frozen=True, kw_only=True)
class GpuComputeClassArgs:
    """`accelerator` is the value of GKE's label, such as nvidia-b200; `gpus` are a machine's.
    `driver` is GKE's word for the NVIDIA driver that it installs: default or latest."""

    class_name: str
    zone: str
    machine_type: str
    accelerator: str
    gpus: int
    driver: str
    capacity: CapacityArgs
    labels: pulumi.Input[dict[str, str]] = field(default_factory=dict[str, str])

    def check(self) -> None:
        name_is("class_name", NameKind.COMPUTE_CLASS, self.class_name)
        at_least("gpus", self.gpus, 1, "is no number of GPUs for a machine")


class GpuComputeClass(Component, in_cluster=True):
    """`class_name` is known once the class is there; machines come when pods ask for them."""

    class_name: pulumi.Output[str]

    def __init__(
        self, name: str, args: GpuComputeClassArgs, opts: pulumi.ResourceOptions | None = None
    ) -> None:
        super().__init__(
            "gke-ai:index:GpuComputeClass",
            name,
            args,
            formerly("gpu_compute_class:GpuComputeClass", opts),
        )
        made = compute_class(
            self,
            name,
            class_name=args.class_name,
            labels=args.labels,
            dranet=True,
            priority={
                "machineType": args.machine_type,
                "gpu": {
                    "type": args.accelerator,
                    "count": args.gpus,
                    "driverVersion": args.driver,
                },
                **capacity_of(args.capacity, args.zone),
            },
        )
        self.class_name = object_name(made)
        self.register_outputs({"class_name": self.class_name})
