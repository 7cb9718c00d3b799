"""What devices each pod claims of its node, such as network interfaces from GKE's DRANET.

Leaves out the driver, which comes with the nodes, and the pods, which name the template.
"""

from dataclasses import dataclass

import pulumi
import pulumi_kubernetes as k8s

from components.lifecycle import fixed_name, object_name
from components.naming import NameKind, check_name


@dataclass(frozen=True, kw_only=True)
class ResourceClaimTemplateArgs:
    """`count` is how many devices a pod gets; by default interfaces that do not speak RDMA."""

    namespace: pulumi.Input[str]
    template_name: str
    device_class: str = "netdev.google.com"
    request_name: str = "req-netdev"
    count: int
    labels: pulumi.Input[dict[str, str]]


class ResourceClaimTemplate(pulumi.ComponentResource):
    """`template_name` is known once the template is there.

    Pods keep the devices that they have; a replacement of `template` is theirs, too.
    """

    template: k8s.resource.v1.ResourceClaimTemplate
    template_name: pulumi.Output[str]

    def __init__(
        self,
        name: str,
        args: ResourceClaimTemplateArgs,
        opts: pulumi.ResourceOptions | None = None,
    ) -> None:
        super().__init__(
            "gke-ai-stacks:resource_claim_template:ResourceClaimTemplate", name, None, opts
        )
        self.template = k8s.resource.v1.ResourceClaimTemplate(
            f"{name}-template",
            metadata={
                "name": check_name(NameKind.KUBERNETES, args.template_name),
                "namespace": args.namespace,
                "labels": args.labels,
            },
            spec={
                "spec": {
                    "devices": {
                        "requests": [
                            {
                                "name": args.request_name,
                                "exactly": {
                                    "device_class_name": args.device_class,
                                    "allocation_mode": "ExactCount",
                                    "count": args.count,
                                },
                            }
                        ]
                    }
                }
            },
            # Kubernetes lets nobody change the spec.
            opts=fixed_name(self, replace_on_changes=["spec"]),
        )
        self.template_name = object_name(self.template)
        self.register_outputs({"template": self.template, "template_name": self.template_name})
