"""The firewall rule by which servers of Managed Lustre reach their clients.

A VPC lets nothing in by itself (Google Cloud documentation, "VPC firewall rules", implied rules),
and servers open connections to clients, too. Source: Managed Lustre documentation, "Configure a VPC
network", whose steps make one from the range of private service access.
"""

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
class LustreAccessArgs(ProjectArgs):
    """`project` is whose the network is, `base_name` and `instance` name the rule, and `port` is
    what the instance listens on."""

    network_id: pulumi.Input[str]
    base_name: str
    instance: str
    peering_range: pulumi.Input[str]
    port: int

    def check(self) -> None:
        names_are_of("base_name", NameKind.FIREWALL, self.base_name, self.instance, "lustre")
        ranges_are({"peering_range": self.peering_range})
        port_is("port", self.port)


class LustreAccess(Component, apis=("compute",)):
    """For an instance that exists already. `rule_name` is known once the servers are let in, by
    `rule`."""

    rule: gcp.compute.Firewall
    rule_name: pulumi.Output[str]

    def __init__(
        self, name: str, args: LustreAccessArgs, opts: pulumi.ResourceOptions | None = None
    ) -> None:
        super().__init__(
            "gke-ai:index:LustreAccess",
            name,
            args,
            formerly("lustre_access:LustreAccess", opts),
        )
        rule = lustre_rule(
            self,
            f"{name}-firewall",
            project=args.project_with("compute"),
            network_id=args.network_id,
            rule_name=cloud_name(NameKind.FIREWALL, args.base_name, args.instance, "lustre"),
            peering_range=args.peering_range,
            port=args.port,
        )
        self.rule = rule
        self.rule_name = rule.name
        self.register_outputs({"rule": self.rule, "rule_name": self.rule_name})


def lustre_rule(
    parent: pulumi.Resource,
    name: str,
    *,
    project: pulumi.Input[str],
    network_id: pulumi.Input[str],
    rule_name: str,
    peering_range: pulumi.Input[str],
    port: int,
) -> gcp.compute.Firewall:
    return gcp.compute.Firewall(
        name,
        project=project,
        name=rule_name,
        network=network_id,
        direction="INGRESS",
        source_ranges=[peering_range],
        allows=[{"protocol": "tcp", "ports": [str(port)]}],
        opts=fixed_name(parent),
    )
