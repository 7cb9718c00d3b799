"""What pods need that claim GPUs with the interfaces beside them: NVIDIA's two drivers, of which
GKE installs none on these nodes, and templates of claims."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import pulumi

from components.base.helm import helm_chart
from components.nccl.gpu_claim_driver import GpuClaimDriver, GpuClaimDriverArgs
from components.nccl.gpu_driver_installer import GpuDriverInstaller, GpuDriverInstallerArgs
from components.network.resource_claim_template import (
    ResourceClaimTemplate,
    ResourceClaimTemplateArgs,
)
from stacks.parts.pools.gpu_claims import Claimed, paired
from stacks.site import Site

_NUMBERS = {1: "one", 2: "two", 4: "four", 8: "eight"}


@dataclass(frozen=True, kw_only=True)
class GpuClaims:
    """Templates by how many GPUs a pod has, which are met once the `drivers` are on a node."""

    drivers: Sequence[pulumi.Resource]
    pairs: Mapping[int, ResourceClaimTemplate]


def build(site: Site) -> GpuClaims:
    pairs = {it.gpus: _template(site, it) for it in paired(site.plan)}
    return GpuClaims(drivers=_drivers(site), pairs=pairs)


def _drivers(site: Site) -> list[pulumi.Resource]:
    plan = site.plan
    pools = [it for it in plan.gpu_pools.values() if it.gpus_claimed]
    nccl = plan.facts.nccl(pools[0].machine.name)
    # The rules let GPUs be claimed only with interfaces that speak RDMA.
    assert nccl is not None
    installed = GpuDriverInstaller(
        "gpu-driver",
        GpuDriverInstallerArgs(
            pause_image=nccl.pause_image,
            node_selectors=[site.nodes.only[it.name] for it in pools],
            labels=site.labels,
        ),
        opts=site.inside,
    )
    claims = GpuClaimDriver(
        "gpu-claims",
        GpuClaimDriverArgs(chart=helm_chart(plan.facts, "gpu_claim_driver"), labels=site.labels),
        opts=site.after(*site.nodes.needed, installed),
    )
    return [installed, claims]


def _template(site: Site, of: Claimed) -> ResourceClaimTemplate:
    return ResourceClaimTemplate(
        f"pairs-{of.gpus}",
        ResourceClaimTemplateArgs(
            namespace=site.namespace,
            template_name=f"{_NUMBERS.get(of.gpus, of.gpus)}-pairs",
            device_class="mrdma.google.com",
            request_name="req-mrdma",
            count=of.gpus,
            gpus=True,
            whole=of.whole,
            labels=site.labels,
        ),
        opts=site.inside,
    )
