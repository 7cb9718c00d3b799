"""A workload policy: how Compute Engine places machines that make up one domain of accelerators,
such as the hosts of a TPU slice.

Leaves out who is placed by it: a node pool names it.
"""

from dataclasses import dataclass

import pulumi
import pulumi_gcp as gcp

from ..base.arguments import topology_is
from ..base.component import Component
from ..base.lifecycle import fixed_name
from ..base.naming import NameKind, name_is
from ..base.tokens import formerly
from ..project.apis import ProjectArgs

# The only type that takes the shape of a domain (GoogleCloudPlatform/cluster-toolkit
# examples/gke-tpu-7x and examples/gke-a4x, 10470803 of 2026-06-25).
_TYPE = "HIGH_THROUGHPUT"


@dataclass(frozen=True, kw_only=True)
class WorkloadPolicyArgs(ProjectArgs):
    """`topology` is the shape of the domain, such as 4x4x4. It is fixed, so let the name have it:
    another shape then is another policy, which is there before machines move to it."""

    region: pulumi.Input[str]
    policy_name: str
    topology: str

    def check(self) -> None:
        name_is("policy_name", NameKind.RESOURCE_POLICY, self.policy_name)
        topology_is("topology", self.topology)


class WorkloadPolicy(Component, apis=("compute",)):
    """`policy_name` is known once the policy stands."""

    policy: gcp.compute.ResourcePolicy
    policy_name: pulumi.Output[str]

    def __init__(
        self, name: str, args: WorkloadPolicyArgs, opts: pulumi.ResourceOptions | None = None
    ) -> None:
        super().__init__(
            "gke-ai:index:WorkloadPolicy",
            name,
            args,
            formerly("workload_policy:WorkloadPolicy", opts),
        )
        self.policy = gcp.compute.ResourcePolicy(
            f"{name}-policy",
            project=args.project_with("compute"),
            region=args.region,
            name=args.policy_name,
            workload_policy={"type": _TYPE, "accelerator_topology": args.topology},
            opts=fixed_name(self),
        )
        self.policy_name = self.policy.name
        self.register_outputs({"policy": self.policy, "policy_name": self.policy_name})
