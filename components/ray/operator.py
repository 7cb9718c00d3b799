"""KubeRay's operator from its Helm chart, for clusters without GKE's Ray add-on.

It watches all namespaces. Helm leaves the kinds behind when the release goes, and with them what is
left of their objects, which nobody finishes then: Ray clusters and jobs go before it.
"""

from dataclasses import dataclass, field
from typing import Any

import pulumi

from ..base.component import Component
from ..base.helm import HelmChartArgs, install_chart
from ..base.lifecycle import object_name
from ..base.pod_security import BASELINE
from ..base.tokens import formerly


@dataclass(frozen=True, kw_only=True)
class KubeRayOperatorArgs:
    """Without `node_selector` the operator's pod runs anywhere."""

    chart: HelmChartArgs
    namespace: str = "kuberay-operator"
    node_selector: pulumi.Input[dict[str, str]] | None = None
    labels: pulumi.Input[dict[str, str]] = field(default_factory=dict[str, str])


class KubeRayOperator(Component, in_cluster=True):
    """`release_name` is known once the operator runs; `release` and `ready` are what Ray clusters
    hang on."""

    release_name: pulumi.Output[str]
    namespace: pulumi.Output[str]

    def __init__(
        self, name: str, args: KubeRayOperatorArgs, opts: pulumi.ResourceOptions | None = None
    ) -> None:
        super().__init__(
            "gke-ai:index:KubeRayOperator",
            name,
            args,
            formerly("kuberay_operator:KubeRayOperator", opts),
        )
        values: dict[str, Any] = {}
        if args.node_selector is not None:
            values["nodeSelector"] = args.node_selector
        installed = install_chart(
            self,
            name,
            args.chart,
            release_name="kuberay-operator",
            namespace=args.namespace,
            pod_security=BASELINE,
            labels=args.labels,
            values=values,
        )
        self.release, self.ready = installed.release, installed.ready
        self.release_name = object_name(installed.ready)
        self.namespace = pulumi.Output.from_input(self.release.namespace).apply(str)
        self.register_outputs({"release_name": self.release_name, "namespace": self.namespace})
