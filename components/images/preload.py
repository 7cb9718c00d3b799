"""Images on nodes before the pods that run them: the pull begins when a machine stands, whatever
those pods wait for besides. As in Ray's documentation, "Reducing image pull latency on Kubernetes".

Nobody waits for it: a pod that comes sooner pulls the image itself, with what is there of it.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import pulumi
import pulumi_kubernetes as k8s

from ..base.component import Component
from ..base.lifecycle import fixed_name
from ..base.naming import NameKind, name_is
from ..base.node_terms import on_any, selector_terms
from ..base.pod_manifest import DEFAULT_SECCOMP, NO_TOKEN, no_more_privileges
from ..base.tokens import formerly

_NAMESPACE = "kube-system"


@dataclass(frozen=True, kw_only=True)
class ImagePreloadArgs:
    """`node_selectors` pick the nodes of each pool, which may have none, or not be there yet."""

    preload_name: str
    images: Sequence[str]
    pause_image: str
    node_selectors: Sequence[Mapping[str, str]]
    labels: pulumi.Input[dict[str, str]] = field(default_factory=dict[str, str])

    def check(self) -> None:
        name_is("preload_name", NameKind.DAEMON_SET, self.preload_name)


class ImagePreload(Component, in_cluster=True):
    daemon_set: k8s.apps.v1.DaemonSet

    def __init__(
        self, name: str, args: ImagePreloadArgs, opts: pulumi.ResourceOptions | None = None
    ) -> None:
        super().__init__(
            "gke-ai:index:ImagePreload",
            name,
            args,
            formerly("image_preload:ImagePreload", opts),
        )
        self.daemon_set = k8s.apps.v1.DaemonSet(
            f"{name}-daemon-set",
            metadata={
                "name": args.preload_name,
                "namespace": _NAMESPACE,
                "labels": args.labels,
                "annotations": {"pulumi.com/skipAwait": "true"},
            },
            spec=preload_spec(args),
            opts=fixed_name(self),
        )
        self.register_outputs({"daemon_set": self.daemon_set})


def preload_spec(args: ImagePreloadArgs) -> Any:
    """Each image runs once and ends, and then the pod rests. It asks for nothing of the node, which
    the pods that it is for may fill, and goes before any of them. The user stays each image's: of
    some nobody else may enter the folders."""
    names = {"k8s-app": args.preload_name}
    closed = {
        **no_more_privileges(),
        "capabilities": {"drop": ["ALL"]},
        "readOnlyRootFilesystem": True,
    }
    return {
        "selector": {"matchLabels": names},
        "updateStrategy": {"rollingUpdate": {"maxUnavailable": "100%"}},
        "template": {
            "metadata": {"labels": {"name": args.preload_name, **names}},
            "spec": {
                **on_any(selector_terms(args.node_selectors)),
                "tolerations": [{"operator": "Exists"}],
                **NO_TOKEN,
                "securityContext": DEFAULT_SECCOMP,
                "terminationGracePeriodSeconds": 1,
                "initContainers": [
                    {
                        "name": f"image-{place}",
                        "image": image,
                        "command": ["/bin/sh", "-c", ":"],
                        "securityContext": closed,
                    }
                    for place, image in enumerate(args.images)
                ],
                "containers": [
                    {"name": "pause", "image": args.pause_image, "securityContext": closed}
                ],
            },
        },
    }
