"""What pods need that claim GPUs, with the interfaces beside them or alone: NVIDIA's two drivers,
of which GKE installs none on these nodes, and templates of claims."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import pulumi

from components.gpu_claim_driver import GpuClaimDriver, GpuClaimDriverArgs
from components.gpu_driver_installer import GpuDriverInstaller, GpuDriverInstallerArgs
from components.resource_claim_template import (
    GPU_CLASS,
    ResourceClaimTemplate,
    ResourceClaimTemplateArgs,
)
from stacks.parts.pools.gpu_claims import Claimed, alone, paired
from stacks.site import Site, helm_chart

_NUMBERS = {1: "one", 2: "two", 4: "four", 8: "eight"}


@dataclass(frozen=True, kw_only=True)
class GpuClaims:
    """Templates by how many GPUs a pod has, with interfaces (`pairs`) and without (`gpus`), which
    are met once the `drivers` are on a node."""

    drivers: Sequence[pulumi.Resource]
    pairs: Mapping[int, ResourceClaimTemplate]
    gpus: Mapping[int, ResourceClaimTemplate]


def build(site: Site) -> GpuClaims:
    return GpuClaims(
        drivers=_drivers(site),
        pairs=_templates(site, "pairs", paired(site.plan)),
        gpus=_templates(site, "gpus", alone(site.plan)),
    )


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
        GpuClaimDriverArgs(chart=helm_chart(plan, "gpu_claim_driver"), labels=site.labels),
        opts=site.after(*site.nodes.needed, installed),
    )
    return [installed, claims]


def _templates(
    site: Site, kind: str, numbers: Iterable[Claimed]
) -> dict[int, ResourceClaimTemplate]:
    return {it.gpus: _template(site, kind, it) for it in numbers}


def _template(site: Site, kind: str, of: Claimed) -> ResourceClaimTemplate:
    pairs = kind == "pairs"
    return ResourceClaimTemplate(
        f"{kind}-{of.gpus}",
        ResourceClaimTemplateArgs(
            namespace=site.namespace,
            template_name=f"{_NUMBERS.get(of.gpus, of.gpus)}-{kind}",
            device_class="mrdma.google.com" if pairs else GPU_CLASS,
            request_name="req-mrdma" if pairs else "gpu",
            count=of.gpus,
            gpus=pairs,
            whole=pairs and of.whole,
            labels=site.labels,
        ),
        opts=site.inside,
    )
