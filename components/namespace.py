"""A namespace of the stack's own, for stacks that do not use `default`."""

from dataclasses import dataclass

import pulumi
import pulumi_kubernetes as k8s

from components.lifecycle import fixed_name
from components.naming import NameKind, check_name


@dataclass(frozen=True, kw_only=True)
class KubeNamespaceArgs:
    namespace: str
    labels: pulumi.Input[dict[str, str]]


class KubeNamespace(pulumi.ComponentResource):
    """`namespace` is its name, known once it exists."""

    namespace: pulumi.Output[str]

    def __init__(
        self, name: str, args: KubeNamespaceArgs, opts: pulumi.ResourceOptions | None = None
    ) -> None:
        super().__init__("gke-ai-stacks:namespace:KubeNamespace", name, None, opts)
        made = k8s.core.v1.Namespace(
            f"{name}-namespace",
            metadata={
                "name": check_name(NameKind.NAMESPACE, args.namespace),
                "labels": args.labels,
            },
            opts=fixed_name(self),
        )
        self.namespace = made.metadata.apply(lambda meta: meta.name or args.namespace)
        self.register_outputs({"namespace": self.namespace})
