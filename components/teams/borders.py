"""Admission policies that bound what teams publish, what others reach in their name, whose place
their work takes, and what their pods ask of a node.

Policies are cluster-wide objects, and stacks share clusters, so a name begins with the stack's.
Leaves out namespaces, roles and quotas, which are each team's own.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import pulumi
import pulumi_kubernetes as k8s

from ..base.admission_binding import binding_spec
from ..base.component import Component
from ..base.lifecycle import fixed_name, object_name
from ..base.tokens import formerly
from .borders_manifest import (
    pods_policy_spec,
    reach_policy_spec,
    services_policy_spec,
)


@dataclass(frozen=True, kw_only=True)
class TeamBordersArgs:
    """`namespaces` are those of all teams, `private_namespaces` those whose services stay in the
    cluster, `privileged_namespaces` those of the Pod Security level `privileged`; without any of a
    kind that policy is not created. `priorities` are, by namespace, the names of priority classes
    and of Kueue's that its work may have.
    """

    reach_policy_name: str
    services_policy_name: str
    pods_policy_name: str
    namespaces: Sequence[str]
    private_namespaces: Sequence[str] = ()
    privileged_namespaces: Sequence[str] = ()
    priorities: Mapping[str, Sequence[str]] = field(default_factory=dict[str, Sequence[str]])
    labels: pulumi.Input[dict[str, str]] = field(default_factory=dict[str, str])


class TeamBorders(Component, in_cluster=True):
    """`policy_names` depend on the bindings, so a namespace that waits for them is bounded."""

    policy_names: pulumi.Output[Sequence[str]]

    def __init__(
        self, name: str, args: TeamBordersArgs, opts: pulumi.ResourceOptions | None = None
    ) -> None:
        super().__init__(
            "gke-ai:index:TeamBorders",
            name,
            args,
            formerly("team_borders:TeamBorders", opts),
        )
        self._labels = args.labels
        policy = reach_policy_spec(args.priorities)
        bound = [self._policy("reach", args.reach_policy_name, policy, args.namespaces)]
        if args.private_namespaces:
            policy = services_policy_spec()
            bound.append(
                self._policy("services", args.services_policy_name, policy, args.private_namespaces)
            )
        if args.privileged_namespaces:
            policy = pods_policy_spec()
            bound.append(
                self._policy("pods", args.pods_policy_name, policy, args.privileged_namespaces)
            )
        self.policy_names = pulumi.Output.all(*bound)
        self.register_outputs({"policy_names": self.policy_names})

    def _policy(
        self, what: str, policy_name: str, spec: Any, namespaces: Sequence[str]
    ) -> pulumi.Output[str]:
        metadata: k8s.meta.v1.ObjectMetaArgsDict = {"name": policy_name, "labels": self._labels}
        policy = k8s.admissionregistration.v1.ValidatingAdmissionPolicy(
            f"{self.pulumi_resource_name}-{what}-policy",
            metadata=metadata,
            spec=spec,
            opts=fixed_name(self),
        )
        binding = k8s.admissionregistration.v1.ValidatingAdmissionPolicyBinding(
            f"{self.pulumi_resource_name}-{what}-binding",
            metadata=metadata,
            spec=binding_spec(object_name(policy), namespaces, params="paramKind" in spec),
            opts=fixed_name(self),
        )
        return object_name(binding)
