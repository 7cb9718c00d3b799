"""What devices each pod claims of its node, such as network interfaces from GKE's DRANET.

Leaves out the driver, which comes with the nodes, and the pods, which name the template.
"""

from dataclasses import dataclass, field
from typing import Any

import pulumi
import pulumi_kubernetes as k8s

from ..base.arguments import at_least
from ..base.component import Component
from ..base.lifecycle import fixed_name, object_name
from ..base.naming import NameKind, name_is
from ..base.tokens import formerly

GPU_CLASS = "gpu.nvidia.com"
# What both drivers publish of where a device is.
_PCIE_ROOT = "resource.kubernetes.io/pcieRoot"


@dataclass(frozen=True, kw_only=True)
class ResourceClaimTemplateArgs:
    """`count` is how many devices a pod gets; by default interfaces that do not speak RDMA. With
    `gpus` each comes with a GPU at the same PCIe root, of NVIDIA's driver for claims. `whole` says
    that they are all that a node has, so that no two have to be looked for."""

    namespace: pulumi.Input[str]
    template_name: str
    device_class: str = "netdev.google.com"
    request_name: str = "req-netdev"
    count: int
    gpus: bool = False
    whole: bool = False
    labels: pulumi.Input[dict[str, str]] = field(default_factory=dict[str, str])

    def check(self) -> None:
        name_is("template_name", NameKind.KUBERNETES, self.template_name)
        at_least("count", self.count, 1, "is no number of devices to claim")


@dataclass(frozen=True, kw_only=True)
class PodClaimArgs:
    """What a pod claims, by a template. It keeps what it has been given, so the pod is replaced
    with the `source` of the template, where a program makes that."""

    template_name: pulumi.Input[str]
    source: pulumi.Resource | None = None


class ResourceClaimTemplate(Component, in_cluster=True):
    """`template_name` is known once the template is there.

    Pods take the `claim` from here.
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
            "gke-ai:index:ResourceClaimTemplate",
            name,
            args,
            formerly("resource_claim_template:ResourceClaimTemplate", opts),
        )
        self.template = k8s.resource.v1.ResourceClaimTemplate(
            f"{name}-template",
            metadata={
                "name": args.template_name,
                "namespace": args.namespace,
                "labels": args.labels,
            },
            spec={"spec": {"devices": _devices(args)}},
            # Nobody changes the spec (kubernetes/kubernetes pkg/apis/resource/validation, v1.35.4).
            opts=fixed_name(self, replace_on_changes=["spec"]),
        )
        self.template_name = object_name(self.template)
        self.claim = PodClaimArgs(template_name=self.template_name, source=self.template)
        self.register_outputs({"template": self.template, "template_name": self.template_name})


def _devices(args: ResourceClaimTemplateArgs) -> Any:
    if args.gpus and args.whole:
        requests = (("gpu", GPU_CLASS), (args.request_name, args.device_class))
        return {"requests": [_request(name, it, args.count) for name, it in requests]}
    if args.gpus:
        return paired_devices(args.device_class, args.request_name, args.count)
    return {"requests": [_request(args.request_name, args.device_class, args.count)]}


def paired_devices(device_class: str, request: str, pairs: int) -> dict[str, Any]:
    """A request for each device and for each GPU: a constraint holds for all of a request's, and a
    PCIe root has two pairs at most (google/dranet site/content/docs/user/gke-rdma.md, 7b7661a)."""
    numbers = range(pairs)
    return {
        "requests": [
            one
            for it in numbers
            for one in (
                _request(f"gpu-{it}", GPU_CLASS, 1),
                _request(f"{request}-{it}", device_class, 1),
            )
        ],
        "constraints": [
            {"match_attribute": _PCIE_ROOT, "requests": [f"gpu-{it}", f"{request}-{it}"]}
            for it in numbers
        ],
    }


def _request(name: str, device_class: str, count: int) -> dict[str, Any]:
    exactly = {
        "device_class_name": device_class,
        "allocation_mode": "ExactCount",
        "count": count,
    }
    return {"name": name, "exactly": exactly}
