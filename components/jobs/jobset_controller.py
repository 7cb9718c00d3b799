"""JobSet's controller and its webhooks, from its Helm chart.

Leaves out the way to the webhooks' port, and JobSets. Helm leaves the kind behind when the release
goes. One release a cluster: its webhooks have the same names in every one (kubernetes-sigs/jobset
pkg/util/cert/cert.go, v0.12.0).
"""

from dataclasses import dataclass, field
from typing import Any

import pulumi

from ..base.component import Component
from ..base.helm import HelmChartArgs, install_chart
from ..base.lifecycle import object_name
from ..base.pod_security import BASELINE
from ..base.tokens import formerly

# Of its pod; the control plane calls it for every JobSet and every pod of one, and refuses them
# while nobody answers (kubernetes-sigs/jobset charts/jobset/templates, v0.12.0).
WEBHOOK_PORT = 9443


@dataclass(frozen=True, kw_only=True)
class JobSetControllerArgs:
    """Without `node_selector` the controller's pod runs anywhere."""

    chart: HelmChartArgs
    namespace: str = "jobset-system"
    node_selector: pulumi.Input[dict[str, str]] | None = None
    labels: pulumi.Input[dict[str, str]] = field(default_factory=dict[str, str])


class JobSetController(Component, in_cluster=True):
    """`release_name` is known once the controller answers; `release` and `ready` are what JobSets
    hang on."""

    release_name: pulumi.Output[str]
    namespace: pulumi.Output[str]

    def __init__(
        self, name: str, args: JobSetControllerArgs, opts: pulumi.ResourceOptions | None = None
    ) -> None:
        super().__init__(
            "gke-ai:index:JobSetController",
            name,
            args,
            formerly("jobset_controller:JobSetController", opts),
        )
        installed = install_chart(
            self,
            name,
            args.chart,
            release_name="jobset",
            namespace=args.namespace,
            pod_security=BASELINE,
            labels=args.labels,
            values=_values(args),
        )
        self.release, self.ready = installed.release, installed.ready
        self.release_name = object_name(installed.ready)
        self.namespace = pulumi.Output.from_input(self.release.namespace).apply(str)
        self.register_outputs({"release_name": self.release_name, "namespace": self.namespace})


def _values(args: JobSetControllerArgs) -> dict[str, Any]:
    if args.node_selector is None:
        return {}
    return {"controller": {"nodeSelector": args.node_selector}}
