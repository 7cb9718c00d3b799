"""Kueue, from its Helm chart, with its whole configuration.

Leaves out the queues. Whoever makes them waits for its pod: that is ready once the webhook listens
with its certificates (kubernetes-sigs/kueue cmd/kueue/main.go, readyz). The kinds come and go with
the release, and all objects of them.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field

import pulumi

from ..base.arguments import at_least, checked
from ..base.component import Component
from ..base.helm import HelmChartArgs, install_chart
from ..base.lifecycle import object_name
from ..base.naming import NameKind, name_is
from ..base.pod_security import BASELINE
from ..base.tokens import formerly
from .manifest import NAMESPACE, RELEASE, check_framework, kueue_values


@dataclass(frozen=True, kw_only=True)
class KueueArgs:
    """`frameworks` are the kinds of workloads that queue, in Kueue's words.

    What it has admitted has `ready_minutes` until all its pods are ready, or it waits again.
    Kueue leaves its own namespace and `unmanaged_namespaces` alone. Without `node_selector` its
    pod runs anywhere.
    """

    chart: HelmChartArgs
    namespace: str = NAMESPACE
    frameworks: Sequence[str]
    unmanaged_namespaces: Sequence[str]
    ready_minutes: int
    node_selector: pulumi.Input[dict[str, str]] | None = None
    labels: pulumi.Input[dict[str, str]] = field(default_factory=dict[str, str])

    def check(self) -> None:
        name_is("namespace", NameKind.NAMESPACE, self.namespace)
        for one in self.frameworks:
            checked("frameworks", check_framework, one)
        at_least("ready_minutes", self.ready_minutes, 1, "leaves no time")


class Kueue(Component, in_cluster=True):
    """`release_name` is known once Kueue answers; `release` is what its objects live in, and
    `ready` is there once they can be made."""

    release_name: pulumi.Output[str]
    namespace: pulumi.Output[str]

    def __init__(
        self, name: str, args: KueueArgs, opts: pulumi.ResourceOptions | None = None
    ) -> None:
        super().__init__("gke-ai:index:Kueue", name, args, formerly("kueue:Kueue", opts))
        installed = install_chart(
            self,
            name,
            args.chart,
            release_name=RELEASE,
            namespace=args.namespace,
            pod_security=BASELINE,
            labels=args.labels,
            values=kueue_values(
                frameworks=args.frameworks,
                unmanaged_namespaces=[*args.unmanaged_namespaces, args.namespace],
                ready_minutes=args.ready_minutes,
                node_selector=args.node_selector,
            ),
        )
        self.release, self.ready = installed.release, installed.ready
        self.release_name = object_name(installed.ready)
        self.namespace = pulumi.Output.from_input(self.release.namespace).apply(str)
        self.register_outputs({"release_name": self.release_name, "namespace": self.namespace})
