"""Machines of a job whose GPUs speak NVLink to each other: NVIDIA's ComputeDomain, and the channel
that each of the job's pods claims.

Leaves out NVIDIA's driver, which makes the template of the channel's claim and starts IMEX beside
each pod that has one, and the machines, which are of one NVLink domain by their placement
(kubernetes-sigs/dra-driver-nvidia-gpu api/nvidia.com/resource/v1beta1/computedomain.go, 61de3f2f).
"""

from dataclasses import dataclass, field

import pulumi
import pulumi_kubernetes as k8s

from ..base.arguments import at_least
from ..base.component import Component
from ..base.lifecycle import fixed_name, object_name
from ..base.naming import NameKind, cloud_name, name_is
from ..base.tokens import formerly
from ..network.resource_claim_template import PodClaimArgs


@dataclass(frozen=True, kw_only=True)
class ComputeDomainArgs:
    """`nodes` are those of the job, a pod on each. `api_version` is the driver's."""

    namespace: pulumi.Input[str]
    domain_name: str
    api_version: str
    nodes: int
    labels: pulumi.Input[dict[str, str]] = field(default_factory=dict[str, str])

    def check(self) -> None:
        name_is("domain_name", NameKind.KUBERNETES, self.domain_name)
        at_least("nodes", self.nodes, 1, "is no number of nodes for a domain")


class ComputeDomain(Component, in_cluster=True):
    """`template_name` is the template of the channel's claim, known once the driver is told of it.

    Pods take the `claim` from here: they keep their channel, and are replaced with the domain.
    """

    template_name: pulumi.Output[str]

    def __init__(
        self, name: str, args: ComputeDomainArgs, opts: pulumi.ResourceOptions | None = None
    ) -> None:
        super().__init__(
            "gke-ai:index:ComputeDomain",
            name,
            args,
            formerly("compute_domain:ComputeDomain", opts),
        )
        channel = cloud_name(NameKind.KUBERNETES, args.domain_name, "channel")
        domain = k8s.apiextensions.CustomResource(
            f"{name}-domain",
            api_version=args.api_version,
            kind="ComputeDomain",
            metadata={
                "name": args.domain_name,
                "namespace": args.namespace,
                "labels": args.labels,
            },
            spec={
                "numNodes": args.nodes,
                "channel": {"resourceClaimTemplate": {"name": channel}},
            },
            # The API server lets nobody change it.
            opts=fixed_name(self, replace_on_changes=["spec"]),
        )
        self.domain = domain
        self.template_name = object_name(domain).apply(lambda _: channel)
        self.claim = PodClaimArgs(template_name=self.template_name, source=domain)
        self.register_outputs({"domain": self.domain, "template_name": self.template_name})
