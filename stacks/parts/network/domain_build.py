"""NVIDIA's driver for NVLink domains between machines, and the domain of each job on them."""

import pulumi

from components.base.helm import helm_chart
from components.nccl.compute_domain import ComputeDomain, ComputeDomainArgs
from components.nccl.gpu_claim_driver import GpuClaimDriver, GpuClaimDriverArgs
from stacks.site import Site


def driver(site: Site) -> GpuClaimDriver:
    """One for all pools whose machines are of such domains."""
    plan = site.plan
    machines = [it.machine for it in plan.gpu_pools.values() if it.domain is not None]
    accelerators = dict.fromkeys(it.accelerator.type for it in machines if it.accelerator)
    return GpuClaimDriver(
        "nvlink",
        GpuClaimDriverArgs(
            chart=helm_chart(plan.facts, "gpu_claim_driver"),
            domain_accelerators=list(accelerators),
            labels=site.labels,
        ),
        opts=site.after(*site.nodes.needed),
    )


def domain_of(site: Site, job: str, nodes: int, installed: pulumi.Resource) -> ComputeDomain:
    return ComputeDomain(
        f"{job}-nvlink",
        ComputeDomainArgs(
            namespace=site.namespace,
            domain_name=job,
            api_version=site.plan.facts.component("gpu_claim_driver").apis["ComputeDomain"],
            nodes=nodes,
            labels=site.labels,
        ),
        opts=site.after(installed),
    )
