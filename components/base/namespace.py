"""A namespace of the stack's own, for stacks that do not use `default`, or one of somebody else's.

Whoever makes one gives it what serves the finalizers of the work in it as dependencies: it goes
before them, with all work in it.
"""

from dataclasses import dataclass, field

import pulumi
import pulumi_kubernetes as k8s

from .arguments import checked
from .component import Component
from .lifecycle import fixed_name, object_name
from .naming import NameKind, name_is
from .pod_access import TEAM_LABEL, team_access_spec
from .pod_security import pod_security_labels
from .tokens import formerly


@dataclass(frozen=True, kw_only=True)
class KubeNamespaceArgs:
    """`pod_security` is the most that the namespace's pods may ask of their node. `team` is whose
    the namespace is where it is not the stack's own: pods of teams and of `default` do not reach
    it, and its pods reach no team and nothing of the stack but model servers."""

    namespace: str
    pod_security: str
    team: str | None = None
    labels: pulumi.Input[dict[str, str]] = field(default_factory=dict[str, str])

    def check(self) -> None:
        name_is("namespace", NameKind.NAMESPACE, self.namespace)
        checked("pod_security", pod_security_labels, self.pod_security)


class KubeNamespace(Component, in_cluster=True):
    """`namespace` is its name, known once it exists, and its network policy with it."""

    namespace: pulumi.Output[str]

    def __init__(
        self, name: str, args: KubeNamespaceArgs, opts: pulumi.ResourceOptions | None = None
    ) -> None:
        super().__init__(
            "gke-ai:index:KubeNamespace",
            name,
            args,
            formerly("namespace:KubeNamespace", opts),
        )
        made = k8s.core.v1.Namespace(
            f"{name}-namespace",
            metadata={
                "name": args.namespace,
                "labels": with_pod_security(args.labels, args.pod_security, args.team),
            },
            opts=fixed_name(self),
        )
        self.namespace = object_name(made)
        if args.team is not None:
            access = k8s.networking.v1.NetworkPolicy(
                f"{name}-access",
                metadata={"name": "team", "namespace": self.namespace, "labels": args.labels},
                spec=team_access_spec(),
                opts=fixed_name(self),
            )
            self.namespace = pulumi.Output.all(object_name(made), object_name(access)).apply(
                lambda it: str(it[0])
            )
        self.register_outputs({"namespace": self.namespace})


def with_pod_security(
    labels: pulumi.Input[dict[str, str]], level: str, team: str | None = None
) -> pulumi.Output[dict[str, str]]:
    """A namespace's labels, with those of the level and of the team."""
    own = {**pod_security_labels(level), **({} if team is None else {TEAM_LABEL: team})}
    return pulumi.Output.from_input(labels).apply(lambda it: {**it, **own})
