"""An admission policy that keeps the work of teams in their queues. It is there once in a cluster
for each stack that shares it, so its name begins with the stack's.

Leaves out the queues themselves.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field

import pulumi
import pulumi_kubernetes as k8s

from ..base.admission_binding import binding_spec
from ..base.component import Component
from ..base.lifecycle import fixed_name, object_name
from ..base.tokens import formerly
from .guard_manifest import guard_spec


@dataclass(frozen=True, kw_only=True)
class QueueGuardArgs:
    """`policy_name` is that of the policy and of its binding; `namespaces` are those of teams."""

    policy_name: str
    namespaces: Sequence[str]
    labels: pulumi.Input[dict[str, str]] = field(default_factory=dict[str, str])


class QueueGuard(Component, in_cluster=True):
    """`policy_name` is known once the policy holds."""

    policy_name: pulumi.Output[str]

    def __init__(
        self, name: str, args: QueueGuardArgs, opts: pulumi.ResourceOptions | None = None
    ) -> None:
        super().__init__(
            "gke-ai:index:QueueGuard", name, args, formerly("queue_guard:QueueGuard", opts)
        )
        metadata: k8s.meta.v1.ObjectMetaArgsDict = {
            "name": args.policy_name,
            "labels": args.labels,
        }
        policy = k8s.admissionregistration.v1.ValidatingAdmissionPolicy(
            f"{name}-policy",
            metadata=metadata,
            spec=guard_spec(),
            opts=fixed_name(self),
        )
        binding = k8s.admissionregistration.v1.ValidatingAdmissionPolicyBinding(
            f"{name}-binding",
            metadata=metadata,
            spec=binding_spec(object_name(policy), args.namespaces),
            opts=fixed_name(self),
        )
        self.policy_name = object_name(binding)
        self.register_outputs({"policy_name": self.policy_name})
