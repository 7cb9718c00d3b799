"""NVIDIA's driver for claims of GPUs, from its Helm chart, on the nodes whose pods claim them.

Leaves out NVIDIA's driver for the kernel, which is installed before, and the claims. One release a
cluster: its device classes have the same names in every one. The values are those for GKE
(kubernetes-sigs/dra-driver-nvidia-gpu site/content/docs/install.md, 9593204 of 2026-08-07; llm-d/
llm-d docs/infra-providers/gke/README.md; GoogleCloudPlatform's tutorial gpu-fungibility).
"""

from dataclasses import dataclass
from typing import Any

import pulumi

from components.gib import NODE_DRIVER_DIR
from components.helm_chart import HelmChartArgs, install_release

_RELEASE = "dra-driver-nvidia-gpu"


@dataclass(frozen=True, kw_only=True)
class GpuClaimDriverArgs:
    chart: HelmChartArgs
    namespace: str = _RELEASE
    labels: pulumi.Input[dict[str, str]]


class GpuClaimDriver(pulumi.ComponentResource):
    """`release_name` is known once the chart is installed, which says nothing of the nodes: a
    claim waits until its node publishes what it asks for."""

    release_name: pulumi.Output[str]

    def __init__(
        self, name: str, args: GpuClaimDriverArgs, opts: pulumi.ResourceOptions | None = None
    ) -> None:
        super().__init__("gke-ai-stacks:gpu_claim_driver:GpuClaimDriver", name, None, opts)
        self.release = install_release(
            self,
            name,
            args.chart,
            release_name=_RELEASE,
            namespace=args.namespace,
            labels=args.labels,
            values=driver_values(),
        )
        self.release_name = pulumi.Output.from_input(self.release.name).apply(str)
        self.register_outputs({"release_name": self.release_name})


def driver_values() -> dict[str, Any]:
    """Of GPUs alone: what joins machines by NVLink has no nodes here."""
    return {
        "nvidiaDriverRoot": NODE_DRIVER_DIR,
        # There is no device plug-in on nodes with its label.
        "gpuResourcesEnabledOverride": True,
        "resources": {"gpus": {"enabled": True}, "computeDomains": {"enabled": False}},
        "kubeletPlugin": {
            # GKE keeps system classes to kube-system.
            "priorityClassName": "",
            # Whatever a node is tainted with, pods that tolerate it will want its GPUs.
            "tolerations": [{"operator": "Exists"}],
        },
    }
