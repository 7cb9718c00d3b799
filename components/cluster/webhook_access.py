"""The way from a private cluster's control plane to webhooks that listen on a port of their own.

GKE's own rule lets the control plane reach nodes on 443, for the metrics server, and 10250, for the
kubelet; a call to any other port is dropped, and with it every request that the webhook has a say
in. Source, read 2026-11-21: GKE documentation, "Automatically created firewall rules". Where the
control plane calls by agents on the nodes, the rule is not needed and lets nobody else in.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import pulumi
import pulumi_gcp as gcp

from ..base.arguments import port_is
from ..base.cidr import ranges_are
from ..base.component import Component
from ..base.lifecycle import fixed_name
from ..base.naming import NameKind, cloud_name, names_are_of
from ..base.tokens import formerly
from ..project.apis import ProjectArgs


@dataclass(frozen=True, kw_only=True)
class WebhookAccessArgs(ProjectArgs):
    """`network_id` is the VPC of the cluster's nodes, which may all run the webhook's pod; `key`
    tells a stack's webhooks apart."""

    network_id: pulumi.Input[str]
    base_name: str
    key: str
    control_plane_range: pulumi.Input[str]
    ports: Sequence[int]

    def check(self) -> None:
        names_are_of("base_name", NameKind.FIREWALL, self.base_name, self.key, "webhook")
        ranges_are({"control_plane_range": self.control_plane_range})
        for port in self.ports:
            port_is("ports", port)


class WebhookAccess(Component, apis=("compute",)):
    """`rule_name` is known once calls get through."""

    rule_name: pulumi.Output[str]

    def __init__(
        self, name: str, args: WebhookAccessArgs, opts: pulumi.ResourceOptions | None = None
    ) -> None:
        super().__init__(
            "gke-ai:index:WebhookAccess",
            name,
            args,
            formerly("webhook_access:WebhookAccess", opts),
        )
        rule = gcp.compute.Firewall(
            f"{name}-rule",
            project=args.project_with("compute"),
            name=cloud_name(NameKind.FIREWALL, args.base_name, args.key, "webhook"),
            network=args.network_id,
            direction="INGRESS",
            source_ranges=[args.control_plane_range],
            allows=[{"protocol": "tcp", "ports": [str(port) for port in args.ports]}],
            opts=fixed_name(self),
        )
        self.rule_name = rule.name
        self.register_outputs({"rule_name": self.rule_name})
