"""Templates of claims to further interfaces, by how many a pod on a machine of its own has."""

import pulumi

from components.network.resource_claim_template import (
    ResourceClaimTemplate,
    ResourceClaimTemplateArgs,
)
from stacks.site import Site

RDMA = "mrdma"
_NUMBERS = {1: "one", 2: "two", 3: "three", 4: "four", 8: "eight"}


def rdma_claims(site: Site) -> dict[int, ResourceClaimTemplate]:
    """What GPU workers claim, by how many interfaces a machine has."""
    plan = site.plan
    whole = [it for it in plan.gpu_pools.values() if not it.gpus_claimed]
    numbers = dict.fromkeys(plan.claims(it) for it in whole)
    return {
        number: ResourceClaimTemplate(
            f"rdma-claims-{number}",
            ResourceClaimTemplateArgs(
                namespace=site.namespace,
                template_name=f"{_NUMBERS.get(number, number)}-{RDMA}",
                device_class="mrdma.google.com",
                request_name=f"req-{RDMA}",
                count=number,
                labels=site.labels,
            ),
            opts=site.inside,
        )
        for number in numbers
        if number
    }


def claim_templates(site: Site) -> dict[int, ResourceClaimTemplate]:
    """What TPU workers claim, by how many interfaces: those of each machine where GKE makes the
    networks, else one number for all."""
    plan = site.plan
    numbers = dict.fromkeys(plan.claims(it) for it in plan.tpu_pools.values())
    return {
        number: ResourceClaimTemplate(
            f"claims-{number}",
            ResourceClaimTemplateArgs(
                namespace=site.namespace,
                template_name=f"{_NUMBERS.get(number, number)}-netdev",
                count=number,
                labels=site.labels,
            ),
            # A template of the same name in the cluster, which this was once the logical name of.
            opts=_once_called(site.inside, "claims")
            if number == len(plan.stack.network.dcn)
            else site.inside,
        )
        for number in numbers
        if number
    }


def _once_called(options: pulumi.ResourceOptions, name: str) -> pulumi.ResourceOptions:
    return pulumi.ResourceOptions.merge(
        options, pulumi.ResourceOptions(aliases=[pulumi.Alias(name=name)])
    )
