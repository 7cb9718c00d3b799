"""NVIDIA's driver for claims, from its Helm chart, on the nodes whose pods claim: GPUs, or channels
of an NVLink domain.

Leaves out NVIDIA's driver for the kernel, which is installed before, and the claims. One release a
cluster: its device classes have the same names in every one. The values are those for GKE
(kubernetes-sigs/dra-driver-nvidia-gpu site/content/docs/install.md, 9593204 of 2026-08-07; llm-d/
llm-d docs/infra-providers/gke/README.md; GoogleCloudPlatform's tutorial gpu-fungibility; of domains
AI Hypercomputer documentation, "Create a custom AI-optimized GKE cluster which uses A4X").
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import pulumi

from ..base.component import Component
from ..base.helm import HelmChartArgs, install_release
from ..base.node_terms import on_any, one_of
from ..base.pod_security import PRIVILEGED
from ..base.tokens import formerly
from ..pools.labels import GKE_ACCELERATOR
from .gib import NODE_DRIVER_DIR

_RELEASE = "dra-driver-nvidia-gpu"


@dataclass(frozen=True, kw_only=True)
class GpuClaimDriverArgs:
    """With `domain_accelerators` pods claim channels of NVLink domains on nodes with one of these,
    and GPUs of GKE's device plug-in; without, GPUs."""

    chart: HelmChartArgs
    namespace: str = _RELEASE
    domain_accelerators: Sequence[str] = ()
    labels: pulumi.Input[dict[str, str]] = field(default_factory=dict[str, str])


class GpuClaimDriver(Component, in_cluster=True):
    """`release_name` is known once the chart is installed, which says nothing of the nodes: a
    claim waits until its node publishes what it asks for."""

    release_name: pulumi.Output[str]

    def __init__(
        self, name: str, args: GpuClaimDriverArgs, opts: pulumi.ResourceOptions | None = None
    ) -> None:
        super().__init__(
            "gke-ai:index:GpuClaimDriver",
            name,
            args,
            formerly("gpu_claim_driver:GpuClaimDriver", opts),
        )
        self.release = install_release(
            self,
            name,
            args.chart,
            release_name=_RELEASE,
            namespace=args.namespace,
            pod_security=PRIVILEGED,
            labels=args.labels,
            values=domain_values(args.domain_accelerators)
            if args.domain_accelerators
            else driver_values(),
        )
        self.release_name = pulumi.Output.from_input(self.release.name).apply(str)
        self.register_outputs({"release_name": self.release_name})


def driver_values() -> dict[str, Any]:
    """Of GPUs alone."""
    return {
        **_values(gpus=True, domains=False),
        # There is no device plug-in on nodes with its label.
        "gpuResourcesEnabledOverride": True,
    }


def domain_values(accelerators: Sequence[str]) -> dict[str, Any]:
    """Of NVLink domains alone. The controller is on other nodes, which its image is built for as
    well, and outlives theirs."""
    chosen = one_of(GKE_ACCELERATOR, accelerators)
    elsewhere = {"key": GKE_ACCELERATOR, "operator": "DoesNotExist"}
    found = _values(gpus=False, domains=True)
    plugin = {**found["kubeletPlugin"], **on_any([{"matchExpressions": [chosen]}])}
    controller = {**_UNRANKED, **on_any([{"matchExpressions": [elsewhere]}])}
    return {**found, "kubeletPlugin": plugin, "controller": controller}


# GKE keeps system classes to kube-system.
_UNRANKED = {"priorityClassName": ""}


def _values(*, gpus: bool, domains: bool) -> dict[str, Any]:
    return {
        "nvidiaDriverRoot": NODE_DRIVER_DIR,
        "resources": {"gpus": {"enabled": gpus}, "computeDomains": {"enabled": domains}},
        "kubeletPlugin": {
            **_UNRANKED,
            # Whatever a node is tainted with, pods that tolerate it will want its devices.
            "tolerations": [{"operator": "Exists"}],
        },
    }
