"""Machines of a queued node pool for all pods of a workload at once: the request, and the template
of the pods that it is for.

Leaves out the pool, and the pods, which consume the request by `consuming_annotations`.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import pulumi
import pulumi_gcp as gcp
import pulumi_kubernetes as k8s

from ..base.arguments import at_least
from ..base.component import Component
from ..base.lifecycle import fixed_name, object_name, once_there
from ..base.naming import NameKind, name_is
from ..base.tokens import formerly
from .provisioning_manifest import (
    API_VERSION,
    TEMPLATE_LABELS,
    provisioning_request_spec,
)

# The queue for scarce machines is long, and whoever gives up has lost the place in it.
_MINUTES = 7 * 24 * 60
# What decides on the machines. Whatever else changes in the pods, the machines stay: GKE gives them
# up after some ten minutes without pods, and new pods come sooner.
_REPLACING = [
    "template.metadata.annotations",
    "template.spec.nodeSelector",
    "template.spec.tolerations",
    "template.spec.containers[*].resources",
]


@dataclass(frozen=True, kw_only=True)
class ProvisioningRequestArgs:
    """`template` is that of the pods, as Kubernetes has it, and `pods` is how many there will be.

    It has no type here, for a component's schema has no word for it. After `max_run_seconds`, by
    default seven days, the machines are taken away. `pools` are where the machines come from: the
    request waits for them, and is replaced with them.
    """

    namespace: pulumi.Input[str]
    request_name: str
    pods: int
    template: Any
    max_run_seconds: int | None = None
    pools: Sequence[gcp.container.NodePool] = ()
    labels: pulumi.Input[dict[str, str]] = field(default_factory=dict[str, str])

    def check(self) -> None:
        name_is("request_name", NameKind.KUBERNETES, self.request_name)
        at_least("pods", self.pods, 1, "is no number of pods")


class ProvisioningRequest(Component, in_cluster=True):
    """`request_name` is known once the machines are there; pods have ten minutes to start on them.

    `objects` are what the pods hang on: they go before it, and a replacement of it is theirs, too.
    """

    request_name: pulumi.Output[str]

    def __init__(
        self, name: str, args: ProvisioningRequestArgs, opts: pulumi.ResourceOptions | None = None
    ) -> None:
        super().__init__(
            "gke-ai:index:ProvisioningRequest",
            name,
            args,
            once_there(formerly("provisioning_request:ProvisioningRequest", opts), args.pools),
        )
        request_name = args.request_name
        labels = pulumi.Output.from_input(args.labels)
        template = k8s.core.v1.PodTemplate(
            f"{name}-template",
            metadata={
                "name": request_name,
                "namespace": args.namespace,
                "labels": labels.apply(lambda it: {**it, **TEMPLATE_LABELS}),
            },
            template=args.template,
            opts=fixed_name(self, replace_on_changes=_REPLACING),
        )
        request = k8s.apiextensions.CustomResource(
            f"{name}-request",
            api_version=API_VERSION,
            kind="ProvisioningRequest",
            metadata={
                "name": request_name,
                "namespace": args.namespace,
                "labels": args.labels,
                "annotations": {"pulumi.com/waitFor": "condition=Provisioned"},
            },
            spec=provisioning_request_spec(
                pods=args.pods,
                template_name=object_name(template),
                max_run_seconds=args.max_run_seconds,
            ),
            opts=fixed_name(
                self,
                minutes=_MINUTES,
                replace_on_changes=["spec"],
                replace_with=[template, *args.pools],
            ),
        )
        self.objects: list[pulumi.Resource] = [template, request]
        self.request_name = object_name(request)
        self.register_outputs({"request_name": self.request_name})
